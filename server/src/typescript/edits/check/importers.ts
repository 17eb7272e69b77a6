/** Which files of the project import some others, directly or through files that pass them on. */
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

/** Nearest first, without the files themselves. At most `limit` importers, even when there are more. */
export async function importersOf(view: View, files: readonly string[], limit: number): Promise<string[]> {
  const found = new Set<string>();
  const seen = new Set(files);
  for (let level = files; level.length > 0 && found.size < limit;) {
    const wanted = new Set(level);
    const naming = await view.state.specifiers.naming(view, level);
    const candidates = naming.filter((file) => !seen.has(file));
    const imports = await mapLimited(candidates, (file) => importsOneOf(view, file, wanted), view.signal);
    level = candidates.filter((_file, index) => imports[index]);
    for (const file of level) {
      seen.add(file);
      found.add(file);
    }
  }
  return [...found];
}

async function importsOneOf(view: View, file: string, wanted: ReadonlySet<string>): Promise<boolean> {
  const found = await view.source(file);
  if (found === undefined || found.source.imports.length === 0) return false;
  const symbols = await found.program.project.checker.getSymbolAtLocation([...found.source.imports]);
  const names = new Set([...wanted].map((each) => each.toLowerCase()));
  return symbols.some((symbol) => symbol?.declarations.some(({ path }) => names.has(path.toLowerCase())) === true);
}
