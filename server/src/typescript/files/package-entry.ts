/** From `package/subpath` to the file of the loaded programs it stands for, as an import of it would find it. */
import { dirname, join, sep } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { exportTargets } from "./package-exports.ts";
import type { View } from "../view.ts";

/** In the order in which they are tried behind a path without one, or with the one that JavaScript has. */
const SOURCES = ["", ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"];

export interface PackageFile {
  readonly home: string;
  readonly name: string;
  readonly exports: unknown;
}

/** Undefined for what is no `package.json`. */
export function readPackage(file: string): PackageFile | undefined {
  try {
    const { name, exports } = JSON.parse(readRegularTextSync(file, { lossy: true })) as {
      name?: unknown;
      exports?: unknown;
    };
    return { home: dirname(file), name: typeof name === "string" ? name : "", exports };
  } catch {
    return undefined;
  }
}

/** `subpath` without the package's name: `text`, `shapes/circle`. */
export function packageEntry(view: View, { home, exports }: PackageFile, subpath: string): string | undefined {
  const targets = exportTargets(exports, `./${subpath}`);
  // Without `exports`, or when the writer means a file inside, the path is taken from the package's folder.
  for (const target of [...targets, subpath]) {
    const found = sourceOf(view, join(home, target));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The file itself, the source it was built from, or the source it would be built from. */
function sourceOf(view: View, path: string): string | undefined {
  for (const candidate of [path, ...unbuilt(view, path)]) {
    const stem = candidate.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, "");
    const kind = /\.([cm]?)[jt]sx?$/.exec(candidate)?.[1] ?? "";
    const ends = [...SOURCES.filter((end) => end.includes(`.${kind}`)), ...SOURCES];
    for (const name of [
      candidate,
      ...ends.map((end) => stem + end),
      ...SOURCES.map((end) => join(path, `index${end}`)),
    ]) {
      const file = view.fileNamed(name);
      if (file !== undefined) return view.state.built.get(file) ?? file;
    }
  }
  return undefined;
}

/** For a path in a project's output folder, the paths that its source may have. */
function unbuilt(view: View, path: string): string[] {
  return view.programs.flatMap(({ configFile, project }) => {
    const { outDir, declarationDir, rootDir = dirname(configFile ?? path) } = project.compilerOptions;
    return [outDir, declarationDir].flatMap((output) =>
      output !== undefined && path.startsWith(output + sep) ? [rootDir + path.slice(output.length)] : [],
    );
  });
}
