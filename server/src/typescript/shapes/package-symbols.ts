/** What a file, package, namespace or project offers under which names. */
import { SymbolFlags, type Symbol } from "typescript/unstable/async";
import {
  isModuleDeclaration,
  isSourceFile,
  isStringLiteral,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { installedPackage, offeredBy, type InstalledPackage } from "../files/packages/installed-package.ts";
import { nodesOf } from "../names/tree/checker-lookup.ts";
import { inspectDeclaration, type DeclarationDetail } from "../names/tree/inspect-declaration.ts";
import { unlistedExports } from "./assigned-exports.ts";
import { internalNames } from "./file-exports.ts";
import { exportDetail, exportsOf, type ExportDetail, type ExportedName } from "./module-exports.ts";
import { moduleScope } from "../names/tree/module-scope.ts";
import type { Declaration } from "../names/tree/declaration.ts";
import { withOutsideFile } from "../session/outside-file.ts";
import { packageEntry, readPackage } from "../files/packages/package-entry.ts";
import { exportTargets } from "../files/packages/package-exports.ts";
import { resolveSymbol, type Resolution } from "../names/resolve-symbol.ts";
import type { TypeContext } from "./type-text.ts";
import type { ProgramView, View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

/** One module or namespace. */
export interface ModuleSymbols {
  readonly kind: "module";
  /** `kit/files`, `src/index.ts`, `namespace src/index.ts#Tools`. */
  readonly title: string;
  readonly file: string;
  /** By kind, then by name. Those in the window that was asked for have their details. */
  readonly exports: readonly (ExportedName & { readonly detail: ExportDetail | undefined })[];
  /** What it declares and does not export; empty unless asked for. */
  readonly internal: readonly Declaration[];
  readonly installed: InstalledPackage | undefined;
  /** Every path that the package offers, as an import names it; empty for what is no package. */
  readonly offered: readonly string[];
  /** False for a package that no loaded project imports. */
  readonly isImported: boolean;
}

export type PackageSymbols =
  | ModuleSymbols
  | { readonly kind: "files"; readonly title: string; readonly files: readonly string[] }
  | { readonly kind: "unresolved"; readonly resolution: Resolution }
  | { readonly kind: "nothing"; readonly reason: string };

export interface PackageOptions {
  /** The exports whose lines are wanted: an entry can have thousands. */
  readonly window: { readonly first: number; readonly count: number };
  readonly includeInternal: boolean;
}

export async function packageSymbols(view: View, name: string, options: PackageOptions): Promise<PackageSymbols> {
  const wanted = name.trim().replace(/\/$/, "");
  const files = wanted.includes("#") ? undefined : folderFiles(view, wanted);
  if (files !== undefined) return { kind: "files", title: wanted, files };
  const own = wanted.includes("#") ? undefined : ownPackageEntry(view, wanted);
  if (own !== undefined) return { ...(await ofFile(view, own.entry, wanted, options)), offered: own.offered };
  const installed = wanted.includes("#") ? undefined : await installedPackage(view, wanted);
  if (installed !== undefined) return ofInstalled(view, wanted, installed, options);
  const scope = wanted.includes("#") ? undefined : moduleScope(view, wanted);
  const [file] = scope?.files ?? [];
  if (scope?.kind === "ambient" && file !== undefined) {
    return ofAmbient(view, { file, name: scope.ambientName ?? wanted, title: wanted }, options);
  }
  if (scope?.kind === "file" && scope.files.length === 1 && file !== undefined) {
    return ofFile(view, file, view.paths.show(file), options);
  }
  if (scope !== undefined) return { kind: "files", title: wanted, files: scope.files };
  return ofNamespace(view, wanted, options);
}

/** The own files of a tsconfig or folder; a folder's `index` file is asked for by its own name. */
function folderFiles(view: View, name: string): string[] | undefined {
  const program = view.programs.find((each) => each.name === name);
  if (program !== undefined) return [...program.own].toSorted();
  const homes = view.paths.candidates(name === "." ? "" : name).map((folder) => `${folder.replace(/[/\\]$/, "")}/`);
  const files = view.ownFiles().filter((file) => homes.some((home) => file.startsWith(home)));
  return files.length > 0 ? files : undefined;
}

/** Folders and packages of the workspace that end with the name. */
export function placesCalled(view: View, name: string): string[] {
  const wanted = `/${name.replace(/^\.?\/|\/$/g, "")}`;
  const folders = view.ownFiles().flatMap((file) => {
    const shown = `/${view.paths.show(file)}`;
    const at = shown.indexOf(`${wanted}/`);
    return at === -1 ? [] : [shown.slice(1, at + wanted.length)];
  });
  const packages = view.state.packageFiles.flatMap((file) => readPackage(file)?.name ?? []);
  return [...new Set(folders), ...packages.filter((each) => each.endsWith(wanted))];
}

interface OwnPackage {
  readonly entry: string;
  readonly offered: readonly string[];
}

/** The file that an import of a package of this workspace finds. */
function ownPackageEntry(view: View, name: string): OwnPackage | undefined {
  const packages = view.state.packageFiles.map(readPackage).filter((each) => each !== undefined);
  const found = packages.find((each) => each.name !== "" && (name === each.name || name.startsWith(`${each.name}/`)));
  if (found === undefined) return undefined;
  const subpath = name.slice(found.name.length + 1);
  const offered = offeredBy(found.name, found.exports);
  if (subpath !== "") {
    const entry = packageEntry(view, found, subpath);
    return entry === undefined ? undefined : { entry, offered };
  }
  const targets = [...exportTargets(found.exports, "."), "index", "src/index"];
  for (const target of targets) {
    const entry = packageEntry(view, { ...found, exports: undefined }, target);
    if (entry !== undefined) return { entry, offered };
  }
  return undefined;
}

async function ofInstalled(
  view: View,
  title: string,
  installed: InstalledPackage,
  options: PackageOptions,
): Promise<PackageSymbols> {
  const { entry, name, offered } = installed;
  if (entry === undefined) {
    const others = offered.length === 0 ? "" : ` It offers ${offered.join(", ")}.`;
    const what = title === name ? `The package ${name} has no entry` : `The package ${name} does not offer ${title}`;
    return { kind: "nothing", reason: `${what} that the compiler could read.${others}` };
  }
  const known = view.fileNamed(entry);
  if (known !== undefined) return { ...(await ofFile(view, known, title, options)), installed, offered };
  return withOutsideFile(view, entry, async (program) => {
    const source = await program?.project.program.getSourceFile(entry);
    if (program === undefined || source === undefined) {
      return { kind: "nothing", reason: `The compiler could not read ${view.paths.show(entry)}.` };
    }
    return { ...(await ofSource(view, { program, source, title }, options)), installed, offered, isImported: false };
  });
}

async function ofFile(view: View, file: string, title: string, options: PackageOptions): Promise<ModuleSymbols> {
  const found = await view.source(file);
  if (found === undefined) throw new Error(`${file} has left the program`);
  return ofSource(view, { ...found, title }, options);
}

interface ModuleSource {
  readonly program: ProgramView;
  readonly source: SourceFile;
  readonly title: string;
}

async function ofSource(
  view: View,
  { program, source, title }: ModuleSource,
  options: PackageOptions,
): Promise<ModuleSymbols> {
  const context = { view, program, enclosing: source };
  const module = await program.project.checker.getSymbolAtLocation(source);
  return moduleSymbols(context, { module, title, file: source.fileName, inside: "" }, options);
}

/** `node:fs` and the like are declared by name inside another package's files. */
async function ofAmbient(
  view: View,
  { file, name, title }: { readonly file: string; readonly name: string; readonly title: string },
  options: PackageOptions,
): Promise<PackageSymbols> {
  const found = await view.source(file);
  const names = new Set([name, `node:${name}`]);
  const isWanted = (node: Node): boolean =>
    isModuleDeclaration(node) && isStringLiteral(node.name) && names.has(node.name.text);
  const nodes = found?.source.statements.filter((node) => isWanted(node)) ?? [];
  // `declare module "node:fs" { export * from "fs" }` only passes on what the other one declares.
  const [node] = nodes.toSorted((a, b) => b.end - b.pos - (a.end - a.pos));
  if (found === undefined || node === undefined || !isModuleDeclaration(node)) {
    return { kind: "nothing", reason: `No module "${name}" is declared in ${view.paths.show(file)}.` };
  }
  const context = { view, program: found.program, enclosing: found.source };
  const module = await found.program.project.checker.getSymbolAtLocation(node.name);
  return moduleSymbols(context, { module, title, file, inside: `"${name}"` }, options);
}

async function ofNamespace(view: View, name: string, options: PackageOptions): Promise<PackageSymbols> {
  const resolution = await resolveSymbol(view, name);
  if (resolution.kind === "module") return ofFile(view, resolution.file, view.paths.show(resolution.file), options);
  if (resolution.kind !== "found") return { kind: "unresolved", resolution };
  const { target } = resolution;
  const details = await mapLimited(target.declarations, (each) => inspectDeclaration(view, each), view.signal);
  const detail = details.find((each) => each?.kind === "namespace");
  const file = details[0] === undefined ? undefined : await moduleNamed(details[0]);
  if (file !== undefined) return ofFile(view, file, view.paths.show(file), options);
  if (detail === undefined) {
    const kind = details.find((each) => each !== undefined)?.kind ?? target.declarations[0].kind;
    const instead = ["class", "interface", "type", "enum"].includes(kind) ? "class_slots" : "describe_symbol";
    return {
      kind: "nothing",
      reason: `${target.address} is ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}, not a file, package or namespace. Ask ${instead} about it.`,
    };
  }
  const context = { view, program: detail.program, enclosing: detail.source };
  const module = await detail.program.project.checker.getSymbolAtLocation(detail.nameNode);
  const title = `namespace ${target.address}`;
  return moduleSymbols(context, { module, title, file: target.file, inside: target.path }, options);
}

/** The file that `import * as name` and `export * as name` stand for. */
async function moduleNamed({ kind, nameNode, program }: DeclarationDetail): Promise<string | undefined> {
  const { checker } = program.project;
  const symbol = kind === "alias" || kind === "import" ? await checker.getSymbolAtLocation(nameNode) : undefined;
  if (symbol === undefined || (symbol.flags & SymbolFlags.Alias) === 0) return undefined;
  const [node] = await nodesOf(program, await checker.getAliasedSymbol(symbol));
  return node !== undefined && isSourceFile(node) ? node.fileName : undefined;
}

interface NamedModule {
  readonly module: Symbol | undefined;
  readonly title: string;
  readonly file: string;
  /** The path in front of its declarations' own: "" for a file. */
  readonly inside: string;
}

async function moduleSymbols(
  context: TypeContext,
  { module, title, file, inside }: NamedModule,
  { includeInternal, window: { first, count } }: PackageOptions,
): Promise<ModuleSymbols> {
  const { view } = context;
  const found = module === undefined ? [] : await exportsOf(context, module);
  const missing = inside === "" ? await unlistedExports(context, new Set(found.map(({ name }) => name))) : [];
  if (missing.length > 0) {
    view.doubts.add(`Exported by assignments that the compiler does not follow: ${missing.join(", ")}.`);
  }
  const shown = found.slice(first, first + count);
  const details = await mapLimited(shown, (each) => exportDetail(context, each), view.signal);
  const exports = found.map((each, index) => ({ ...each, detail: details[index - first] }));
  const internal = includeInternal ? await internalNames(context, { file, inside }, found) : [];
  return { kind: "module", title, file, exports, internal, installed: undefined, offered: [], isImported: true };
}
