/** From an address to the declarations it names, to its candidates, or to the nearest spellings. */
import { isImportSpecifier, isNamespaceImport } from "typescript/unstable/ast";
import { SymbolFlags } from "typescript/unstable/async";
import type { SymbolTarget, Declaration } from "./tree/declaration.ts";
import { formatAddress, parseAddress, type Address } from "./address.ts";
import { assignedName } from "./javascript/assigned-names.ts";
import { exportedMembers } from "./tree/assigned-outline.ts";
import {
  declarationsOfSymbol,
  exportedDeclarations,
  globalDeclarations,
  membersOfDeclared,
} from "./tree/checker-lookup.ts";
import { handedOn, handedOnModule, isRequired } from "./javascript/commonjs-exports.ts";
import { externalNames, isLibFile } from "./index/external-names.ts";
import { filesMentioning } from "./index/files-by-text.ts";
import { inspectDeclaration, isAliasDeclaration, type DeclarationDetail } from "./tree/inspect-declaration.ts";
import { literalMembers } from "./tree/literal-members.ts";
import { alsoDeclared, mergedElsewhere } from "./tree/merged-declarations.ts";
import { declaredBeside, declaredOn, lineAddress, type LineAddress } from "./line-address.ts";
import { likelyFirst } from "./index/likely-first.ts";
import { moduleScope, type ModuleScope } from "./tree/module-scope.ts";
import { declaredByNameAt, declarationsOfUse, usedName, type UsedName } from "./used-name.ts";
import { unknownModule, unknownName, type UnknownName } from "./unknown-names.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

export type Resolution =
  | { readonly kind: "found"; readonly target: SymbolTarget }
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "ambiguous"; readonly candidates: readonly SymbolTarget[] }
  | UnknownName;

const WORKSPACE_SYMBOL_LIMIT = 256;
const NEAREST = 5;
/** Of so few files the outlines cost less than another look at their texts. */
const FEW_FILES = 40;
/** Of so many files the exports are asked for, which their outlines do not show. */
const MAX_ASKED = 20;
const SCRIPT = /\.[cm]?jsx?$/;

/** `packageName` narrows a name that carries no module of its own. */
export async function resolveSymbol(view: View, text: string, packageName?: string): Promise<Resolution> {
  const used = usedName(text);
  if (used !== undefined) return whereUsed(view, used);
  const line = lineAddress(text);
  if (line === undefined) return resolveName(view, text, packageName);
  const named = line.mayBeName ? await resolveName(view, text, packageName) : undefined;
  return named !== undefined && named.kind !== "unknown" ? named : onLine(view, line);
}

async function resolveName(view: View, text: string, packageName?: string): Promise<Resolution> {
  const parsed = parseAddress(text);
  const module = parsed.module ?? packageName;
  const scope = module === undefined ? undefined : moduleScope(view, module);
  if (module !== undefined && scope === undefined) {
    const each = withoutBraces(text);
    if (each.length > 1) return oneOfFiles(view, each);
    return (await outerMember(view, parsed, packageName)) ?? unknownModule(view, module);
  }
  if (parsed.path === "") return onlyModule(view, scope, text);
  const targets =
    scope === undefined
      ? await searchEverywhere(view, parsed.path)
      : groupTargets(view, await searchScope(view, scope, parsed.path));
  if (targets.length === 0) return unknownName(view, scope, parsed.path, module);
  const chosen = choose(targets.length > 1 ? await withoutParts(view, targets) : targets, parsed);
  if (chosen.kind === "ambiguous") return { ...chosen, candidates: await likelyFirst(view, chosen.candidates) };
  return chosen.kind === "found" && chosen.target.overload === undefined ? withMerged(view, chosen.target) : chosen;
}

