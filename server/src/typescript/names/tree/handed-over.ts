/**
 * Functions that are assigned to a member which is declared elsewhere, as in `window.onload = () => {…}`. The compiler's
 * outline has them as functions called `onload`; the member has its one address where it is declared. Here they are what
 * stands on their lines, by the words of the assignment.
 */
import type { Declaration } from "./declaration.ts";
import { lineStarts } from "../../../base/line-breaks.ts";

const LOOKED_AT = 300;
const MEMBER =
  /((?:[\p{ID_Start}$_][\p{ID_Continue}$]*\.)*)(?:#?[\p{ID_Continue}$]+|\[[^[\]]*\])\s*(?:[|&?]{2})?=\s*\(*$/u;

/** With such functions marked; what is declared inside of them is addressed without their names. */
export function withHandedOver(declarations: readonly Declaration[], text: string): readonly Declaration[] {
  if (!/[.\]]\s*[\w$]*\s*(?:[|&?]{2})?=[^=>]/.test(text)) return declarations;
  const starts = lineStarts(text);
  const marked = new Map<Declaration, Declaration>();
  for (const each of declarations) {
    const offset = (starts[each.at.line] ?? 0) + each.at.character;
    const receiver = each.kind === "function" ? receiverOf(text, offset, each.name) : undefined;
    if (receiver === undefined) continue;
    const outer = each.path.slice(0, -each.name.length);
    marked.set(each, { ...each, path: `${outer}${receiver}${each.name}`, isHandedOver: true });
  }
  if (marked.size === 0) return declarations;
  return declarations.map((each) => marked.get(each) ?? { ...each, path: pathWithout([...marked.keys()], each) });
}

/** `window.` of a value that begins there and is assigned to a member of window; undefined for any other. */
function receiverOf(text: string, offset: number, name: string): string | undefined {
  const isNamed = text.startsWith(name, offset) && !/[\p{ID_Continue}$]/u.test(text.charAt(offset + name.length));
  if (isNamed) return undefined;
  const [whole, receiver = ""] = MEMBER.exec(text.slice(Math.max(0, offset - LOOKED_AT), offset)) ?? [];
  if (whole === undefined || (receiver === "" && !whole.startsWith("["))) return undefined;
  return receiver.startsWith("this.") ? "" : receiver;
}

function pathWithout(outers: readonly Declaration[], { path, at }: Declaration): string {
  let shorter = path;
  for (const outer of outers) {
    const { start, end } = outer.range;
    const isInside = at.line >= start.line && at.line <= end.line && shorter.startsWith(`${outer.path}.`);
    if (isInside) shorter = outer.path.slice(0, -outer.name.length) + shorter.slice(outer.path.length + 1);
  }
  return shorter;
}
