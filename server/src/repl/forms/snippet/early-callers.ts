/** Finds the functions of a form that may be called before the form has reached a certain place. */
import type { FreeName } from "../../source/free-names.ts";
import type { Node } from "oxc-parser";
import { declarationIn, declaredName, identifierName, isClass, isFunction, type Body } from "../../source/syntax.ts";

export interface Callers {
  /** `within` is an outermost function, or a field of a class. `ready` is the offset of the place. */
  readonly mayRunEarly: (within: Node, ready: number) => boolean;
}

/** A function or class that can only be reached by the name that the form gives it. */
interface Owner {
  readonly node: Node;
  readonly name: string;
}

/** `free` has to include the names of all owners. */
export function createCallers(body: Body, free: readonly FreeName[]): Callers {
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

export function ownerNames(body: Body): readonly string[] {
  return ownersOf(body).map(({ name }) => name);
}

export function isInside(node: Node, outer: Node | undefined): boolean {
  return outer !== undefined && node.start >= outer.start && node.end <= outer.end;
}

function ownersOf(body: Body): Owner[] {
  const owners: Owner[] = [];
  for (const statement of body) {
    const node = declarationIn(statement);
    const declared = declaredName(node);
    if (declared !== undefined) owners.push({ node, name: declared });
    if (node.type !== "VariableDeclaration") continue;
    for (const { id, init } of node.declarations) {
      const name = identifierName(id);
      if (name === undefined || init === null) continue;
      for (const each of functionsOf(init)) owners.push({ node: each, name });
    }
  }
  return owners;
}

/** The functions in a literal: nothing can call them before the literal has its name. */
function functionsOf(value: Node): readonly Node[] {
  if (isFunction(value) || isClass(value)) return [value];
  if (value.type !== "ObjectExpression" && value.type !== "ArrayExpression") return [];
  const parts: readonly (Node | null)[] = value.type === "ObjectExpression" ? value.properties : value.elements;
  return parts.flatMap((part) => {
    if (part === null || part.type === "SpreadElement") return [];
    return functionsOf(part.type === "Property" ? part.value : part);
  });
}

/**
 * The place where each owner is first mentioned outside of itself. A function declaration exists from the beginning, so
 * a mention inside of one may be reached at any time.
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

/** Owners do not contain each other, so only the last owner that begins before the node may contain it. */
function ownerOf(owners: readonly Owner[], node: Node): Owner | undefined {
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

/** Whether the class has a static part, which runs when the class is made and may call any member. */
function runsItself(owner: Node): boolean {
  if (!isClass(owner)) return false;
  return owner.body.body.some(
    (each) => each.type === "StaticBlock" || (each.type === "PropertyDefinition" && each.static),
  );
}
