/**
 * Files whose text rules them out where a name is looked for: a name that is in no text is declared nowhere, and the
 * outlines of all files of a large project would cost the compiler many seconds.
 */
import { isAbsolute } from "node:path";
import { spellingFilter } from "../../../base/spelling.ts";
import { fileTextNow, TextFacts } from "../../files/file-text.ts";
import { perSnapshot } from "../../per-snapshot.ts";
import { isMadeUpName, type TextFilter } from "./name-pattern.ts";
import { LARGE_FILE } from "../tree/outline.ts";
import type { View } from "../../view.ts";
import { forEachYielding } from "../../yielding.ts";

const PLAIN_NAME = /^[\p{ID_Start}$_#][\p{ID_Continue}$]*$/u;
/** Rather too long than too short: what is no name is like no name either. */
const WORD = /[\w$\u0080-\uFFFF]+/g;

/** The files, of these, that may declare `path` or a part of it. */
export function filesMentioning(view: View, files: readonly string[], path: string): Promise<readonly string[]> {
  return filesPassing(view, files, mentionFilter(path));
}

/** The files, of these, that may declare something that is spelled like `path` or like a part of it. */
export function filesSpelling(view: View, files: readonly string[], path: string): Promise<readonly string[]> {
  const mentions = mentionFilter(path);
  if (mentions === undefined) return Promise.resolve(files);
  const isNear = [path, ...path.split(".")].map((name) => spellingFilter(name));
  const verdicts = new Map<string, boolean>();
  const hasNear = (text: string): boolean => {
    for (const [word] of text.matchAll(WORD)) {
      const verdict = verdicts.get(word) ?? isNear.some((each) => each(word));
      verdicts.set(word, verdict);
      if (verdict) return true;
    }
    return false;
  };
  return filesPassing(view, files, (text) => mentions(text) || hasNear(text));
}

const EXPORTED_WHOLE = /\bexport\s*(?:type\s*)?\*\s*as\s+([\p{ID_Continue}$]+)/gu;
const exportedWhole = new TextFacts((text) => [...text.matchAll(EXPORTED_WHOLE)].map(([, name = ""]) => name));

const wholeModules = perSnapshot(async (view): Promise<ReadonlyMap<string, readonly string[]>> => {
  const files = view.ownFiles();
  const names = await exportedWhole.ofAll(view, files);
  const named = files.flatMap((file, index) => (names[index] ?? []).map((name) => ({ name, file })));
  const byName = Map.groupBy(named, ({ name }) => name);
  return new Map([...byName].map(([name, all]) => [name, [...new Set(all.map(({ file }) => file))]]));
});

/** The own files that export a whole module by that name: `export * as name from "./module.ts"`. */
export async function filesExportingWhole(view: View, name: string): Promise<readonly string[]> {
  return (await wholeModules(view)).get(name) ?? [];
}

/** Undefined when no text can be ruled out: quoted names are written in many ways, and some are made up. */
function mentionFilter(path: string): TextFilter | undefined {
  const names = path.split(".");
  if (!names.every((name) => PLAIN_NAME.test(name) && !isMadeUpName(name))) return undefined;
  // An escape may spell any name.
  return (text) => text.includes("\\u") || names.some((name) => text.includes(name));
}

async function filesPassing(
  view: View,
  files: readonly string[],
  filter: TextFilter | undefined,
): Promise<readonly string[]> {
  if (filter === undefined) return files;
  const passing: string[] = [];
  const visit = (file: string): void => {
    const text = isAbsolute(file) ? fileTextNow(view, file) : undefined;
    // What a very large file or one of the compiler's own declares is for its outline to say.
    if (text === undefined || text.length > LARGE_FILE || filter(text)) passing.push(file);
  };
  await forEachYielding(files, visit, view.signal);
  return passing;
}
