/** From a declaration that is another name to what the name stands for. */
import { isImportSpecifier, isNamespaceImport } from "typescript/unstable/ast";
import { SymbolFlags } from "typescript/unstable/async";
import type { Declaration } from "./tree/declaration.ts";
import { assignedName } from "./javascript/assigned-names.ts";
import { declarationsOfSymbol } from "./tree/checker-lookup.ts";
import { handedOn, handedOnModule, isRequired } from "./javascript/commonjs-exports.ts";
import { inspectDeclaration, isAliasDeclaration, type DeclarationDetail } from "./tree/inspect-declaration.ts";
import { assignmentOf, nameNodeOf } from "./tree/qualified-name.ts";
import { isSamePlace } from "./targets.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

export const SCRIPT = /\.[cm]?jsx?$/;

/** `export { name } from` is no declaration: what it stands for is answered instead. */
export async function followAliases(view: View, declarations: readonly Declaration[]): Promise<Declaration[]> {
  const wholeModules = new Set<Declaration>();
  const followed = await mapLimited(declarations, async (declaration) => {
    const detail = await aliasAt(view, declaration);
    const meant = detail === undefined ? undefined : await meantByAlias(view, declaration, detail);
    if (detail === undefined || meant === undefined) return [declaration];
    const isImport = isNamespaceImport(detail.node) || isImportSpecifier(detail.node) || isRequired(detail.node);
    for (const each of meant) if (isImport && isSamePlace(each, declaration)) wholeModules.add(each);
    return meant.map((each) => (each.name === declaration.name ? each : { ...each, alias: declaration }));
  });
  // The import of a whole module declares nothing: it counts only when the name has no other meaning.
  const all = followed.flat();
  const named = all.filter((declaration) => !wholeModules.has(declaration));
  return named.length > 0 ? named : all;
}

/** The node of a declaration that may be another name for something declared elsewhere. */
async function aliasAt(view: View, declaration: Declaration): Promise<DeclarationDetail | undefined> {
  // In JavaScript `const { name } = require()` is an import too, and `exports.name = other` an export of it.
  const isScript = SCRIPT.test(declaration.file);
  const mayBeRequired = (declaration.kind === "variable" || declaration.kind === "property") && isScript;
  const mayBeOwnName = declaration.kind === "function" || declaration.kind === "class";
  if (!declaration.maybeAlias && !mayBeRequired && !mayBeOwnName && declaration.kind !== "variable") return undefined;
  const detail = await inspectDeclaration(view, declaration);
  if (mayBeOwnName) return detail !== undefined && assignmentOf(detail.node) !== undefined ? detail : undefined;
  return detail !== undefined && (mayBeRequired || isAliasDeclaration(detail)) ? detail : undefined;
}

/** Undefined for what is no alias after all. */
async function meantByAlias(
  view: View,
  declaration: Declaration,
  detail: DeclarationDetail,
): Promise<Declaration[] | undefined> {
  const { checker } = detail.program.project;
  const assignment = assignmentOf(detail.node);
  const name = assignment && nameNodeOf(assignment);
  const member = name === undefined ? undefined : await checker.getSymbolAtLocation(name);
  if (member !== undefined) return declarationsOfSymbol(view, detail.program, member);
  const symbol = await checker.getSymbolAtLocation(detail.nameNode);
  const isHandedOn = (handedOn(detail.node) ?? handedOnModule(detail.node)) !== undefined;
  if (symbol !== undefined && (symbol.flags & SymbolFlags.Alias) === 0 && !isHandedOn) return undefined;
  // What the compiler does not know is still what the assignment makes.
  if (symbol === undefined && !isHandedOn && assignedName(detail.node) !== undefined) return undefined;
  const meant = symbol === undefined ? [] : await declarationsOfSymbol(view, detail.program, symbol);
  // A name handed on from where the compiler finds nothing is at least an export of its own module.
  if (meant.length === 0 && assignedName(detail.node)?.form === "export") return undefined;
  return meant;
}
