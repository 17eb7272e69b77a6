/** Small helpers for syntax trees that the rewriters share. The trees are ESTree's, as oxc-parser types them. */
import type {
  AccessorProperty,
  ArrowFunctionExpression,
  Class,
  Function as FunctionNode,
  MethodDefinition,
  ModuleExportName,
  Node,
  ObjectProperty,
  Program,
  PropertyDefinition,
  VariableDeclaration,
} from "oxc-parser";
import { parseSync } from "../../base/parser.ts";
import { walk } from "../../base/syntax-walk.ts";

/** The statements of a program. */
export type Body = Readonly<Program["body"]>;

export function parseProgram(code: string, sourceType: "module" | "commonjs"): Body {
  return bodyOf(parseSync("code.js", code, { sourceType }).program.body);
}

/** The statements of a module. tsx puts those of a CommonJS module into a function, behind the name of the file. */
export function bodyOf(body: Body): Body {
  const [first, second, ...others] = body;
  if (first?.type !== "ExpressionStatement" || second?.type !== "ExpressionStatement" || others.length > 0) return body;
  const { expression: named } = first;
  const { expression: call } = second;
  const isNamed = named.type === "AssignmentExpression" && identifierName(named.left) === "__filename";
  if (!isNamed || call.type !== "CallExpression") return body;
  const callee = call.callee.type === "ParenthesizedExpression" ? call.callee.expression : call.callee;
  return callee.type === "ArrowFunctionExpression" && callee.body.type === "BlockStatement" ? callee.body.body : body;
}

export function isClass(node: Node): node is Class {
  return node.type === "ClassDeclaration" || node.type === "ClassExpression";
}

export function isFunction(node: Node): node is FunctionNode | ArrowFunctionExpression {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|TSDeclareFunction)$/.test(node.type);
}

/** The declaration of an export statement, or the statement itself. */
export function declarationIn(statement: Node): Node {
  const isExport = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
  return isExport ? (statement.declaration ?? statement) : statement;
}

/** The name of a function or class declaration; undefined for every other node, and for a nameless default. */
export function declaredName(node: Node): string | undefined {
  const isNamed = node.type === "FunctionDeclaration" || node.type === "ClassDeclaration";
  return isNamed ? node.id?.name : undefined;
}

/** The name of an identifier; undefined for every other node. */
export function identifierName(node: Node | null | undefined): string | undefined {
  return node?.type === "Identifier" ? node.name : undefined;
}

/** The exported name, which may be written as a string. */
export function exportName(node: ModuleExportName): string {
  return node.type === "Identifier" ? node.name : node.value;
}

/** A member of a class or of an object literal that has a key. */
export type Member = MethodDefinition | PropertyDefinition | AccessorProperty | ObjectProperty;

/** An identifier in any role. */
export type Identifier = Extract<Node, { readonly type: "Identifier" }>;

export function isMember(node: Node): node is Member {
  return /^(?:(?:TSAbstract)?(?:MethodDefinition|PropertyDefinition|AccessorProperty)|Property)$/.test(node.type);
}

/** A member's name as it is written; `text` gives the source between two offsets, for a computed key. */
export function memberName({ key, computed }: Member, text: (start: number, end: number) => string): string {
  return computed ? `[${text(key.start, key.end)}]` : keyName(key);
}

/** The name of an identifier or literal that is a key or a module's name; empty for every other node. */
export function keyName(key: Node | null): string {
  if (key?.type === "Identifier" || key?.type === "PrivateIdentifier") return key.name;
  return key?.type === "Literal" ? String(key.value) : "";
}

/** The specifier in `require("m")`; undefined for every other node. */
export function requiredBy(node: Node | null): string | undefined {
  if (node?.type !== "CallExpression" || identifierName(node.callee) !== "require") return undefined;
  const [argument] = node.arguments;
  return argument?.type === "Literal" && typeof argument.value === "string" ? argument.value : undefined;
}

/** All names that the declaration declares. */
export function declaratorNames({ declarations }: VariableDeclaration): string[] {
  return declarations.flatMap(({ id }) => patternNames(id));
}

/** All names that a binding pattern declares. */
export function patternNames(pattern: Node): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        patternNames(property.type === "RestElement" ? property : property.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((item) => (item === null ? [] : patternNames(item)));
    case "AssignmentPattern":
      return patternNames(pattern.left);
    case "RestElement":
      return patternNames(pattern.argument);
    default:
      return [];
  }
}

/** Doc comments at the beginning of a line, and marks for bundlers: their `@` is no decorator. */
const COMMENTS = /^[ \t]*\/\*\*[^]*?\*\/|\/\* @__\w+__ \*\/|^[ \t]*\/\/.*$/gm;

/**
 * oxc leaves standard decorators and `accessor` in its output, or drops them with their field; no version of Node runs
 * them.
 */
export function needsSwc(text: string, lang: "js" | "jsx" | "ts" | "tsx"): boolean {
  if (!/@[\w([]|\baccessor\b/.test(text.replace(COMMENTS, ""))) return false;
  let found = false;
  for (const statement of parseSync(`code.${lang}`, text, { sourceType: "module" }).program.body) {
    walk(statement, (node) => {
      found ||= node.type === "Decorator" || node.type === "AccessorProperty";
      return !found;
    });
  }
  return found;
}
