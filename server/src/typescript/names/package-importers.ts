/** Which own files import the packages of the workspace by name, read from the text alone. */
import { dirname, sep } from "node:path";
import { perSnapshot } from "../per-snapshot.ts";
import type { View } from "../view.ts";
import { TextFacts } from "../files/file-text.ts";
import { readPackage, type PackageFile } from "../files/packages/package-entry.ts";
import { specifiersIn } from "../files/packages/specifiers.ts";

/** A file outside of the package, with the ways in which the file names the package: `@scope/name`, `@scope/name/sub`. */
export interface Importer {
  readonly file: string;
  readonly specifiers: ReadonlySet<string>;
  readonly imported: PackageFile;
}

const bareSpecifiers = new TextFacts((text) => specifiersIn(text).filter((each) => /^[@\w]/.test(each)));

/** By the home of a package, who imports the package. */
export const packageImporters: (view: View) => Promise<ReadonlyMap<string, readonly Importer[]>> = perSnapshot(
  async (view) => {
    const packages = new Map<string, PackageFile>();
    for (const each of view.state.packageFiles) {
      const found = readPackage(each);
      if (found !== undefined && found.name !== "") packages.set(found.name, found);
    }
    if (packages.size === 0) return new Map();
    const files = view.ownFiles();
    const facts = await bareSpecifiers.ofAll(view, files);
    const importers = files.flatMap((file, index) =>
      [...Map.groupBy(new Set(facts[index]), packageNameOf)].flatMap(([name, own]): Importer[] => {
        const imported = packages.get(name);
        const isOutside = imported !== undefined && homeOf(view, file) !== imported.home + sep;
        return isOutside ? [{ file, specifiers: new Set(own), imported }] : [];
      }),
    );
    return Map.groupBy(importers, ({ imported }) => imported.home + sep);
  },
);

/** The folder of the nearest package, with a separator at its end; "" where there is none. */
export function homeOf({ state: { packageFiles } }: View, file: string): string {
  const homes = packageFiles.map((each) => dirname(each) + sep).filter((home) => file.startsWith(home));
  return homes.reduce((nearest, home) => (home.length > nearest.length ? home : nearest), "");
}

/** `@scope/name` of `@scope/name/sub/path`. */
function packageNameOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
