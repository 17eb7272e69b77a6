/** What the part before the `#`, or the parameter `package`, stands for: the files it covers. */
import { basename, sep } from "node:path";
import { packageEntry, readPackage } from "../../files/packages/package-entry.ts";
import { withoutLine } from "../line-address.ts";
import type { View } from "../../view.ts";

export interface ModuleScope {
  readonly kind: "file" | "folder" | "package" | "ambient" | "project";
  readonly files: readonly string[];
  /** For `ambient`: the quoted name of the module declarations to look into. */
  readonly ambientName?: string;
}

const EXTENSIONS = ["", ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs"];

/** Undefined when nothing in the loaded projects goes by that name. */
export function moduleScope(view: View, name: string): ModuleScope | undefined {
  const wanted = withoutLine(name.trim().replace(/\/$/, ""));
  return (
    projectScope(view, wanted) ??
    fileScope(view, wanted) ??
    ownPackageScope(view, wanted) ??
    folderScope(view, wanted) ??
    fileEnding(view, wanted) ??
    packageScope(view, wanted)
  );
}

/** The same for a question about all of a folder: its `index.ts` is only what an import of the folder means. */
export function folderOrModule(view: View, name: string): ModuleScope | undefined {
  const scope = moduleScope(view, name);
  if (scope?.kind !== "file" || scope.files.some((file) => !/^index\./.test(basename(file)))) return scope;
  return folderScope(view, withoutLine(name.trim().replace(/\/$/, ""))) ?? scope;
}

function projectScope(view: View, name: string): ModuleScope | undefined {
  const program = view.programs.find((candidate) => candidate.name === name || candidate.configFile === name);
  if (program === undefined) return undefined;
  return { kind: "project", files: program.own };
}

function filePath(name: string): string {
  return name.startsWith("file:") ? decodeURIComponent(new URL(name).pathname) : name;
}

function fileScope(view: View, name: string): ModuleScope | undefined {
  const path = filePath(name);
  for (const candidate of view.paths.candidates(path)) {
    for (const file of withExtensions(candidate)) {
      const known = view.fileNamed(file);
      if (known !== undefined) return { kind: "file", files: [known] };
    }
  }
  return undefined;
}

/** `money.ts` for `src/deep/money.ts`, as long as no file or folder is called that in full. */
function fileEnding(view: View, name: string): ModuleScope | undefined {
  const path = filePath(name);
  const suffixes = withExtensions(path.split("/").join(sep).normalize()).map((ending) => sep + ending);
  const own = view.ownFiles().filter((file) => suffixes.some((suffix) => file.normalize().endsWith(suffix)));
  if (own.length > 0) return { kind: "file", files: own };
  const external = path.includes("node_modules/") || path.startsWith("lib.") ? view.externalFiles() : [];
  const found = external.filter((file) => suffixes.some((suffix) => file.endsWith(suffix)));
  return found.length > 0 ? { kind: "file", files: found } : undefined;
}

/** `a.js` in an address means the `a.ts` it was written as. */
function withExtensions(path: string): string[] {
  const written = path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  const names = EXTENSIONS.map((extension) => path + extension);
  return written === path
    ? [...names, ...EXTENSIONS.slice(1).map((end) => `${path}${sep}index${end}`)]
    : [path, written];
}

function packageScope(view: View, name: string): ModuleScope | undefined {
  const bare = name.replace(/^node:/, "");
  const homes = [name, `@types/${bare.replace(/^@/, "").replace("/", "__")}`].map(
    (folder) => `${sep}node_modules${sep}${folder.split("/").join(sep)}${sep}`,
  );
  const installed = view.externalFiles().filter((file) => homes.some((home) => file.includes(home)));
  if (installed.length > 0) return { kind: "package", files: outermostCopy(installed) };
  const entry = installedEntry(view, name);
  if (entry !== undefined) return { kind: "file", files: [entry] };
  const nodeTypes = view.externalFiles().filter((file) => file.includes(`${sep}@types${sep}node${sep}`));
  const declares = nodeTypes.filter((file) => file.endsWith(`${sep}${bare.split("/").join(sep)}.d.ts`));
  return declares.length > 0 ? { kind: "ambient", files: declares, ambientName: bare } : undefined;
}

/** A package of the workspace, or what a path behind its name stands for. */
function ownPackageScope(view: View, name: string): ModuleScope | undefined {
  const packages = view.state.packageFiles.map(readPackage).filter((each) => each !== undefined);
  const [named] = packages
    .filter((each) => each.name !== "" && (name === each.name || name.startsWith(`${each.name}/`)))
    .toSorted((a, b) => b.name.length - a.name.length);
  if (named === undefined) return undefined;
  if (named.name === name) {
    // Several folders may claim one name; all of them are meant.
    const homes = packages.filter((each) => each.name === name).map(({ home }) => home + sep);
    const files = view.ownFiles().filter((file) => homes.some((home) => file.startsWith(home)));
    return { kind: "package", files };
  }
  const entry = packageEntry(view, named, name.slice(named.name.length + 1));
  return entry === undefined ? undefined : { kind: "file", files: [entry] };
}

/** `package/subpath` of an installed package. */
function installedEntry(view: View, name: string): string | undefined {
  const parts = name.split("/");
  const length = name.startsWith("@") ? 2 : 1;
  if (parts.length <= length) return undefined;
  const folder = `${sep}node_modules${sep}${parts.slice(0, length).join(sep)}`;
  const homes = view.externalFiles().flatMap((file) => {
    const at = file.lastIndexOf(folder + sep);
    return at < 0 ? [] : [file.slice(0, at + folder.length)];
  });
  for (const home of outermostCopy([...new Set(homes)])) {
    const found = readPackage(`${home}${sep}package.json`);
    const entry = found === undefined ? undefined : packageEntry(view, found, parts.slice(length).join("/"));
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** The copy nearest to the workspace's own root, where a package is installed several times. */
function outermostCopy(files: readonly string[]): string[] {
  const depth = (file: string): number => file.split(`${sep}node_modules${sep}`).length;
  const least = Math.min(...files.map(depth));
  return files.filter((file) => depth(file) === least);
}

function folderScope(view: View, name: string): ModuleScope | undefined {
  const homes = view.paths.candidates(name).map((folder) => folder + sep);
  const files = view.ownFiles().filter((file) => homes.some((home) => file.startsWith(home)));
  return files.length > 0 ? { kind: "folder", files } : undefined;
}
