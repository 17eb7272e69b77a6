/** From `package/subpath` to the file of the loaded programs it stands for, as an import of it would find it. */
import { dirname, join } from "node:path";
import { likelySources, outputsOf } from "./built-declarations.ts";
import { readRegularTextSync } from "../../../workspace/regular-file.ts";
import { exportTargets } from "./package-exports.ts";
import type { View } from "../../view.ts";

/** In the order in which they are tried behind a path without one, or with the one that JavaScript has. */
const SOURCES = ["", ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"];

export interface PackageFile {
  readonly home: string;
  readonly name: string;
  readonly exports: unknown;
  /** What older packages have in place of `exports`: files that stand for the whole package, best first. */
  readonly mains: readonly string[];
  readonly typesVersions: unknown;
}

/** Undefined for what is no `package.json`. */
export function readPackage(file: string): PackageFile | undefined {
  try {
    const { name, exports, types, typings, module, main, typesVersions } = JSON.parse(
      readRegularTextSync(file, { lossy: true }),
    ) as Readonly<Record<string, unknown>>;
    const mains = [types, typings, module, main, "index"].filter((each) => typeof each === "string");
    return { home: dirname(file), name: typeof name === "string" ? name : "", exports, mains, typesVersions };
  } catch {
    return undefined;
  }
}

/** `subpath` without the package's name: `text`, `shapes/circle`; "" for the package as a whole. */
export function packageEntry(view: View, pack: PackageFile, subpath: string): string | undefined {
  const { home, exports, mains } = pack;
  const targets = [
    ...exportTargets(exports, subpath === "" ? "." : `./${subpath}`),
    ...versionTargets(pack, subpath),
    // Without `exports`, or when the writer means a file inside, the path is taken from the package's folder.
    ...(subpath === "" ? mains : [subpath]),
  ];
  for (const target of targets) {
    const found = sourceOf(view, join(home, target));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where `typesVersions` lead, of whatever version of the compiler. */
function versionTargets({ typesVersions }: PackageFile, subpath: string): string[] {
  if (typeof typesVersions !== "object" || typesVersions === null) return [];
  return Object.values(typesVersions).flatMap((paths: unknown) => {
    const entries = Object.entries((paths ?? {}) as Readonly<Record<string, unknown>>);
    return exportTargets(
      Object.fromEntries(entries.map(([key, targets]) => [`./${key}`, relativeOf(targets)])),
      `./${subpath === "" ? "index" : subpath}`,
    );
  });
}

function relativeOf(targets: unknown): string[] {
  const all: readonly unknown[] = Array.isArray(targets) ? targets : [];
  return all.flatMap((each) => (typeof each === "string" ? [each.startsWith("./") ? each : `./${each}`] : []));
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
  return likelySources(
    path,
    view.programs.flatMap(({ project }) => outputsOf(project)),
  );
}
