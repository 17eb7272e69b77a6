/**
 * swc compiles `@entity class User {}` to `let _User; class User {…}`, and all other code uses `_User`: no form could
 * name the class, and nothing could be assigned to its name. The class gets its name back here, as `let User = (class
 * User {…}, _User)`, which is also swc's form for class expressions. No column moves.
 */
import MagicString from "magic-string";
import { freeNames } from "../free-names.ts";
import type { BindingIdentifier, Class, Node } from "oxc-parser";
import { identifierName, isClass, isMember, parseProgram, type Body } from "../syntax.ts";

export interface NamedClasses {
  readonly code: string;
  /** Top-level variables and functions of the lowered decorators, which the text does not name. */
  readonly helpers: ReadonlySet<string>;
}

interface Lowered {
  readonly name: string;
  /** swc's name for the class as the decorators return it. */
  readonly hidden: string;
  readonly declared: Node;
  readonly statement: Node;
}

export function nameDecoratedClasses(code: string, text: string, format: "module" | "commonjs"): NamedClasses {
  const body = parseProgram(code, format);
  const edited = new MagicString(code);
  const lowered = body.flatMap((statement, index) => loweredAt(code, body[index - 1], statement));
  const byHidden = new Map(lowered.map((each) => [each.hidden, each]));
  const rename = (node: Node): void => {
    const each = byHidden.get(identifierName(node) ?? "");
    const isInside = each !== undefined && node.start > each.statement.start && node.end < each.statement.end;
    if (each === undefined || isInside || node.start === emptyLet(each.declared)?.start) return;
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

/** The class in swc's form of a decorated class expression, and the class that holds its static fields. */
export function decoratedClass(value: Node | null): { node: Class; holder?: Class } | undefined {
  if (value?.type === "ParenthesizedExpression") return decoratedClass(value.expression);
  if (value?.type !== "SequenceExpression") return undefined;
  const [first, second, more] = value.expressions;
  if (first === undefined || second?.type !== "Identifier" || more !== undefined) return undefined;
  if (first.type === "ClassExpression") return { node: first };
  const holder = first.type === "NewExpression" ? first.callee : undefined;
  const node = holder === undefined ? undefined : heldClass(holder);
  return node === undefined || holder?.type !== "ClassExpression" ? undefined : { node, holder };
}

function loweredAt(code: string, before: Node | undefined, statement: Node): Lowered[] {
  const hidden = before === undefined ? undefined : emptyLet(before)?.name;
  const id = classIn(statement)?.id;
  if (before === undefined || hidden === undefined || !id) return [];
  const isMade = code.slice(statement.start, statement.end).includes(`c: [${hidden}, `);
  return isMade ? [{ name: id.name, hidden, declared: before, statement }] : [];
}

/** `let _User;` */
function emptyLet(node: Node): BindingIdentifier | undefined {
  if (node.type !== "VariableDeclaration" || node.kind !== "let") return undefined;
  const [only, more] = node.declarations;
  return only?.init === null && more === undefined && only.id.type === "Identifier" ? only.id : undefined;
}

function classIn(statement: Node): Class | undefined {
  if (isClass(statement)) return statement;
  const made = statement.type === "ExpressionStatement" ? statement.expression : undefined;
  return made?.type === "NewExpression" ? heldClass(made.callee) : undefined;
}

/**
 * `class extends _identity { static [class User {…}]; count = 0 }`: the static fields are set after the decorators have
 * run.
 */
export function heldClass(holder: Node): Class | undefined {
  if (holder.type !== "ClassExpression") return undefined;
  const member = holder.body.body.find((each) => isMember(each) && "static" in each && each.static && each.computed);
  return member !== undefined && isMember(member) && isClass(member.key) ? member.key : undefined;
}

function exportedLocals(body: Body): readonly Node[] {
  return body.flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration" || node.source !== null) return [];
    return node.specifiers.map((item) => item.local);
  });
}

function emptyNames(node: Node): readonly string[] {
  if (node.type === "FunctionDeclaration") return node.id === null ? [] : [node.id.name];
  if (node.type !== "VariableDeclaration") return [];
  return node.declarations.flatMap(({ id, init }) => (init === null && id.type === "Identifier" ? [id.name] : []));
}
