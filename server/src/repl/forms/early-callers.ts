/** Which functions of a form may be called before the form has come to some place of itself. */
import type { FreeName } from "../source/free-names.ts";
import { declarationIn, declaratorsOf } from "./rewriting.ts";
import type { SyntaxNode } from "../source/syntax.ts";

export interface Callers {
  /** `within` is an outermost function, or a field of a class. */
  readonly mayRunEarly: (within: SyntaxNode, ready: number) => boolean;
}

/** A function or class that can only be reached by the name that the form gives it. */
interface Owner {
  readonly node: SyntaxNode;
  readonly name: string;
}

/** `free` has the names of all owners. */
export function createCallers(body: readonly SyntaxNode[], free: readonly FreeName[]): Callers {
  const owners = ownersOf(body).toSorted((a, b) => a.node.start - b.node.start);
  const first = firstMentions(owners, free);
  return {
    mayRunEarly: (within, ready) => {
      const owner = ownerOf(owners, within);
      const isHoisted = owner?.node.type === "FunctionDeclaration";
      if (within.start > ready && !isHoisted) return false;
      return owner === undefined || runsItself(owner.node) || (first.get(owner.name) ?? ready) < ready;
    },
  };
}

export function ownerNames(body: readonly SyntaxNode[]): readonly string[] {
  return ownersOf(body).map(({ name }) => name);
}

export function isInside(node: SyntaxNode, outer: SyntaxNode | undefined): boolean {
  return outer !== undefined && node.start >= outer.start && node.end <= outer.end;
}

function ownersOf(body: readonly SyntaxNode[]): Owner[] {
  const owners: Owner[] = [];
  for (const statement of body) {
    const node = declarationIn(statement);
    if (/^(?:Function|Class)Declaration$/.test(node.type) && node["id"] !== null) {
      owners.push({ node, name: (node["id"] as SyntaxNode)["name"] as string });
    }
    if (node.type !== "VariableDeclaration") continue;
    for (const declarator of declaratorsOf(node)) {
      const value = declarator["init"] as SyntaxNode | null;
      const name = (declarator["id"] as SyntaxNode)["name"];
      if (typeof name !== "string" || value === null) continue;
      for (const each of functionsOf(value)) owners.push({ node: each, name });
    }
  }
  return owners;
}

/** Functions of a literal, which nothing can call before it has its name. */
function functionsOf(value: SyntaxNode): readonly SyntaxNode[] {
  if (/Function|^Class/.test(value.type)) return [value];
  const parts = (value["properties"] ?? value["elements"]) as readonly (SyntaxNode | null)[] | undefined;
  if (!/^(?:Object|Array)Expression$/.test(value.type) || parts === undefined) return [];
  return parts.flatMap((part) => {
    if (part === null || part.type === "SpreadElement") return [];
    return functionsOf((part.type === "Property" ? part["value"] : part) as SyntaxNode);
  });
}

/**
 * Where each owner is first spoken of outside of itself. What a function says that is there from the beginning may be
 * said at any time.
 */
function firstMentions(owners: readonly Owner[], free: readonly FreeName[]): ReadonlyMap<string, number> {
  const names = new Set(owners.map(({ name }) => name));
  const first = new Map<string, number>();
  for (const { node, name, within } of free) {
    if (!names.has(name) || ownerOf(owners, node)?.name === name) continue;
    const place = within === undefined ? node.start : within.type === "FunctionDeclaration" ? -1 : within.start;
    first.set(name, Math.min(place, first.get(name) ?? place));
  }
  return first;
}

/** Owners do not stand in each other: the one that begins last before the node has it, or none. */
function ownerOf(owners: readonly Owner[], node: SyntaxNode): Owner | undefined {
  let low = 0;
  let high = owners.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((owners[middle] as Owner).node.start <= node.start) low = middle + 1;
    else high = middle;
  }
  const owner = owners[low - 1];
  return isInside(node, owner?.node) ? owner : undefined;
}

/** A class whose static part is run when it is made: that may call all of it. */
function runsItself({ type, body }: SyntaxNode): boolean {
  if (!/^Class/.test(type)) return false;
  const members = (body as SyntaxNode)["body"] as readonly SyntaxNode[];
  return members.some(
    (each) => each.type === "StaticBlock" || (each.type === "PropertyDefinition" && each["static"] === true),
  );
}
