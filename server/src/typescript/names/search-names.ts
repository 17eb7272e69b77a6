/** The declarations by a name: in a module, in the project, among the globals and in what the installed packages export. */
import type { Declaration, SymbolTarget } from "./tree/declaration.ts";
import { exportedMembers } from "./tree/assigned-outline.ts";
import { exportedDeclarations, globalDeclarations, membersOfDeclared } from "./tree/checker-lookup.ts";
import { externalNames, isLibFile } from "./index/external-names.ts";
import { filesExportingWhole, filesMentioning } from "./index/files-by-text.ts";
import { literalMembers } from "./tree/literal-members.ts";
import { isLocalValue, localMembers, localNames } from "./tree/local-names.ts";
import { moduleScope, type ModuleScope } from "./tree/module-scope.ts";
import { followAliases, SCRIPT } from "./follow-aliases.ts";
import { groupTargets, targetOf } from "./targets.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

const WORKSPACE_SYMBOL_LIMIT = 256;
/** The outlines of so few files cost less than another look at their texts. */
const FEW_FILES = 40;
/** The exports of so many files are asked for, which their outlines do not show. */
const MAX_ASKED = 20;

/** The project's own names first; then globals; then what the installed packages export. */
export async function searchEverywhere(view: View, path: string): Promise<SymbolTarget[]> {
  const own = await searchFiles(view, await filesWithName(view, path), path);
  if (own.length > 0) return groupTargets(view, own);
  const [outermost = ""] = path.split(".");
  const whole = await searchScope(view, { kind: "folder", files: await filesExportingWhole(view, outermost) }, path);
  if (whole.length > 0) return groupTargets(view, whole);
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

export async function searchScope(view: View, scope: ModuleScope, path: string): Promise<Declaration[]> {
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
  const inherited = await searchInherited(view, path, () => Promise.resolve(scope.files));
  const [file] = scope.files;
  if (inherited.length > 0 || scope.kind !== "file" || file === undefined) return inherited;
  const locals = await localNames(view, file, path);
  if (locals.length > 0) return locals;
  return (await view.outline(file)).declarations.filter((each) => each.isHandedOver === true && each.path === path);
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
  const all = outlines.flatMap((outline) => outline.declarations).filter((each) => each.isHandedOver !== true);
  const full = new Set([path, ...containers.map((container) => `${container}.${path}`)]);
  const exact = all.filter((declaration) => full.has(declaration.path));
  const matching = exact.length > 0 ? exact : all.filter((declaration) => declaration.path.endsWith(`.${path}`));
  if (matching.length === 0 && path.includes(".")) {
    const members = await exportedMembers(view, outlines, path);
    if (members.length > 0) return members;
    const inLiterals = await literalMembers(view, outlines, path);
    return inLiterals.length > 0 ? inLiterals : localMembers(view, outlines, path);
  }
  const visible = matching.filter((declaration) => !declaration.local);
  if (visible.length === 0 && matching.length > 0 && matching.every(isLocalValue)) {
    const locals = await localMembers(view, outlines, path);
    if (locals.length > 0) return locals;
  }
  return followAliases(view, visible.length > 0 ? visible : matching);
}

/** A name that only installed packages know, or a member of one. */
async function declarationsInDependencies(view: View, path: string): Promise<Declaration[]> {
  const files = view.externalFiles().filter((file) => !isLibFile(file));
  return searchFiles(view, await filesDeclaring(view, files, path), path);
}
