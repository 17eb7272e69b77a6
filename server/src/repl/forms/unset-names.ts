/**
 * Names whose declaration failed before they had a value: `let x = fails()`. The name exists with the value
 * `undefined`, so that it can be declared again and assigned to, but a read of it must throw with the reason.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import type MagicString from "magic-string";
import type { FreeName } from "../source/free-names.ts";

/** The name, and the form that failed. */
export type UnsetNames = ReadonlyMap<string, string>;

export function refuseUnsetReads(edited: MagicString, free: readonly FreeName[], unset: UnsetNames): void {
  for (const { node, name, isShorthand, writer } of free) {
    const form = unset.get(name);
    if (form === undefined || writer !== undefined || isTypeof(edited.original, node.start)) continue;
    const call = `${inKernel("set")}(${name}, ${JSON.stringify(name)}, ${JSON.stringify(form)})`;
    const check = isConstructed(edited.original, node.start) ? `(${call})` : call;
    edited.overwrite(node.start, node.end, `${isShorthand ? `${name}: ` : ""}${check}`);
  }
}

/**
 * After `new`, only the text before the first bracket is the constructor, so a call as replacement needs brackets
 * around it.
 */
function isConstructed(text: string, start: number): boolean {
  return /\bnew\s+$/.test(text.slice(Math.max(0, start - 40), start));
}

/** `typeof` of such a name does not throw, as for a name that does not exist. */
function isTypeof(text: string, start: number): boolean {
  return /\btypeof[\s(]*$/.test(text.slice(Math.max(0, start - 40), start));
}
