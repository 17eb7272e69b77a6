/** Puts a form that was installed in a running module into a text of the module, for a compiler. */
import MagicString from "magic-string";
import { mergeForms } from "./module-merge.ts";
import type { ModuleFormat } from "../modules/module-format.ts";
import { moduleOutline } from "../source/module-outline.ts";
import { NAMELESS, type ModuleOutline, type OutlineStatement } from "../source/outline-types.ts";

export interface RunningMerge {
  readonly text: string;
  /** Names that the form left in the module and that the text does not show. */
  readonly unseen: readonly string[];
}

/** Undefined when the form cannot be put into the text. */
export function mergeRunning(
  path: string,
  source: string,
  format: ModuleFormat,
  form: string,
): RunningMerge | undefined {
  const before = moduleOutline(path, source);
  const after = moduleOutline(path, form);
  if (before === undefined || after === undefined) return undefined;
  const declarations = new MagicString(form);
  if (format === "module") withoutNewExports(declarations, before, after, form);
  for (const { start, end } of after.statements) declarations.remove(start, end);
  const merged = mergeForms(path, source, [declarations.toString()]);
  if ("reason" in merged) return undefined;
  const isWritten = ({ target = "" }: OutlineStatement): boolean =>
    format === "commonjs" && /\.c?js$/.test(path) && /^(?:module\.)?exports(?:\.[^.[]+)?$/.test(target);
  const written = after.statements.filter(isWritten);
  return {
    text: written.length === 0 ? merged.text : mergeExports(path, merged.text, form, written),
    unseen: after.statements.filter((each) => !isWritten(each)).flatMap(({ target = "" }) => memberOf(target) ?? []),
  };
}

/**
 * Removes `export` from new exports: a running ES module cannot get them, so the names exist only inside of the module.
 */
function withoutNewExports(edited: MagicString, before: ModuleOutline, after: ModuleOutline, form: string): void {
  for (const { name, kind, start, end, exported } of after.declarations) {
    if (!exported || kind === "interface" || kind === "type") continue;
    const [keyword = "", byDefault] = /^export\s+(default\s+)?/.exec(form.slice(start, end)) ?? [];
    if (before.exports.has(byDefault === undefined ? name : "default")) continue;
    edited.remove(start, name === NAMELESS ? end : start + keyword.length);
  }
  if (after.reexports.length === 0) return;
  for (const { index, 0: text } of form.matchAll(/^[ \t]*export\b[^;{]*(?:\{[^}]*\})?\s*from\s*(["']).*?\1;?/gm)) {
    edited.remove(index, index + text.length);
  }
}

/** In JavaScript `exports.total = …` is a declaration: the form's assignment replaces the one in the text. */
function mergeExports(path: string, text: string, form: string, written: readonly OutlineStatement[]): string {
  const edited = new MagicString(text);
  const there = moduleOutline(path, text)?.statements ?? [];
  for (const [target, { start, end }] of new Map(written.map((each) => [each.target, each]))) {
    const [last] = there.filter((each) => each.target === target).slice(-1);
    const assignment = form.slice(start, end);
    if (last === undefined) edited.append(`\n${assignment}`);
    else edited.overwrite(last.start, last.end, assignment);
  }
  return edited.toString();
}

/**
 * The last name of an assigned member. Such a member may be missing from every type, while a name of the module keeps
 * its declared type.
 */
function memberOf(target: string): string | undefined {
  return /(?:\.|\[["'])([\p{ID_Continue}$]+)(?:["']\])?$/u.exec(target)?.[1];
}
