/**
 * JSON Schemas of everything that `agentq/*` messages carry: the parameters of requests as the server's own tables have
 * them, and results, notifications and shapes as read from the types in `server/src/protocol/`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import ts from "@typescript/typescript6";
import { clientRequestParams } from "../../server/src/protocol/buffer-methods.ts";
import { requestParams } from "../../server/src/protocol/methods.ts";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
}

export interface WireSchema {
  readonly $schema: string;
  readonly title: string;
  readonly description: string;
  /** The parameters of requests and notifications by method, the shapes by name; those of LSP begin with `lsp.`. */
  readonly $defs: Readonly<Record<string, Schema>>;
  readonly results: Readonly<Record<string, Schema>>;
  readonly notifications: readonly string[];
}

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;
type Arguments = ReadonlyMap<string, Schema>;

const protocol = path.join(import.meta.dirname, "../../server/src/protocol");
const ours = declarationsOf(...readdirSync(protocol), "../schema/schema-type.ts");
const lsp = declarationsOf(lspTypes());
/** The numbers that have a fraction: times in milliseconds, dollars (also those of a budget) and temperatures. */
const FRACTIONAL = /Ms$|cost$|^(?:median|p95|temperature|turn|session|day)$/i;
const NO_ARGUMENTS: Arguments = new Map();

export function wireSchema(): WireSchema {
  const shapes = new Map<string, Schema>();
  const reader = new Reader(shapes);
  const results = { ...reader.members("RequestResults"), ...reader.members("ClientRequestResults") };
  const notifications = reader.members("NotificationParams");
  // Only requests carry these, written out in their own schemas.
  reader.shape("ContextRef");
  reader.shape("HunkDecision");
  const named = [...shapes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "What agentq/* messages carry",
    description:
      "$defs: the parameters of every request and notification by method, and the shapes they share. results: what answers a request.",
    $defs: { ...requestParams, ...clientRequestParams, ...notifications, ...Object.fromEntries(named) },
    results,
    notifications: Object.keys(notifications),
  };
}

function lspTypes(): string {
  const user = createRequire(import.meta.url).resolve("vscode-languageserver-protocol");
  return createRequire(user).resolve("vscode-languageserver-types").replace(/\.js$/, ".d.ts");
}

function declarationOf(name: string): Declaration {
  const declaration = ours.get(name);
  if (declaration === undefined) throw new Error(`server/src/protocol declares no ${name}`);
  return declaration;
}

function declarationsOf(...files: readonly string[]): Map<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const file of files) {
    const text = readFileSync(path.resolve(protocol, file), "utf8");
    for (const statement of ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true).statements) {
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
        found.set(statement.name.text, statement);
      }
    }
  }
  return found;
}

/** Reads types as schemas; each shape that a type names is read once, into `shapes`. */
class Reader {
  readonly #shapes: Map<string, Schema>;

  constructor(shapes: Map<string, Schema>) {
    this.#shapes = shapes;
  }

