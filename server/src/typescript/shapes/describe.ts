/** Everything the compiler knows about one symbol, gathered for a description. */
import { isIdentifier, type SourceFile } from "typescript/unstable/ast";
import { isScript, mayBeGivenMembers } from "../names/javascript/assigned-names.ts";
import { assignedNames, membersAssignedTo } from "../names/tree/assigned-outline.ts";
import {
  exportedEntries,
  exportNamesOf,
  handedOn,
  isWholeExport,
  wholeExports,
} from "../names/javascript/commonjs-exports.ts";
import { SymbolFlags, type Symbol } from "typescript/unstable/async";
import { docSummary, wholeComment, type Words } from "./doc-comments.ts";
import { inheritedDocumentation } from "./inherited-docs.ts";
import { memberNodes } from "../names/tree/members.ts";
import { starExports } from "./star-exports.ts";
import { isNameNode, nameNodeOf } from "../names/tree/qualified-name.ts";
import { askingPosition } from "../names/asking-position.ts";
import { findUses, type ReferenceUse } from "../xref/references/references.ts";
import { headerOf, inspectDeclaration, type DeclarationDetail } from "../names/tree/inspect-declaration.ts";
import type { Declaration, SymbolTarget } from "../names/tree/declaration.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

export interface MemberSummary {
  /** As written; "" for a signature without a name. */
  readonly name: string;
  readonly file: string;
  readonly at: Declaration["at"];
  /** Modifiers, name and type, on one line. */
  readonly header: string;
}

export interface SymbolDescription extends Words {
  readonly target: SymbolTarget;
  readonly details: readonly DeclarationDetail[];
  /** The compiler's own short form, one per declaration: `function add(a: number): number`. */
  readonly signatures: readonly string[];
  /** The words about each of several overloads, in the order of `details`; empty where all have the same words. */
  readonly overloadWords: readonly Words[];
  /** Files that pass the symbol on under some name. */
  readonly exportedFrom: readonly { readonly file: string; readonly name: string }[];
  readonly references: readonly { readonly file: string; readonly count: number; readonly isTest: boolean }[];
  readonly members: readonly MemberSummary[];
}

export async function describeTarget(view: View, target: SymbolTarget): Promise<SymbolDescription> {
  const inspected = await mapLimited(
    target.declarations,
    (declaration) => inspectDeclaration(view, declaration),
    view.signal,
  );
  const details = inspected.filter((detail) => detail !== undefined);
  const [hovers, words, found] = await Promise.all([
    signaturesOf(view, target.declarations),
    documentationOf(details),
    findUses(view, ...target.declarations),
  ]);
  const uses = found.filter(({ file, use }) => view.paths.isOwn(file) && use.kind !== "declaration");
  const byFile = Map.groupBy(uses, (use) => use.file);
  return {
    target,
    details,
    signatures: hovers.every((text) => text === "any") ? details.map(({ header }) => header) : hovers,
    ...words,
    exportedFrom: target.path.includes(".") ? [] : [...reExports(uses), ...(await starExports(view, target, details))],
    references: [...byFile]
      .map(([file, group]) => ({ file, count: group.length, isTest: view.paths.isTest(file) }))
      .toSorted((a, b) => b.count - a.count || (a.file < b.file ? -1 : 1)),
    members: [...membersOf(details), ...(await assignedMembers(view, target, details))],
  };
}

export interface ModuleEntry extends MemberSummary {
  readonly exported: boolean;
}

/** What a module declares at its outermost level, what it exports first; its re-exports among them. */
export async function moduleEntries(view: View, file: string): Promise<ModuleEntry[]> {
  const { declarations } = await view.outline(file);
  const outermost = declarations.filter(({ path, name, local }) => !local && path === name);
  const details = await mapLimited(outermost, (declaration) => inspectDeclaration(view, declaration), view.signal);
  const source = (await view.source(file))?.source;
  const passedOn = source === undefined || !isScript(source) ? new Set<string>() : await namesHandedOn(view, source);
  const entries = details.flatMap((detail) => {
    if (detail === undefined || detail.kind === "import" || handedOn(detail.node) !== undefined) return [];
    const isAlias = detail.kind === "alias";
    const exported = isAlias || detail.modifiers.includes("export") || passedOn.has(detail.declaration.name);
    const header = isAlias ? `export { ${detail.header} }` : detail.header;
    return [{ name: detail.declaration.name, file, at: detail.declaration.at, header, exported }];
  });
  return entries.toSorted((a, b) => Number(b.exported) - Number(a.exported));
}

