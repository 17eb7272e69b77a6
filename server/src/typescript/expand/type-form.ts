/** Reads a text as a type, or as declarations of types, and finds the names in it that have to be looked up. */
import { parseSync } from "oxc-parser";

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

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
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
  if (!declarations.every(({ type }) => /^TS(?:TypeAlias|Interface)Declaration$/.test(type))) return undefined;
  const bound = new Set(declarations.map((declaration) => (declaration["id"] as { name: string }).name));
  const names = namesIn(declarations, 0).filter(({ name }) => !bound.has(name));
  return { text, names, declares: (last["id"] as { name: string }).name };
}

/** A comment would swallow what is put behind the form. */
function withoutComments(form: string): string {
  const { comments } = parseSync("form.ts", PREFIX + form);
  let text = PREFIX + form;
  for (const { start, end } of comments.toReversed()) text = `${text.slice(0, start)} ${text.slice(end)}`;
  return text.slice(PREFIX.length);
}

function unexported(node: SyntaxNode): SyntaxNode {
  const declaration = node.type === "ExportNamedDeclaration" ? node["declaration"] : undefined;
  return isNode(declaration) ? declaration : node;
}

function parse(text: string): readonly SyntaxNode[] | undefined {
  const { program, errors } = parseSync("form.ts", text);
  return errors.length > 0 ? undefined : (program.body as unknown as readonly SyntaxNode[]);
}

function namesIn(nodes: readonly SyntaxNode[], offset: number): FormName[] {
  const found: FormName[] = [];
  const bound = new Set<string>();
  for (const node of nodes) visit(node, found, bound);
  return found
    .filter(({ name }) => !bound.has(name))
    .map(({ name, start, end }) => ({ name, start: start - offset, end: end - offset }));
}

function visit(node: SyntaxNode, found: FormName[], bound: Set<string>): void {
  if (node.type === "TSTypeReference") collect(node["typeName"], found);
  else if (node.type === "TSTypeQuery") collect(node["exprName"], found);
  else if (node.type === "TSInterfaceHeritage") collect(node["expression"], found);
  else if (node.type === "TSTypeParameter") bound.add(nameOf(node["name"]));
  else if (node.type === "TSMappedType") bound.add(nameOf(node["key"]));
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) visit(child, found, bound);
    }
  }
}

function collect(node: unknown, found: FormName[]): void {
  if (!isNode(node)) return;
  if (node.type === "Identifier") found.push({ name: nameOf(node), start: node.start, end: node.end });
  else collect(node["left"] ?? node["object"], found);
}

function nameOf(node: unknown): string {
  if (typeof node === "string") return node;
  return isNode(node) && typeof node["name"] === "string" ? node["name"] : "";
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