  /** The members of a table of the protocol, such as `RequestResults`. */
  members(table: string): Record<string, Schema> {
    return { ...this.#declared(declarationOf(table), NO_ARGUMENTS).properties };
  }

  shape(name: string): Schema {
    return this.#reference(name, declarationOf(name));
  }

  #declared(declaration: Declaration, given: Arguments): Schema {
    const about = described(declaration);
    if (ts.isTypeAliasDeclaration(declaration)) return { ...this.#read(declaration.type, given), ...about };
    const bases = (declaration.heritageClauses ?? []).flatMap((clause) => clause.types);
    const inherited = bases.map((base) => this.#resolved(this.#named(base.expression.getText(), base, given)));
    const own = this.#object(declaration.members, given);
    return [...inherited, { ...own, ...about }].reduce(merged);
  }

  #read(node: ts.TypeNode, given: Arguments, name = ""): Schema {
    if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) return this.#read(node.type, given, name);
    if (ts.isArrayTypeNode(node)) return { type: "array", items: this.#read(node.elementType, given, name) };
    if (ts.isTypeLiteralNode(node)) return this.#object(node.members, given);
    if (ts.isUnionTypeNode(node)) return union(node.types.map((each) => this.#read(each, given, name)));
    if (ts.isTypeReferenceNode(node)) return this.#named(node.typeName.getText(), node, given);
    if (ts.isLiteralTypeNode(node)) return literal(node.literal);
    if (ts.isIndexedAccessTypeNode(node)) return this.#member(node, given);
    return keyword(node, name);
  }

  #object(members: ts.NodeArray<ts.TypeElement>, given: Arguments): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const member of members) {
      if (ts.isIndexSignatureDeclaration(member)) {
        return { type: "object", additionalProperties: this.#read(member.type, given) };
      }
      if (!ts.isPropertySignature(member) || member.type === undefined) continue;
      const name = ts.isStringLiteral(member.name) ? member.name.text : member.name.getText();
      properties[name] = { ...this.#read(member.type, given, name), ...described(member) };
      if (member.questionToken === undefined) required.push(name);
    }
    return { type: "object", properties, ...(required.length > 0 && { required }) };
  }

  /** A type that is named: a parameter, a generic one in place, any other by reference. */
  #named(name: string, node: ts.NodeWithTypeArguments, given: Arguments): Schema {
    const parameter = given.get(name);
    if (parameter !== undefined) return parameter;
    const [first, second] = node.typeArguments ?? [];
    if (name === "Readonly" && first !== undefined) return this.#read(first, given);
    if (name === "Record" && second !== undefined) {
      return { type: "object", additionalProperties: this.#read(second, given) };
    }
    const declaration = ours.get(name);
    if (declaration?.typeParameters !== undefined && first !== undefined) {
      const parameters = declaration.typeParameters.map(
        ({ name: { text } }) => [text, this.#read(first, given)] as const,
      );
      return this.#declared(declaration, new Map(parameters));
    }
    if (declaration !== undefined) return this.#reference(name, declaration);
    const foreign = lsp.get(name);
    if (foreign === undefined) throw new Error(`${name} is declared neither in server/src/protocol nor by LSP`);
    const alias = ts.isTypeAliasDeclaration(foreign) ? this.#read(foreign.type, given) : undefined;
    return alias?.type !== undefined && alias.type !== "object" ? alias : this.#reference(`lsp.${name}`, foreign);
  }

  #reference(name: string, declaration: Declaration): Schema {
    if (!this.#shapes.has(name)) {
      this.#shapes.set(name, {});
      this.#shapes.set(name, this.#declared(declaration, NO_ARGUMENTS));
    }
    return { $ref: `#/$defs/${name}` };
  }

  #resolved(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (this.#shapes.get(schema.$ref.slice("#/$defs/".length)) ?? {});
  }

  /** `EvalResult["outcome"]`. */
  #member(node: ts.IndexedAccessTypeNode, given: Arguments): Schema {
    const whole = this.#resolved(this.#read(node.objectType, given));
    const [name] = this.#read(node.indexType, given).enum ?? [];
    const { description: _, ...schema } = whole.properties?.[String(name)] ?? {};
    return schema;
  }
}

function merged(base: Schema, more: Schema): Schema {
  return {
    ...base,
    ...more,
    properties: { ...base.properties, ...more.properties },
    required: [...new Set([...(base.required ?? []), ...(more.required ?? [])])],
  };
}

function union(members: readonly Schema[]): Schema {
  if (members.every((each) => each.enum !== undefined)) return { enum: members.flatMap((each) => each.enum ?? []) };
  const names = members.map((each) =>
    each.properties === undefined && each.items === undefined ? each.type : undefined,
  );
  if (names.every((name) => typeof name === "string")) return { type: names };
  return { anyOf: members };
}

function literal(node: ts.LiteralTypeNode["literal"]): Schema {
  if (node.kind === ts.SyntaxKind.NullKeyword) return { type: "null" };
  if (ts.isStringLiteral(node)) return { enum: [node.text] };
  return { enum: [node.kind === ts.SyntaxKind.TrueKeyword] };
}

function keyword(node: ts.TypeNode, name: string): Schema {
  const word = node.getText();
  if (word === "number") return { type: FRACTIONAL.test(name) ? "number" : "integer" };
  if (word === "string" || word === "boolean") return { type: word };
  if (word === "unknown" || word === "any") return {};
  throw new Error(`no schema for the type ${word}`);
}

/** The comment above a declaration, on one line. */
function described(node: Declaration | ts.PropertySignature): { description?: string } {
  // The words of LSP are LSP's to publish.
  if (path.isAbsolute(node.getSourceFile().fileName)) return {};
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment)?.replaceAll(/\s*\n\s*/g, " ");
  return text === undefined ? {} : { description: text };
}
