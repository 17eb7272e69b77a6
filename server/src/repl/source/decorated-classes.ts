/**
 * Of `@entity class User {}` swc makes `let _User; class User {…}` and has everybody else use `_User`: no form could
 * name the class, and nothing could be assigned to its name. Here the name is given back, as
 * `let User = (class User {…}, _User)`, which is what swc makes of class expressions too. No column moves.
 */
import MagicString from "magic-string";
import { freeNames } from "./free-names.ts";
import { parseProgram, type SyntaxNode } from "./syntax.ts";

export interface NamedClasses {
  readonly code: string;
  /** What the lowered decorators keep in variables and functions of the top level, beside the names of the text. */
  readonly helpers: ReadonlySet<string>;
}

interface Lowered {
  readonly name: string;
  /** The name that swc gave to what the decorators made of the class. */
  readonly hidden: string;
  readonly declared: SyntaxNode;
  readonly statement: SyntaxNode;
}

export function nameDecoratedClasses(code: string, text: string, format: "module" | "commonjs"): NamedClasses {
  const body = parseProgram(code, format);
  const edited = new MagicString(code);
  const lowered = body.flatMap((statement, index) => loweredAt(code, body[index - 1], statement));
  const byHidden = new Map(lowered.map((each) => [each.hidden, each]));
  const rename = (node: SyntaxNode): void => {
    const each = byHidden.get(node["name"] as string);
    const isInside = each !== undefined && node.start > each.statement.start && node.end < each.statement.end;
    if (each === undefined || isInside || node.start === declaredName(each.declared)?.start) return;
    edited.overwrite(node.start, node.end, each.name.padEnd(each.hidden.length));
  };
  for (const { node } of freeNames(body, (name) => byHidden.has(name))) rename(node);
  for (const local of exportedLocals(body)) rename(local);
  for (const { name, hidden, declared, statement } of lowered) {
    edited.appendLeft(declared.end, ` let ${name} = (`);
    const end = code.charAt(statement.end - 1) === ";" ? statement.end - 1 : statement.end;
    edited.appendLeft(end, `, ${hidden})${end === statement.end ? ";" : ""}`);
  }
  const isHelper = (name: string): boolean => name.startsWith("_") && !text.includes(name);
  return { code: edited.toString(), helpers: new Set(body.flatMap(emptyNames).filter(isHelper)) };
}

/** The class in what swc makes of a decorated class expression, and what holds its static fields. */
export function decoratedClass(value: SyntaxNode | null): { node: SyntaxNode; holder?: SyntaxNode } | undefined {
  if (value?.type === "ParenthesizedExpression") return decoratedClass(value["expression"] as SyntaxNode);
  if (value?.type !== "SequenceExpression") return undefined;
  const [first, second, more] = value["expressions"] as readonly SyntaxNode[];
  if (first === undefined || second?.type !== "Identifier" || more !== undefined) return undefined;
  if (first.type === "ClassExpression") return { node: first };
  const holder = first.type === "NewExpression" ? (first["callee"] as SyntaxNode) : undefined;
  const node = holder === undefined ? undefined : heldClass(holder);
  return node === undefined || holder === undefined ? undefined : { node, holder };
}

function loweredAt(code: string, before: SyntaxNode | undefined, statement: SyntaxNode): Lowered[] {
  const hidden = before === undefined ? undefined : (declaredName(before)?.["name"] as string | undefined);
  const id = classIn(statement)?.["id"] as SyntaxNode | null | undefined;
  if (before === undefined || hidden === undefined || !id) return [];
  const isMade = code.slice(statement.start, statement.end).includes(`c: [${hidden}, `);
  return isMade ? [{ name: id["name"] as string, hidden, declared: before, statement }] : [];
}

/** `let _User;` */
function declaredName(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type !== "VariableDeclaration" || node["kind"] !== "let") return undefined;
  const [only, more] = node["declarations"] as readonly SyntaxNode[];
  return only?.["init"] === null && more === undefined ? (only["id"] as SyntaxNode) : undefined;
}

function classIn(statement: SyntaxNode): SyntaxNode | undefined {
  if (statement.type === "ClassDeclaration") return statement;
  const made = statement.type === "ExpressionStatement" ? (statement["expression"] as SyntaxNode) : undefined;
  return made?.type === "NewExpression" ? heldClass(made["callee"] as SyntaxNode) : undefined;
}

/** `class extends _identity { static [class User {…}]; count = 0 }`: static fields are set when the decorators have run. */
export function heldClass(holder: SyntaxNode): SyntaxNode | undefined {
  if (holder.type !== "ClassExpression") return undefined;
  const members = (holder["body"] as SyntaxNode)["body"] as readonly SyntaxNode[];
  const key = members.find((member) => member["static"] === true && member["computed"] === true)?.["key"];
  return (key as SyntaxNode | undefined)?.type === "ClassExpression" ? (key as SyntaxNode) : undefined;
}

function exportedLocals(body: readonly SyntaxNode[]): readonly SyntaxNode[] {
  return body.flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration" || node["source"] !== null) return [];
    return (node["specifiers"] as readonly SyntaxNode[]).map((item) => item["local"] as SyntaxNode);
  });
}

function emptyNames(node: SyntaxNode): readonly string[] {
  if (node.type === "FunctionDeclaration") return [(node["id"] as SyntaxNode)["name"] as string];
  if (node.type !== "VariableDeclaration") return [];
  return (node["declarations"] as readonly SyntaxNode[]).flatMap(({ id, init }) =>
    init === null && (id as SyntaxNode).type === "Identifier" ? [(id as SyntaxNode)["name"] as string] : [],
  );
}
