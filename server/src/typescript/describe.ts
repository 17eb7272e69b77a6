/** Everything the compiler knows about one symbol, gathered for a description. */
import { SymbolFlags, type Symbol } from "typescript/unstable/async";
import { classifyReferences, findReferences } from "./references.ts";
import { inspectDeclaration, type DeclarationDetail } from "./inspect-declaration.ts";
import type { Declaration } from "./outline.ts";
import type { SymbolTarget } from "./resolve-symbol.ts";
import type { View } from "./view.ts";
import { mapLimited } from "./yielding.ts";

export interface MemberSummary {
  readonly name: string;
  readonly kind: string;
  readonly header: string;
  readonly modifiers: readonly string[];
  readonly at: Declaration["at"];
}

export interface SymbolDescription {
  readonly target: SymbolTarget;
  readonly details: readonly DeclarationDetail[];
  /** The compiler's own short form, one per declaration: `function add(a: number): number`. */
  readonly signatures: readonly string[];
  readonly documentation: string;
  readonly tags: readonly { readonly name: string; readonly text: string }[];
  /** Files that pass it on under some name. */
  readonly exportedFrom: readonly { readonly file: string; readonly name: string }[];
  readonly references: readonly { readonly file: string; readonly count: number; readonly isTest: boolean }[];
  readonly members: readonly MemberSummary[];
}

export async function describeTarget(view: View, target: SymbolTarget): Promise<SymbolDescription> {
  const found = await mapLimited(target.declarations, (declaration) => inspectDeclaration(view, declaration), view.signal);
  const details = found.filter((detail) => detail !== undefined);
  const [first] = target.declarations;
  const [signatures, { documentation, tags }, references, members] = await Promise.all([
    signaturesOf(view, target.declarations),
    documentationOf(details),
    findReferences(view, first),
    membersOf(view, target),
  ]);
  const own = references.filter((reference) => view.paths.isOwn(reference.file));
  const uses = (await classifyReferences(view, own)).filter((use) => use.use.kind !== "declaration");
  const byFile = Map.groupBy(uses, (use) => use.file);
  return {
    target,
    details,
    signatures,
    documentation,
    tags,
    exportedFrom: uses
      .filter((use) => use.use.kind === "re-export")
      .map((use) => ({ file: use.file, name: use.node.getText() })),
    references: [...byFile]
      .map(([file, group]) => ({ file, count: group.length, isTest: view.paths.isTest(file) }))
      .toSorted((a, b) => b.count - a.count || (a.file < b.file ? -1 : 1)),
    members,
  };
}

const MAX_SIGNATURES = 12;

async function signaturesOf(view: View, declarations: readonly Declaration[]): Promise<string[]> {
  const texts = await mapLimited(
    declarations.slice(0, MAX_SIGNATURES),
    async ({ file, at }) => quickInfo(view, file, at),
    view.signal,
  );
  return [...new Set(texts.filter((text) => text !== undefined))];
}

/** The first code block of a hover: the declaration with its inferred types. */
export async function quickInfo(view: View, file: string, at: Declaration["at"]): Promise<string | undefined> {
  const hover = await view.requestAt<{ contents: { value: string } } | null>("textDocument/hover", file, at);
  return /```\w*\n([\s\S]*?)\n```/.exec(hover?.contents.value ?? "")?.[1]?.trim();
}

async function documentationOf(
  details: readonly DeclarationDetail[],
): Promise<Pick<SymbolDescription, "documentation" | "tags">> {
  const [first] = details;
  const symbol = first === undefined ? undefined : await symbolOf(first);
  if (first === undefined || symbol === undefined) return { documentation: "", tags: [] };
  const { checker } = first.program.project;
  const [documentation, tags] = await Promise.all([
    checker.getDocumentationCommentOfSymbol(symbol),
    checker.getJsDocTagsOfSymbol(symbol),
  ]);
  return { documentation: documentation.trim(), tags: tags.map(({ name, text }) => ({ name, text: text?.trim() ?? "" })) };
}

async function symbolOf(detail: DeclarationDetail): Promise<Symbol | undefined> {
  const { checker } = detail.program.project;
  const symbol = await checker.getSymbolAtLocation(detail.nameNode);
  if (symbol === undefined) return undefined;
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** The direct members, each once, in source order. */
async function membersOf(view: View, target: SymbolTarget): Promise<MemberSummary[]> {
  const [first] = target.declarations;
  if (!["class", "interface", "enum", "namespace", "variable"].includes(first.kind)) return [];
  const { declarations } = await view.outline(target.file);
  const prefix = `${target.path}.`;
  const direct = declarations.filter(({ path, name, local }) => !local && path === prefix + name);
  const inspected = await mapLimited(direct, (declaration) => inspectDeclaration(view, declaration), view.signal);
  return inspected.flatMap((detail) => {
    if (detail === undefined) return [];
    const { kind, header, modifiers, declaration } = detail;
    return [{ name: declaration.name, kind, header, modifiers, at: declaration.at }];
  });
}