/** The local names that a CommonJS module exports, under whichever name. */
async function namesHandedOn(view: View, source: SourceFile): Promise<ReadonlySet<string>> {
  const assigned = (await assignedNames(view, source)).filter(({ form }) => form === "export");
  const nodes = [...exportedEntries(source), ...assigned.map(({ node }) => node)].map((node) => handedOn(node));
  const names = [...nodes, ...wholeExports(source)].flatMap((node) =>
    node !== undefined && isIdentifier(node) ? [node.text] : [],
  );
  return new Set(names);
}

function reExports(uses: readonly ReferenceUse[]): SymbolDescription["exportedFrom"] {
  return uses.flatMap(({ use, file, node }) => {
    if (use.kind !== "re-export") return [];
    if (isWholeExport(node)) return [{ file, name: "module.exports" }];
    const names = exportNamesOf(node);
    if (names.length > 0) return names.map((name) => ({ file, name: name.getText() }));
    return [{ file, name: nameNodeOf(node.parent)?.getText() ?? "default" }];
  });
}

const MAX_SIGNATURES = 12;

async function signaturesOf(view: View, declarations: readonly Declaration[]): Promise<string[]> {
  const texts = await mapLimited(
    declarations.slice(0, MAX_SIGNATURES),
    async (declaration) => quickInfo(view, declaration.file, await askingPosition(view, declaration)),
    view.signal,
  );
  return [...new Set(texts.filter((text) => text !== undefined))];
}

/** The first code block of a hover: the declaration with its inferred types. */
export async function quickInfo(view: View, file: string, at: Declaration["at"]): Promise<string | undefined> {
  const hover = await view.requestOnceAt<{ contents: { value: string } } | null>("textDocument/hover", file, at);
  return /```\w*\n([\s\S]*?)\n```/.exec(hover?.contents.value ?? "")?.[1]?.trim();
}

async function documentationOf(
  details: readonly DeclarationDetail[],
): Promise<Pick<SymbolDescription, "documentation" | "tags" | "overloadWords">> {
  const [first] = details;
  const symbol = first === undefined ? undefined : await symbolOf(first);
  if (first === undefined || symbol === undefined) return { ...NO_WORDS, overloadWords: [] };
  const { checker } = first.program.project;
  const [documentation, tags] = await Promise.all([
    checker.getDocumentationCommentOfSymbol(symbol),
    checker.getJsDocTagsOfSymbol(symbol),
  ]);
  // The checker runs the words of all overloads together.
  if (
    symbol.declarations.length > 1 &&
    OVERLOADED.has(first.kind) &&
    (documentation.trim() !== "" || tags.length > 0)
  ) {
    const own = details.map(({ node }) => wholeComment(node));
    return own.length === 1 ? { ...NO_WORDS, ...own[0], overloadWords: [] } : { ...NO_WORDS, overloadWords: own };
  }
  // The checker does not count the comment before an assignment as documentation, nor that of an implemented interface.
  const own = documentation.trim() || docSummary(first.node);
  return {
    documentation: own || (await inheritedDocumentation(first.program, first.node, first.declaration.name)),
    tags: tags.map(({ name, text }) => ({ name, text: text?.trim() ?? "" })),
    overloadWords: [],
  };
}

const OVERLOADED: ReadonlySet<string> = new Set(["function", "method", "constructor"]);
const NO_WORDS: Words = { documentation: "", tags: [] };

async function symbolOf(detail: DeclarationDetail): Promise<Symbol | undefined> {
  const { checker } = detail.program.project;
  const symbol = await checker.getSymbolAtLocation(isNameNode(detail.nameNode) ? detail.nameNode : detail.node);
  if (symbol === undefined) return undefined;
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** What is added to a class or function: `this.member = …`, `Outer.prototype.member = …`, `Outer.member = …`. */
async function assignedMembers(
  view: View,
  { path }: SymbolTarget,
  details: readonly DeclarationDetail[],
): Promise<MemberSummary[]> {
  const [detail] = details;
  if (detail === undefined || !mayBeGivenMembers(detail.node, path)) return [];
  const { source, declaration } = detail;
  const added = await membersAssignedTo(view, source, path);
  return added.map(({ node, nameNode }) => ({
    name: nameNode.getText(source),
    file: declaration.file,
    at: source.getLineAndCharacterOfPosition(nameNode.getStart(source)),
    header: headerOf(node, source),
  }));
}

function membersOf(details: readonly DeclarationDetail[]): MemberSummary[] {
  return details.flatMap(({ node, source, declaration: { file } }) =>
    memberNodes(node).map((member) => ({
      name: nameNodeOf(member)?.getText(source) ?? "",
      file,
      at: source.getLineAndCharacterOfPosition((nameNodeOf(member) ?? member).getStart(source)),
      header: headerOf(member, source),
    })),
  );
}
