/**
 * Reads of a name before the form has reached its `let`, `const` or `class`. The rewriter declares such names before
 * the form, so that they can be declared again; a read that comes too early must still throw. Reads that certainly come
 * too early are found here; a function that may be called too early gets a check.
 */
import { inKernel } from "../../child/wire/kernel-call.ts";
import type MagicString from "magic-string";
import { createCallers, isInside, ownerNames } from "./early-callers.ts";
import type { FreeName } from "../../source/free-names.ts";
import type { Node } from "oxc-parser";
import { declarationIn, patternNames, type Body } from "../../source/syntax.ts";

const EARLY = `${inKernel("tooEarly")}.`;
const SAME = inKernel("same");

interface Binding {
  readonly start: number;
  /** The offset from which on the name has its value. */
  readonly ready: number;
  /** The class, inside of which its own name is bound. */
  readonly inside?: Node;
  /** For a name in a pattern: the end of the name's own element, after which defaults may read the name. */
  readonly element?: { readonly pattern: Node; readonly end: number };
  readonly canBeChecked: boolean;
}

export interface EarlyReads {
  /** Nodes that are already rewritten. */
  readonly taken: ReadonlySet<Node>;
  /** Names whose declaration has to set the flag of `flagOf` when it is reached. */
  readonly checked: ReadonlySet<string>;
}

const NOTHING: EarlyReads = { taken: new Set(), checked: new Set() };

/** Whether the form has to be examined: in most forms, no declared name occurs before or in its declaration. */
export function mayReadEarly(text: string, body: Body, isLeftOut: (name: string) => boolean): boolean {
  for (const [name, { start, ready }] of bindingsOf(body, isLeftOut)) {
    const own = text.indexOf(name, start);
    const next = text.indexOf(name, own + name.length);
    if (text.indexOf(name) < own || (next !== -1 && (next < ready || text.includes("function")))) return true;
  }
  return false;
}

/** The names whose uses `refuseEarlyReads` needs. */
export function earlyNames(body: Body, isLeftOut: (name: string) => boolean): ReadonlySet<string> {
  return new Set([...bindingsOf(body, isLeftOut).keys(), ...ownerNames(body)]);
}

export function refuseEarlyReads(
  edited: MagicString,
  body: Body,
  free: readonly FreeName[],
  isLeftOut: (name: string) => boolean,
): EarlyReads {
  const bindings = bindingsOf(body, isLeftOut);
  if (bindings.size === 0) return NOTHING;
  const taken = new Set<Node>();
  const checked = new Set<string>();
  const callers = createCallers(body, free);
  for (const each of free) {
    const { node, name, within, isShorthand } = each;
    const binding = bindings.get(name);
    if (binding === undefined || isInside(node, binding.inside)) continue;
    const before = isShorthand ? `${name}: ` : "";
    if (within === undefined) {
      if (node.start > readyFor(binding, node)) continue;
      edited.overwrite(node.start, node.end, `${before}${EARLY}${name}`);
      taken.add(node);
    } else if (each.writer === undefined && binding.canBeChecked && callers.mayRunEarly(within, binding.ready)) {
      const check = `(${flagOf(name)} ? ${name} : ${EARLY}${name})`;
      edited.overwrite(node.start, node.end, `${before}${mayJoin(edited.original, node.start) ? SAME : ""}${check}`);
      checked.add(name);
    }
  }
  return { taken, checked };
}

/** A bracket at the beginning of a line would continue the line before as a call, if that line has no semicolon. */
function mayJoin(text: string, start: number): boolean {
  return /(?:^|[\n/])[ \t]*$/.test(text.slice(Math.max(0, start - 200), start));
}

export function flagOf(name: string): string {
  return `__agentq$is_${name}`;
}

function bindingsOf(body: Body, isLeftOut: (name: string) => boolean): ReadonlyMap<string, Binding> {
  const bindings = new Map<string, Binding>();
  for (const statement of body) {
    const node = declarationIn(statement);
    if (node.type === "ClassDeclaration" && node.id !== null) {
      bindings.set(node.id.name, { start: node.start, ready: node.end, inside: node, canBeChecked: true });
    }
    if (node.type !== "VariableDeclaration" || node.kind === "var") continue;
    const canBeChecked = !/using$/.test(node.kind);
    for (const { id: pattern, start, end: ready } of node.declarations) {
      for (const name of patternNames(pattern)) {
        const last = elementEnd(pattern, name);
        const element = last === undefined ? {} : { element: { pattern, end: last } };
        if (!isLeftOut(name)) bindings.set(name, { start, ready, canBeChecked, ...element });
      }
    }
  }
  return bindings;
}

/** The end of the element of a pattern that gives the name its value, with its default. */
function elementEnd(pattern: Node, name: string): number | undefined {
  if (pattern.type !== "ObjectPattern" && pattern.type !== "ArrayPattern") return undefined;
  const items: readonly (Node | null)[] = pattern.type === "ObjectPattern" ? pattern.properties : pattern.elements;
  for (const item of items) {
    if (item === null) continue;
    const value = item.type === "Property" ? item.value : item;
    if (!patternNames(value).includes(name)) continue;
    const inner = value.type === "AssignmentPattern" ? value.left : value;
    // The default of a nested pattern is evaluated before the pattern's own elements.
    return inner.type === "Identifier" ? value.end : elementEnd(inner, name);
  }
  return undefined;
}

function readyFor({ ready, element }: Binding, node: Node): number {
  return element !== undefined && isInside(node, element.pattern) ? element.end : ready;
}