/** `src/{a,b}.ts#x` is how answers write the addresses of several files in one line. */
function withoutBraces(text: string): string[] {
  const [, before = "", names = "", after = ""] = /^([^#{]*)\{([^#{}]+,[^#{}]+)\}([^]*)$/.exec(text) ?? [];
  return names === "" ? [text] : names.split(",").map((name) => `${before}${name.trim()}${after}`);
}

async function oneOfFiles(view: View, addresses: readonly string[]): Promise<Resolution> {
  const all = await mapLimited(addresses, (address) => resolveSymbol(view, address), view.signal);
  const found = all.flatMap((each) => (each.kind === "found" ? [each.target] : []));
  const [target, ...others] = await withoutParts(view, found);
  if (target !== undefined && others.length === 0) return { kind: "found", target };
  const reason = `That stands for ${addresses.length} addresses: ask for one of them.`;
  return { kind: "unknown", reason, nearest: addresses.slice(0, NEAREST) };
}

/** `Outer#member`, as JSDoc writes it, where no module is called Outer. */
async function outerMember(view: View, address: Address, packageName?: string): Promise<Resolution | undefined> {
  const { module: outer, path, overload } = address;
  if (outer === undefined || path === "" || /[/\\@:]/.test(outer)) return undefined;
  const count = overload === undefined ? "" : `#${overload}`;
  const resolution = await resolveSymbol(view, `${outer}.${path}${count}`, packageName);
  if (resolution.kind !== "unknown") return resolution;
  return resolution.nearest.some((name) => `${name}.`.startsWith(`${outer}.`)) ? resolution : undefined;
}

async function whereUsed(view: View, used: UsedName): Promise<Resolution> {
  const file = oneFile(view, used);
  if (typeof file !== "string") return file;
  const targets = groupTargets(view, await declarationsOfUse(view, file, used));
  const [target, ...more] = targets;
  if (target !== undefined) {
    return more.length > 0 ? { kind: "ambiguous", candidates: targets } : withMerged(view, target);
  }
  const where = `${view.paths.show(file)}:${used.line}:${used.column}`;
  return {
    kind: "unknown",
    reason: `The compiler knows of no declaration of "${used.name}" at ${where}.`,
    nearest: [],
  };
}

function oneFile(view: View, line: LineAddress): string | UnknownName {
  const [file, ...others] = moduleScope(view, line.file)?.files ?? [];
  if (file === undefined) return unknownModule(view, line.file);
  if (others.length === 0) return file;
  const nearest = [file, ...others].slice(0, NEAREST).map((each) => `${view.paths.show(each)}:${line.line}`);
  return { kind: "unknown", reason: `"${line.file}" means ${others.length + 1} files.`, nearest };
}

/** The answer goes on with the symbol's address, which stays where lines move. */
async function onLine(view: View, line: LineAddress): Promise<Resolution> {
  const file = oneFile(view, line);
  if (typeof file !== "string") return file;
  const { declarations } = await view.outline(file);
  const named = await declaredByNameAt(view, file, line);
  const there = named.length > 0 ? named : declaredOn(declarations, line);
  const [target, ...more] = groupTargets(view, await followAliases(view, there));
  if (target === undefined) {
    const reason = `Nothing is declared on line ${line.line} of ${view.paths.show(file)}.`;
    const beside = declaredBeside(declarations, line);
    const nearest = beside.map(({ path, at }) => `${formatAddress(view.paths.show(file), path)} (line ${at.line + 1})`);
    return { kind: "unknown", reason, nearest };
  }
  if (more.length > 0) return { kind: "ambiguous", candidates: [target, ...more] };
  const [first] = target.declarations;
  const all = (await view.outline(target.file)).declarations.filter(({ path }) => path === target.path);
  return withMerged(view, targetOf(view, [first, ...all.filter((each) => !isSamePlace(each, first))]));
}

/** Of targets that the compiler merges into one symbol the first alone, as far as their number is worth the questions. */
async function withoutParts(view: View, targets: readonly SymbolTarget[]): Promise<readonly SymbolTarget[]> {
  if (targets.length > MAX_ASKED) return targets;
  const all = await mapLimited(
    targets,
    async ({ declarations: [first] }) => [first, ...(await alsoDeclared(view, first))],
    view.signal,
  );
  return targets.filter(({ declarations: [own] }, index) => {
    return !all
      .slice(0, index)
      .flat()
      .some((each) => isSamePlace(each, own));
  });
}

async function withMerged(view: View, target: SymbolTarget): Promise<Resolution> {
  const merged = await mergedElsewhere(view, target.declarations[0]);
  const added = merged.filter(({ file }) => target.declarations.every((each) => each.file !== file));
  return { kind: "found", target: { ...target, declarations: [...target.declarations, ...added] } };
}

function choose(targets: readonly SymbolTarget[], { overload, path }: Address): Resolution {
  const [target] = targets;
  if (target === undefined || targets.length > 1) return { kind: "ambiguous", candidates: targets };
  if (overload === undefined) return { kind: "found", target };
  const chosen = target.declarations[overload - 1];
  if (chosen === undefined) {
    const count = target.declarations.length;
    return {
      kind: "unknown",
      reason: `${path} has ${count} declaration${count === 1 ? "" : "s"}, no #${overload}.`,
      nearest: [target.address],
    };
  }
  return {
    kind: "found",
    target: { ...target, declarations: [chosen], overload, address: `${target.address}#${overload}` },
  };
}

/** The project's own names first; then globals; then what the installed packages export. */
async function searchEverywhere(view: View, path: string): Promise<SymbolTarget[]> {
  const own = await searchFiles(view, await filesWithName(view, path), path);
  if (own.length > 0) return groupTargets(view, own);
  const inModule = await searchModuleOf(view, path);
  if (inModule.length > 0) return groupTargets(view, inModule);
  const inLiterals = path.includes(".") ? await searchFiles(view, view.ownFiles(), path) : [];
  if (inLiterals.length > 0) return groupTargets(view, inLiterals);
  const inherited = await searchInherited(view, path, (outer) => filesWithName(view, outer));
  if (inherited.length > 0) return groupTargets(view, inherited);
  // One global may be declared in many files: it is still one symbol.
  const [first, ...more] = await globalDeclarations(view, path);
  if (first !== undefined) return [targetOf(view, [first, ...more])];
  return groupTargets(view, await declarationsInDependencies(view, path));
}

/** `Effect.fail` is `fail` of `Effect.ts` to all who import that as a namespace: `import * as Effect from "./Effect"`. */
async function searchModuleOf(view: View, path: string): Promise<Declaration[]> {
  const [outer = "", ...inner] = path.split(".");
  const scope = inner.length === 0 ? undefined : moduleScope(view, outer);
  if (scope?.kind !== "file") return [];
  const name = inner.join(".");
  return (await searchScope(view, scope, name)).filter((each) => each.path === name);
}

async function searchScope(view: View, scope: ModuleScope, path: string): Promise<Declaration[]> {
  if (scope.kind === "ambient")
    return searchFiles(view, scope.files, path, [`"${scope.ambientName}"`, `"node:${scope.ambientName}"`]);
  if (scope.files.length > FEW_FILES && scope.kind !== "file") {
    const named = new Set(await filesWithName(view, path));
    const inside = scope.files.filter((file) => named.has(file));
    if (inside.length > 0) return searchFiles(view, inside, path);
  }
  const isInstalled = scope.kind === "package" && scope.files.some((file) => !view.paths.isOwn(file));
  const files = isInstalled ? await filesDeclaring(view, scope.files, path) : scope.files;
  const found = await searchFiles(view, files, path);
  if (found.length > 0) return found;
  const isIndex = (file: string): number => (/\/index\.[^/]+$/.test(file) ? 0 : 1);
  const likely = scope.files.toSorted((a, b) => isIndex(a) - isIndex(b) || a.length - b.length);
  for (const file of likely.slice(0, MAX_ASKED)) {
    const exported = await exportedDeclarations(view, file, path);
    if (exported.length > 0) return exported;
  }
  return searchInherited(view, path, () => Promise.resolve(scope.files));
}

/** `Outer.member` where Outer has the member from elsewhere. `filesFor` says where an Outer is looked for. */
async function searchInherited(
  view: View,
  path: string,
  filesFor: (outer: string) => Promise<readonly string[]>,
): Promise<Declaration[]> {
  const parts = path.split(".");
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const outer = parts.slice(0, length).join(".");
    const owners = await searchFiles(view, await filesFor(outer), outer);
    const found = await mapLimited(owners, (owner) => membersOfDeclared(view, owner, parts.slice(length)), view.signal);
    if (found.some((each) => each.length > 0)) return found.flat();
  }
  return [];
}

/** The files, of many declaration files, whose text declares the first part of the name. */
async function filesDeclaring(view: View, files: readonly string[], path: string): Promise<string[]> {
  const [outer = ""] = path.split(".");
  const names = await mapLimited(files, externalNames, view.signal);
  return files.filter((_file, index) => names[index]?.some(({ name }) => name === outer) === true);
}

/** The own files in which the compiler knows a declaration by that name; all of them when it cannot say. */
async function filesWithName(view: View, path: string): Promise<string[]> {
  const segments = path
    .split(".")
    .filter((segment) => /^[\w$]+$/.test(segment) && !/^(?:constructor|default)$/.test(segment));
  for (const name of segments.toReversed()) {
    const found = await view.request<{ name: string; location: { uri: string } }[] | null>("workspace/symbol", {
      query: name,
    });
    if (found === null || found.length >= WORKSPACE_SYMBOL_LIMIT) continue;
    const files = found.filter((symbol) => symbol.name === name).map((symbol) => new URL(symbol.location.uri));
    const own = [...new Set(files.map((url) => view.fileOf(url.href)))].filter(
      (file) => view.paths.isOwn(file) && !view.state.built.has(file),
    );
    // The compiler's index leaves out the properties of object literals: then their container says where to look.
    if (own.length > 0) return own.toSorted();
    // Nor does it know the types that JavaScript declares in its comments.
    if (name === segments[0]) return view.ownFiles().filter((file) => SCRIPT.test(file));
  }
  return view.ownFiles();
}

async function searchFiles(
  view: View,
  files: readonly string[],
  path: string,
  containers: readonly string[] = [],
): Promise<Declaration[]> {
  const possible = files.length > FEW_FILES ? await filesMentioning(view, files, path) : files;
  const outlines = await mapLimited(possible, (file) => view.outline(file), view.signal);
  const all = outlines.flatMap((outline) => outline.declarations);
  const full = new Set([path, ...containers.map((container) => `${container}.${path}`)]);
  const exact = all.filter((declaration) => full.has(declaration.path));
  const matching = exact.length > 0 ? exact : all.filter((declaration) => declaration.path.endsWith(`.${path}`));
  if (matching.length === 0 && path.includes(".")) {
    const members = await exportedMembers(view, outlines, path);
    return members.length > 0 ? members : literalMembers(view, outlines, path);
  }
  const visible = matching.filter((declaration) => !declaration.local);
  return followAliases(view, visible.length > 0 ? visible : matching);
}

/** `export { name } from` is no declaration: what it stands for is answered instead. */
async function followAliases(view: View, declarations: readonly Declaration[]): Promise<Declaration[]> {
  const wholeModules = new Set<Declaration>();
  const followed = await mapLimited(declarations, async (declaration) => {
    const detail = await aliasAt(view, declaration);
    const meant = detail === undefined ? undefined : await meantByAlias(view, declaration, detail);
    if (detail === undefined || meant === undefined) return [declaration];
    const isImport = isNamespaceImport(detail.node) || isImportSpecifier(detail.node) || isRequired(detail.node);
    for (const each of meant) if (isImport && isSamePlace(each, declaration)) wholeModules.add(each);
    return meant.map((each) => (each.name === declaration.name ? each : { ...each, alias: declaration }));
  });
  // The import of a whole module declares nothing: it is taken only when the name has no other meaning.
  const all = followed.flat();
  const named = all.filter((declaration) => !wholeModules.has(declaration));
  return named.length > 0 ? named : all;
}

/** The node of a declaration that may be another name for something declared elsewhere. */
async function aliasAt(view: View, declaration: Declaration): Promise<DeclarationDetail | undefined> {
  // In JavaScript `const { name } = require()` is an import too, and `exports.name = other` an export of it.
  const isScript = SCRIPT.test(declaration.file);
  const mayBeRequired = (declaration.kind === "variable" || declaration.kind === "property") && isScript;
  if (!declaration.maybeAlias && !mayBeRequired && declaration.kind !== "variable") return undefined;
  const detail = await inspectDeclaration(view, declaration);
  return detail !== undefined && (mayBeRequired || isAliasDeclaration(detail)) ? detail : undefined;
}

/** Undefined for what is no alias after all. */
async function meantByAlias(
  view: View,
  declaration: Declaration,
  detail: DeclarationDetail,
): Promise<Declaration[] | undefined> {
  const symbol = await detail.program.project.checker.getSymbolAtLocation(detail.nameNode);
  const isHandedOn = (handedOn(detail.node) ?? handedOnModule(detail.node)) !== undefined;
  if (symbol !== undefined && (symbol.flags & SymbolFlags.Alias) === 0 && !isHandedOn) return undefined;
  // What the compiler does not know is still what the assignment makes.
  if (symbol === undefined && !isHandedOn && assignedName(detail.node) !== undefined) return undefined;
  const meant = symbol === undefined ? [] : await declarationsOfSymbol(view, detail.program, symbol);
  // A name handed on from where the compiler finds nothing is at least an export of its own module.
  if (meant.length === 0 && assignedName(detail.node)?.form === "export") return undefined;
  return meant;
}

function isSamePlace(a: Declaration, b: Declaration): boolean {
  return a.file === b.file && a.at.line === b.at.line && a.at.character === b.at.character;
}

/** A name that only installed packages know, or a member of one. */
async function declarationsInDependencies(view: View, path: string): Promise<Declaration[]> {
  const files = view.externalFiles().filter((file) => !isLibFile(file));
  return searchFiles(view, await filesDeclaring(view, files, path), path);
}

function groupTargets(view: View, declarations: readonly Declaration[]): SymbolTarget[] {
  const groups = new Map<string, [Declaration, ...Declaration[]]>();
  for (const declaration of declarations) {
    const key = `${declaration.file}\n${declaration.path}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [declaration]);
    else if (!group.some((each) => isSamePlace(each, declaration))) group.push(declaration);
  }
  return [...groups.values()].map((group) => targetOf(view, group));
}

function targetOf(view: View, declarations: SymbolTarget["declarations"]): SymbolTarget {
  const [{ file, path }] = declarations;
  return { file, path, declarations, overload: undefined, address: formatAddress(view.paths.show(file), path) };
}

function onlyModule(view: View, scope: ModuleScope | undefined, text: string): Resolution {
  if (text.trim() === "") {
    return { kind: "unknown", reason: "Name a symbol: name, Outer.member, src/file.ts#Outer.member.", nearest: [] };
  }
  const [file] = scope?.files ?? [];
  if (scope?.kind === "file" && file !== undefined && scope.files.length === 1) return { kind: "module", file };
  const nearest = (scope?.files ?? []).slice(0, NEAREST).map((each) => view.paths.show(each));
  return { kind: "unknown", reason: `"${text}" names no symbol: add #Name to it.`, nearest };
}
