/** Which files of the project import some others, directly or through files that pass them on. */
import { basename, dirname } from "node:path";
import { fileTextNow } from "../files/file-text.ts";
import type { View } from "../view.ts";
import { forEachYielding, mapLimited } from "../yielding.ts";

const SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'`]([^"'`\n]+)["'`]/g;

/** Nearest first, without the files themselves. At most `limit` importers, even when there are more. */
export async function importersOf(view: View, files: readonly string[], limit: number): Promise<string[]> {
  const stemsOf = await specifierStems(view);
  const found = new Set<string>();
  const seen = new Set(files);
  for (let level = files; level.length > 0 && found.size < limit;) {
    const wanted = new Set(level);
    const stems = new Set(level.flatMap(stemsNaming));
    const candidates = [...stemsOf].flatMap(([file, own]) =>
      !seen.has(file) && own.some((stem) => stems.has(stem)) ? file : [],
    );
    const imports = await mapLimited(candidates, (file) => importsOneOf(view, file, wanted), view.signal);
    level = candidates.filter((_file, index) => imports[index]);
    for (const file of level) {
      seen.add(file);
      found.add(file);
    }
  }
  return [...found];
}

/**
 * For every own file, the last parts of its import paths, without their endings: enough to rule out nearly all files.
 */
async function specifierStems(view: View): Promise<ReadonlyMap<string, readonly string[]>> {
  const stems = new Map<string, readonly string[]>();
  await forEachYielding(
    view.ownFiles(),
    (file) => {
      const own = [...fileTextNow(view, file).matchAll(SPECIFIER)].map(([, name = ""]) => stemOf(name));
      if (own.length > 0) stems.set(file, own);
    },
    view.signal,
  );
  return stems;
}

/** `./money.js`, `../money` and `money` name the file money.ts; its folder, or a package, names an index file. */
function stemsNaming(file: string): string[] {
  const stem = stemOf(file);
  return stem === "index" || stem === "main"
    ? [stem, basename(dirname(file)), basename(dirname(dirname(file))), "", "."]
    : [stem];
}

function stemOf(path: string): string {
  return basename(path).replace(/(?:\.d)?\.[cm]?[jt]sx?$|\.json$/, "");
}

async function importsOneOf(view: View, file: string, wanted: ReadonlySet<string>): Promise<boolean> {
  const found = await view.source(file);
  if (found === undefined || found.source.imports.length === 0) return false;
  const symbols = await found.program.project.checker.getSymbolAtLocation([...found.source.imports]);
  const names = new Set([...wanted].map((each) => each.toLowerCase()));
  return symbols.some((symbol) => symbol?.declarations.some(({ path }) => names.has(path.toLowerCase())) === true);
}
