/** Which modules pass a symbol on by `export *`, which names nothing and so is no mention of it. */
import { exportedDeclarations } from "../names/tree/checker-lookup.ts";
import { TextFacts } from "../files/file-text.ts";
import type { DeclarationDetail } from "../names/tree/inspect-declaration.ts";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import { perSnapshot } from "../per-snapshot.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

interface PassedOn {
  readonly file: string;
  readonly name: string;
}

const STAR = /^\s*export\s*\*\s*from/m;

const hasStar = new TextFacts((text) => STAR.test(text));

const modulesWithStar = perSnapshot(async (view): Promise<readonly string[]> => {
  const files = view.ownFiles();
  const stars = await hasStar.ofAll(view, files);
  return files.filter((_file, index) => stars[index]);
});

/** Every module that has an `export *` is asked whether it has the symbol. */
export async function starExports(
  view: View,
  { file, path }: SymbolTarget,
  details: readonly DeclarationDetail[],
): Promise<readonly PassedOn[]> {
  if (details[0]?.modifiers.includes("export") !== true) return [];
  const found = await mapLimited(
    (await modulesWithStar(view)).filter((each) => each !== file),
    async (module) => {
      const exported = await exportedDeclarations(view, module, path);
      return exported.some((each) => each.file === file && each.path === path) ? [{ file: module, name: path }] : [];
    },
    view.signal,
  );
  return found.flat();
}
