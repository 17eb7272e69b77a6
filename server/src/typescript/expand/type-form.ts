/** Reads a text as a type, or as declarations of types, and finds the names in it that have to be looked up. */
import type { Node, TSInterfaceDeclaration, TSTypeAliasDeclaration } from "oxc-parser";
import { parseSync } from "../../base/parser.ts";
import { walk } from "../../base/syntax-walk.ts";

export interface FormName {
  readonly name: string;
  /** Offsets in the form's text. */
  readonly start: number;
  readonly end: number;
}

export interface TypeForm {
  readonly text: string;
  /** The first identifier of every reference, but for those the form binds itself (`infer`, type parameters). */
  readonly names: readonly FormName[];
  /** For declarations: the name of the last one, which is what is expanded. */
  readonly declares: string | undefined;
}

const PREFIX = "type __form =\n";

/** Undefined when the text is no type; a text that is both a type and an expression is a type. */
export function parseTypeForm(form: string): TypeForm | undefined {
  const text = withoutComments(form).trim().replace(/;+$/, "");
  if (text === "") return undefined;
  const alias = parse(`${PREFIX}${text}\n;`);
  if (alias?.length === 1) return { text, names: namesIn(alias, PREFIX.length), declares: undefined };
  const declarations = parse(text)?.map(unexported);
  const last = declarations?.at(-1);
  if (declarations === undefined || last === undefined) return undefined;
  if (!declarations.every(isTypeDeclaration) || !isTypeDeclaration(last)) return undefined;
  const bound = new Set(declarations.map(({ id }) => id.name));
  const names = namesIn(declarations, 0).filter(({ name }) => !bound.has(name));
  return { text, names, declares: last.id.name };
}

/** A comment would swallow what is put behind the form. */
function withoutComments(form: string): string {
  const { comments } = parseSync("form.ts", PREFIX + form);
  let text = PREFIX + form;
  for (const { start, end } of comments.toReversed()) text = `${text.slice(0, start)} ${text.slice(end)}`;
  return text.slice(PREFIX.length);
}

function isTypeDeclaration(node: Node): node is TSTypeAliasDeclaration | TSInterfaceDeclaration {
  return node.type === "TSTypeAliasDeclaration" || node.type === "TSInterfaceDeclaration";
}

function unexported(node: Node): Node {
  return node.type === "ExportNamedDeclaration" ? (node.declaration ?? node) : node;
}

function parse(text: string): readonly Node[] | undefined {
  const { program, errors } = parseSync("form.ts", text);
  return errors.length > 0 ? undefined : program.body;
}

function namesIn(nodes: readonly Node[], offset: number): FormName[] {
  const found: FormName[] = [];
  const bound = new Set<string>();
  for (const node of nodes) walk(node, (each) => note(each, found, bound));
  return found
    .filter(({ name }) => !bound.has(name))
    .map(({ name, start, end }) => ({ name, start: start - offset, end: end - offset }));
}

function note(node: Node, found: FormName[], bound: Set<string>): void {
  if (node.type === "TSTypeReference") collect(node.typeName, found);
  else if (node.type === "TSTypeQuery") collect(node.exprName, found);
  else if (node.type === "TSInterfaceHeritage") collect(node.expression, found);
  else if (node.type === "TSTypeParameter") bound.add(node.name.name);
  else if (node.type === "TSMappedType") bound.add(node.key.name);
}

/** The first identifier of `a.b.c`. */
function collect(node: Node, found: FormName[]): void {
  if (node.type === "Identifier") found.push({ name: node.name, start: node.start, end: node.end });
  else if (node.type === "TSQualifiedName") collect(node.left, found);
  else if (node.type === "MemberExpression") collect(node.object, found);
}
