/** The shape of a file: the headers of what it declares, nested, without bodies. */
import {
  isArrowFunction,
  isBlock,
  isCallExpression,
  isClassLikeDeclaration,
  isEnumDeclaration,
  isExportAssignment,
  isExportDeclaration,
  isExpressionStatement,
  isFunctionExpression,
  isImportDeclaration,
  isImportEqualsDeclaration,
  isModuleDeclaration,
  isObjectLiteralExpression,
  isStringLiteral,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  isVariableStatement,
  NodeFlags,
  SyntaxKind,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { docSummary } from "./doc-comments.ts";
import { assignedName } from "../names/javascript/assigned-names.ts";
import { assignedPart, isRequired, requiredPath } from "../names/javascript/commonjs-exports.ts";
import { headerOf, oneLine } from "../names/tree/inspect-declaration.ts";
import { hasQuestionMark } from "./member-facts.ts";
import { memberNodes } from "../names/tree/members.ts";
import { nameNodeOf } from "../names/tree/qualified-name.ts";
import type { View } from "../view.ts";
import { forEachYielding } from "../yielding.ts";

export interface ShapeEntry {
  readonly header: string;
  /** Counted from 1, as is `endLine`. */
  readonly line: number;
  readonly endLine: number;
  readonly documentation: string;
  readonly children: readonly ShapeEntry[];
}

export interface DocumentShape {
  readonly file: string;
  readonly lines: number;
  /** The modules it imports, in order. */
  readonly imports: readonly string[];
  readonly entries: readonly ShapeEntry[];
  /** Deeper than that was not looked. */
  readonly depth: number;
  readonly syntaxErrors: number;
}

/** Undefined for a file of no loaded program. */
export async function documentShape(view: View, file: string, depth: number): Promise<DocumentShape | undefined> {
  const found = await view.source(file);
  if (found === undefined) return undefined;
  const { source, program } = found;
  const entries: ShapeEntry[] = [];
  const imports: string[] = [];
  await forEachYielding(
    source.statements,
    (statement) => {
      const module = importedModule(statement);
      if (module === undefined) entries.push(...statementEntries(statement, source, depth));
      else if (!imports.includes(module)) imports.push(module);
    },
    view.signal,
  );
  const problems = await program.project.program.getSyntacticDiagnostics(file);
  const lines = source.getLineStarts().length - (source.text.endsWith("\n") ? 1 : 0);
  return { file, lines, imports, entries, depth, syntaxErrors: problems.length };
}

function importedModule(statement: Node): string | undefined {
  if (isImportDeclaration(statement)) return unquoted(statement.moduleSpecifier.getText());
  if (isVariableStatement(statement)) return requiredModule(statement.declarationList.declarations);
  if (!isImportEqualsDeclaration(statement)) return undefined;
  return unquoted(statement.moduleReference.getText().replace(/^require\((.*)\)$/s, "$1"));
}

/** `const a = require("./a")`; a declaration list that holds more is listed as what it declares. */
function requiredModule(declarations: readonly Node[]): string | undefined {
  const [declaration, ...others] = declarations;
  if (declaration === undefined || others.length > 0 || !isRequired(declaration)) return undefined;
  const path = requiredPath(declaration);
  return path === undefined ? undefined : unquoted(path.getText());
}

function statementEntries(node: Node, source: SourceFile, depth: number): ShapeEntry[] {
  if (isVariableStatement(node)) {
    return [...node.declarationList.declarations].map((each) => entryOf(each, source, depth, node));
  }
  if (isExportDeclaration(node) || isExportAssignment(node)) return [exportEntry(node, source, depth)];
  if (isExpressionStatement(node)) {
    const assigned = assignedEntry(node.expression, source, depth);
    return assigned === undefined ? callEntries(node.expression, source, depth) : [assigned];
  }
  if (nameNodeOf(node) === undefined && !isUnnamedDeclaration(node)) return [];
  return [entryOf(node, source, depth, node)];
}

function isUnnamedDeclaration(node: Node): boolean {
  return node.kind === SyntaxKind.FunctionDeclaration || node.kind === SyntaxKind.ClassDeclaration;
}

/** `whole` gives the entry its lines: for a variable, its statement. */
function entryOf(node: Node, source: SourceFile, depth: number, whole: Node = node): ShapeEntry {
  if (isCommentTag(node)) return tagEntry(node, source, depth);
  const isObject = hasObjectValue(node);
  const header = headerOf(node, source);
  return {
    ...linesOf(whole, source),
    header: isObject
      ? header.replace(/(=\s*\{|:\s*\{|=>?\s*\(\{).*$/s, (start) => `${/^[^{]*/.exec(start)?.[0] ?? ""}{…}`)
      : header,
    documentation: docSummary(node),
    children: depth <= 1 ? [] : childrenOf(node, source, depth - 1),
  };
}

/** What JavaScript declares by assigning, and `module.exports` as a whole; undefined for every other expression. */
function assignedEntry(node: Node, source: SourceFile, depth: number): ShapeEntry | undefined {
  const value = assignedPart(node);
  if (value === undefined) return undefined;
  const inner = isClassLikeDeclaration(value) ? value.members.pos : bodyOf(value)?.getStart(source);
  const isObject = isObjectLiteralExpression(value);
  const start = source.text.slice(node.getStart(source), isObject ? value.getStart(source) : (inner ?? node.end));
  const text = oneLine(start).replace(/\s*(?:=>|\{)$/, "");
  const properties = isObject && !isDefined(node) ? [...value.properties] : memberNodes(value);
  const members = properties.map((member) => entryOf(member, source, depth - 1));
  const body = bodyOf(value);
  const children = members.length > 0 || body === undefined ? members : localEntries(body, source, depth - 1);
  return {
    ...linesOf(node, source),
    header: isObject ? `${text} {…}${isCallExpression(node) ? ")" : ""}` : text,
    documentation: docSummary(node.parent),
    children: depth <= 1 ? [] : children,
  };
}

function isDefined(node: Node): boolean {
  return isCallExpression(node) && assignedName(node) !== undefined;
}

/** JavaScript declares types in comments: `@typedef`, `@callback` and the `@property` tags below them. */
function isCommentTag(node: Node): boolean {
  // A decorator begins like a tag.
  return (node.flags & NodeFlags.Reparsed) !== 0 && /^@\w/.test(node.getText());
}

/** A tag reaches up to the next one, comment marks included. */
function tagEntry(node: Node, source: SourceFile, depth: number): ShapeEntry {
  const text = node.getText().replace(/[\s*]+$/, "");
  const { type } = node as { readonly type?: Node };
  const name = nameNodeOf(node)?.getText() ?? "";
  const written = type === undefined || isCommentTag(type) ? "" : oneLine(type.getText());
  const isMember = text.startsWith("@prop");
  const header = isMember
    ? `${name}${hasQuestionMark(node) ? "?" : ""}: ${written}`
    : `${/^@\w+/.exec(text)?.[0]} ${name}${written === "" ? "" : ` = ${written}`}`;
  const start = node.getStart(source);
  return {
    line: source.getLineAndCharacterOfPosition(start).line + 1,
    endLine: source.getLineAndCharacterOfPosition(start + text.length).line + 1,
    header,
    documentation: "",
    children: depth <= 1 || written !== "" ? [] : childrenOf(node, source, depth - 1),
  };
}

function childrenOf(node: Node, source: SourceFile, depth: number): ShapeEntry[] {
  if (isModuleDeclaration(node)) return moduleBody(node).flatMap((each) => statementEntries(each, source, depth));
  const members = memberNodes(node).filter((member) => member.kind !== SyntaxKind.Parameter);
  if (members.length > 0)
    return hasOneLine(node, source) ? [] : members.map((member) => entryOf(member, source, depth));
  const body = bodyOf(node);
  return body === undefined ? [] : localEntries(body, source, depth);
}

/** Functions and classes inside a function are part of its shape; its variables and statements are not. */
function localEntries(body: Node, source: SourceFile, depth: number): ShapeEntry[] {
  if (!isBlock(body)) return [];
  return [...body.statements].flatMap((statement) => {
    if (isExpressionStatement(statement)) return callEntries(statement.expression, source, depth);
    if (isVariableStatement(statement)) {
      const functions = [...statement.declarationList.declarations].filter((each) => bodyOf(each) !== undefined);
      return functions.map((each) => entryOf(each, source, depth, statement));
    }
    const isDeclaration = isUnnamedDeclaration(statement) || isEnumDeclaration(statement);
    return isDeclaration ? [entryOf(statement, source, depth)] : [];
  });
}

function moduleBody(node: Node): readonly Node[] {
  const { body } = node as { readonly body?: Node };
  if (body === undefined) return [];
  if (isModuleDeclaration(body)) return [body];
  return [...((body as { readonly statements?: readonly Node[] }).statements ?? [])];
}

/** `describe("…", () => {…})` and its like: what a file of tests consists of. */
function callEntries(expression: Node, source: SourceFile, depth: number): ShapeEntry[] {
  if (!isCallExpression(expression)) return [];
  const callback = [...expression.arguments].find((each) => isArrowFunction(each) || isFunctionExpression(each));
  const [title] = expression.arguments;
  if (callback === undefined || title === undefined) return [];
  const shownTitle =
    isStringLiteral(title) || title.kind === SyntaxKind.NoSubstitutionTemplateLiteral ? oneLine(title.getText()) : "…";
  if (shownTitle === "…") return [];
  const body = bodyOf(callback);
  return [
    {
      ...linesOf(expression, source),
      header: `${calleeText(expression.expression)}(${shownTitle})`,
      documentation: "",
      children: depth <= 1 || body === undefined ? [] : localEntries(body, source, depth - 1),
    },
  ];
}

/** `it.each` without its table. */
function calleeText(callee: Node): string {
  return isCallExpression(callee) ? `${oneLine(callee.expression.getText())}(…)` : oneLine(callee.getText());
}

function exportEntry(node: Node, source: SourceFile, depth: number): ShapeEntry {
  const expression = isExportAssignment(node) ? node.expression : undefined;
  const body = expression === undefined ? undefined : bodyOf(expression);
  const text =
    body === undefined
      ? oneLine(node.getText())
      : `${oneLine(source.text.slice(node.getStart(source), body.getStart(source)))} …`;
  const isObject = expression !== undefined && isObjectLiteralExpression(expression);
  return {
    ...linesOf(node, source),
    header: (isObject ? "export default {…}" : text).replace(/;$/, ""),
    documentation: docSummary(node),
    children: depth <= 1 || body === undefined ? [] : localEntries(body, source, depth - 1),
  };
}

function bodyOf(node: Node): Node | undefined {
  const { body, initializer } = node as { readonly body?: Node; readonly initializer?: Node };
  return body ?? (initializer as { readonly body?: Node } | undefined)?.body;
}

/** Whether the node's value is an object or object type whose members are listed below the node. */
function hasObjectValue(node: Node): boolean {
  if (isTypeAliasDeclaration(node)) return isTypeLiteralNode(node.type) && !hasOneLine(node, node.getSourceFile());
  const { initializer } = node as { readonly initializer?: Node };
  if (initializer === undefined || isClassLikeDeclaration(node)) return false;
  return isObjectLiteralExpression(initializer) && !hasOneLine(node, node.getSourceFile());
}

function hasOneLine(node: Node, source: SourceFile): boolean {
  const { line, endLine } = linesOf(node, source);
  return line === endLine && (isTypeAliasDeclaration(node) || !isClassLikeDeclaration(node));
}

function linesOf(node: Node, source: SourceFile): { line: number; endLine: number } {
  return {
    line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
    endLine: source.getLineAndCharacterOfPosition(node.end).line + 1,
  };
}

function unquoted(text: string): string {
  return text.replace(/^["'`]|["'`]$/g, "");
}
