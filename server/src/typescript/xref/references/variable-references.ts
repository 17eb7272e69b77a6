/** Every mention of a symbol with what it does: reads, writes, calls, types, imports and exports told apart. */
import {
  isCallExpression,
  isElementAccessExpression,
  isExportDeclaration,
  isExportSpecifier,
  isImportClause,
  isImportDeclaration,
  isImportSpecifier,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";
import { classifyUse, type UseKind } from "./classify-use.ts";
import { classifyReferences, findAllReferences, inShownOrder, withLocals, type ReferenceUse } from "./references.ts";
import { doubtUntyped } from "./untyped-members.ts";
import type { SymbolTarget } from "../../names/tree/declaration.ts";
import type { View } from "../../view.ts";
import type { LspPosition } from "../../places.ts";

/** What a mention does, the most telling first: answers are counted in this order. */
export const mentionKinds = [
  "write",
  "read and write",
  "read",
  "call",
  "new",
  "super call",
  "jsx",
  "tagged template",
  "decorator",
  "extends",
  "type",
  "import",
  "type-only import",
  "re-export",
  "type-only re-export",
  "declaration",
  "documentation",
] as const;

export type MentionKind = (typeof mentionKinds)[number];

export interface Mention {
  readonly file: string;
  readonly at: LspPosition;
  readonly kind: MentionKind;
  /** `argument of map`, `calls .push`, `from a pattern`. */
  readonly detail: string | undefined;
  /** `Outer.member` or "(module)". */
  readonly enclosing: string;
  readonly line: string;
  readonly isTest: boolean;
}

/** Sorted by file and position, each place once. */
export async function variableReferences(view: View, target: SymbolTarget): Promise<Mention[]> {
  const doubts = view.doubts.size;
  const direct = await classifyReferences(view, await findAllReferences(view, target.declarations));
  // A member that an assignment makes has its doubt already, with the same places.
  if (view.doubts.size === doubts) await doubtUntyped(view, target.declarations[0]);
  // A destructured name is read there; a required name is imported, and read where the variable is.
  const uses = await withLocals(view, direct, ({ use }) => use.kind === "import");
  const mentions = new Map<string, Mention>();
  for (const use of uses) {
    const mention = mentionOf(use);
    if (mention === undefined) continue;
    const key = `${use.file}:${use.at.line}:${use.at.character}`;
    if (!mentions.has(key)) mentions.set(key, mention);
  }
  return [...mentions.values()].toSorted(inShownOrder(view));
}

function mentionOf(use: ReferenceUse): Mention | undefined {
  const access = accessOf(use.use.kind, use.node);
  if (access === undefined) return undefined;
  const detail = access.detail ?? use.use.detail;
  const { file, at, line, isTest } = use;
  return { file, at, kind: access.kind, detail, enclosing: use.enclosing.path, line, isTest };
}

interface Access {
  readonly kind: MentionKind;
  readonly detail?: string;
}

/** Undefined for what repeats another mention. */
function accessOf(kind: UseKind, node: Node): Access | undefined {
  switch (kind) {
    case "passed as value":
      return { kind: "read" };
    case "destructured":
      return { kind: "read", detail: "destructured" };
    case "member access":
      return { kind: "read", ...throughMember(node) };
    case "import":
      return { kind: isTypeOnly(node) ? "type-only import" : "import" };
    case "re-export":
      return { kind: isTypeOnly(node) ? "type-only re-export" : "re-export" };
    case "declaration":
      // The other name that an import or export gives it declares nothing new.
      if (isImportSpecifier(node.parent) || isExportSpecifier(node.parent)) return undefined;
      return isObjectLiteralExpression(node.parent.parent)
        ? { kind: "write", detail: "in an object literal" }
        : { kind: "declaration" };
    case "jsx closing tag":
      return undefined;
    default:
      return { kind };
  }
}

/** `list.push(x)` and `list.length = 0` read the variable and change what it holds: worth saying. */
function throughMember(node: Node): { detail?: string } {
  let access = node.parent;
  if (isPropertyAccessExpression(access) && access.name === node) access = access.parent;
  if (!isPropertyAccessExpression(access) && !isElementAccessExpression(access)) return {};
  if (isElementAccessExpression(access)) {
    return classifyUse(access.argumentExpression).kind.includes("write") ? { detail: "writes an element" } : {};
  }
  const name = access.name.text;
  if (isCallExpression(access.parent) && access.parent.expression === access) return { detail: `calls .${name}` };
  return classifyUse(access.name).kind.includes("write") ? { detail: `writes .${name}` } : {};
}

function isTypeOnly(node: Node): boolean {
  const { parent } = node;
  if (isImportSpecifier(parent) || isExportSpecifier(parent)) {
    if (parent.isTypeOnly) return true;
    const list = parent.parent.parent;
    return isImportClause(list) ? isTypeOnlyClause(list) : isExportDeclaration(list) && list.isTypeOnly;
  }
  let at: Node | undefined = parent;
  while (at !== undefined && !isImportClause(at) && !isImportDeclaration(at) && !isExportDeclaration(at))
    at = at.parent;
  if (at === undefined) return false;
  return isImportClause(at) ? isTypeOnlyClause(at) : isExportDeclaration(at) && at.isTypeOnly;
}

function isTypeOnlyClause(clause: { readonly phaseModifier?: SyntaxKind }): boolean {
  return clause.phaseModifier === SyntaxKind.TypeKeyword;
}
