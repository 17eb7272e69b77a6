/** What files export and no other file of the workspace uses. */
import { fileTextNow } from "../files/file-text.ts";
import { fileExports, type FileExport } from "./file-exports.ts";
import type { Declaration } from "../names/tree/declaration.ts";
import { doubtUnread } from "../xref/references/unread-mentions.ts";
import { findReferences } from "../xref/references/references.ts";
import type { View } from "../view.ts";
import { forEachYielding, mapLimited } from "../yielding.ts";

export interface UnusedExport extends Pick<FileExport, "name" | "kind" | "declared"> {
  readonly file: string;
  /** Counted from 0. */
  readonly line: number;
  readonly usedBy: "nobody" | "tests";
}

const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

interface Asked {
  readonly exported: FileExport;
  readonly declaration: Declaration;
}

/** The unused exports of the files, in their order, with the number of all exports that were looked at. */
export async function unusedExports(
  view: View,
  files: readonly string[],
): Promise<{ readonly unused: readonly UnusedExport[]; readonly all: number }> {
  const exported = (await mapLimited(files, (file) => exportsIn(view, file), view.signal)).flat();
  const spelt = await filesSpelling(view, new Set(exported.map(({ declaration }) => declaration.name)));
  const found = await mapLimited(exported, (asked) => judged(view, asked, spelt), view.signal);
  const unused = found.filter((each) => each !== undefined);
  await doubtUnread(
    view,
    unused.map(({ name, declared = name }) => declared),
  );
  return { unused, all: exported.length };
}

async function exportsIn(view: View, file: string): Promise<Asked[]> {
  if (view.paths.isTest(file)) return [];
  const { own } = await fileExports(view, file, false);
  const { declarations } = await view.outline(file);
  return own.flatMap((exported) => {
    const names = [exported.declared, exported.name];
    const declaration = declarations.find(({ path, local }) => !local && names.includes(path));
    return declaration === undefined ? [] : [{ exported, declaration }];
  });
}

/** By name, the own files whose text has the name as a word. */
async function filesSpelling(
  view: View,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map([...names].map((name) => [name, new Set<string>()]));
  const visit = (file: string): void => {
    for (const [word] of fileTextNow(view, file)?.matchAll(WORD) ?? []) found.get(word)?.add(file);
  };
  await forEachYielding(view.ownFiles(), visit, view.signal);
  return found;
}

/** Undefined for what code elsewhere uses. A name that no other text spells costs the compiler no question. */
async function judged(
  view: View,
  { exported, declaration }: Asked,
  spelt: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<UnusedExport | undefined> {
  const { file, name, at } = declaration;
  const isSpelt = exported.name !== name || [...(spelt.get(name) ?? [])].some((each) => each !== file);
  const references = isSpelt ? await findReferences(view, declaration) : [];
  const users = new Set(references.map((each) => each.file).filter((each) => each !== file));
  if ([...users].some((each) => !view.paths.isTest(each))) return undefined;
  const { kind, declared } = exported;
  return { name: exported.name, kind, declared, file, line: at.line, usedBy: users.size === 0 ? "nobody" : "tests" };
}
