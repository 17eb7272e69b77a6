/**
 * Names whose declaration failed before the name had a value: `let x = fails()`. Such a name exists, as `undefined`, so
 * that it can be declared again and assigned to; but a read of the name must fail with the reason.
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

/** `new` takes what comes before the first bracket. */
function isConstructed(text: string, start: number): boolean {
  return /\bnew\s+$/.test(text.slice(Math.max(0, start - 40), start));
}

/** As with a name that is not there at all. */
function isTypeof(text: string, start: number): boolean {
  return /\btypeof[\s(]*$/.test(text.slice(Math.max(0, start - 40), start));
}
