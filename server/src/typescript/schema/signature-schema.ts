/** From a function's own signature and JSDoc to what a model needs to call it: name, description and input schema. */
import type { Expression } from "typescript/unstable/ast";
import { SignatureKind, type Signature } from "typescript/unstable/async";
import type { JsonSchema } from "../../protocol/shapes.ts";
import { functionParameters, type FunctionParameter } from "./function-parameters.ts";
import { inspectDeclaration, oneLine, type DeclarationDetail } from "../names/tree/inspect-declaration.ts";
import { literalValue } from "./literal-value.ts";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import {
  described,
  documentationAt,
  documentationOf,
  documented,
  oneParagraph,
  type Documentation,
} from "./schema-tags.ts";
import { TypeSchemas } from "./type-schema.ts";
import type { View } from "../view.ts";
import { hasBody } from "../shapes/member-facts.ts";

/** Where one parameter of the function gets its value from, in the order of the parameters. */
export type ParameterSource =
  | { readonly kind: "all arguments"; readonly optional: boolean }
  | { readonly kind: "argument"; readonly name: string; readonly rest: boolean }
  | { readonly kind: "signal" };

export interface SignatureSchema {
  /** The function's name in snake_case. */
  readonly name: string;
  /** "" when the function has no documentation. */
  readonly description: string;
  /** Always an object; an object is also what a single parameter of an object type becomes. */
  readonly inputSchema: JsonSchema;
  readonly parameters: readonly ParameterSource[];
}

/** `problems` are whole sentences; one about a type begins with the path of what JSON cannot carry. */
export type SignatureResult =
  | { readonly kind: "schema"; readonly signature: SignatureSchema }
  | { readonly kind: "problems"; readonly problems: readonly string[] };

const NOTHING: Documentation = { text: "", tags: [] };

export async function signatureSchema(view: View, target: SymbolTarget): Promise<SignatureResult> {
  const details = await Promise.all(target.declarations.map((declaration) => inspectDeclaration(view, declaration)));
  const found = await callable(
    details.filter((detail) => detail !== undefined),
    target,
  );
  if (typeof found === "string") return { kind: "problems", problems: [found] };
  const { detail, signature } = found;
  const { project } = detail.program;
  const symbol = await project.checker.getSymbolAtLocation(detail.nameNode);
  const own = target.overload === undefined ? NOTHING : documentationAt(detail.node);
  const isSaid = own.text !== "" || own.tags.length > 0;
  const documentation = isSaid || symbol === undefined ? own : await documentationOf(project, symbol);
  const parameters = await functionParameters(project, signature, documentation);
  const schemas = new TypeSchemas(project);
  const { schema, sources } = await inputOf(schemas, parameters);
  if (schemas.problems.length > 0) return { kind: "problems", problems: schemas.problems };
  const returns = documentation.tags.find(({ name }) => name === "returns" || name === "return")?.text ?? "";
  const sentences = [documentation.text, returns === "" ? "" : `Returns ${oneParagraph(returns)}`];
  const definitions = schemas.definitions.size === 0 ? {} : { $defs: Object.fromEntries(schemas.definitions) };
  return {
    kind: "schema",
    signature: {
      name: snakeCase(nameOf(target)),
      description: sentences.filter((text) => text !== "").join("\n"),
      inputSchema: { ...schema, ...definitions },
      parameters: sources,
    },
  };
}

/** `parseHTMLPage` → `parse_html_page`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1_$2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1_$2")
    .replaceAll(/[^\p{L}\d]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase();
}

function nameOf({ path, file }: SymbolTarget): string {
  const last = path.split(".").at(-1) ?? path;
  if (last !== "default") return last;
  return /([^/\\]+?)(?:\.d)?\.[cm]?[jt]sx?$/.exec(file)?.[1] ?? last;
}

async function callable(
  details: readonly DeclarationDetail[],
  { address, overload }: SymbolTarget,
): Promise<{ readonly detail: DeclarationDetail; readonly signature: Signature } | string> {
  // The implementation of an overloaded function cannot be called; it is the one with a body.
  const declared = details.length > 1 ? details.filter(({ node }) => !hasBody(node)) : details;
  const [detail] = declared;
  if (detail === undefined) return `${address} is not in the loaded projects; use the address of a function.`;
  if (declared.length > 1) {
    const choices = declared.map(({ header }, index) => `${address}#${index + 1} (${header})`);
    return `${address} has ${declared.length} overloads; use one of ${choices.join(", ")}.`;
  }
  const { checker } = detail.program.project;
  if (overload !== undefined) {
    const signature = await checker.getSignatureFromDeclaration(detail.node);
    if (signature !== undefined) return { detail, signature };
  }
  const symbol = await checker.getSymbolAtLocation(detail.nameNode);
  const type = symbol === undefined ? undefined : await checker.getTypeOfSymbol(symbol);
  const signatures = type === undefined ? [] : await checker.getSignaturesOfType(type, SignatureKind.Call);
  // A default export without a name has no symbol at its name.
  const signature = signatures[0] ?? (await signatureOfUnnamed(detail));
  if (signature === undefined) return `${address} is no function but a ${detail.kind}; use the address of a function.`;
  if (signatures.length <= 1) return { detail, signature };
  return `${address} can be called in ${signatures.length} ways; use a function that has one signature.`;
}

function signatureOfUnnamed({ kind, node, program }: DeclarationDetail): Promise<Signature | undefined> {
  return kind === "function" ? program.project.checker.getSignatureFromDeclaration(node) : Promise.resolve(undefined);
}

interface Input {
  readonly schema: JsonSchema;
  readonly sources: readonly ParameterSource[];
}

async function inputOf(schemas: TypeSchemas, parameters: readonly FunctionParameter[]): Promise<Input> {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  const given = parameters.filter(({ isSignal }) => !isSignal);
  for (const parameter of given) {
    const { name, type, text, tags, optional, rest, initializer } = parameter;
    const schema = await schemas.withoutUndefined(type, name);
    const [only] = given;
    const whole = given.length === 1 && !rest ? wholeInput(schemas.resolved(schema), parameter) : undefined;
    if (whole !== undefined && only !== undefined) {
      const source = { kind: "all arguments", optional } as const;
      return { schema: whole, sources: parameters.map(({ isSignal }) => (isSignal ? { kind: "signal" } : source)) };
    }
    properties[name] = withDefault(documented(schema, { text, tags }, name, schemas.problems), initializer);
    if (!optional && !rest) required.push(name);
  }
  const sources = parameters.map(({ name, rest, isSignal }): ParameterSource => {
    return isSignal ? { kind: "signal" } : { kind: "argument", name, rest };
  });
  const needed = required.length > 0 ? { required } : {};
  return { schema: { type: "object", properties, ...needed, additionalProperties: false }, sources };
}

/** The only parameter's own object as the input; undefined when it is no object, or may be left out only as a whole. */
function wholeInput(schema: JsonSchema, parameter: FunctionParameter): JsonSchema | undefined {
  const properties = schema["properties"] as Readonly<Record<string, JsonSchema>> | undefined;
  if (schema["type"] !== "object" || properties === undefined) return undefined;
  const { propertyDefaults, propertyTexts, optional } = parameter;
  const required = ((schema["required"] ?? []) as readonly string[]).filter((name) => !propertyDefaults.has(name));
  if (optional && required.length > 0) return undefined;
  const entries = Object.entries(properties).map(([name, property]) => {
    const text = propertyTexts.get(name);
    const isDocumented = text === undefined || "description" in property;
    const told = isDocumented ? property : described(property, text);
    return [name, withDefault(told, propertyDefaults.get(name))] as const;
  });
  const { required: _required, properties: _properties, ...rest } = schema;
  return {
    type: "object",
    properties: Object.fromEntries(entries),
    ...(required.length > 0 ? { required } : {}),
    ...rest,
  };
}

/** A default that has to be computed goes into the description. */
function withDefault(schema: JsonSchema, initializer: Expression | undefined): JsonSchema {
  if (initializer === undefined) return schema;
  const known = literalValue(initializer);
  if (known !== undefined) return { ...schema, default: known.value };
  const text = `Default: ${oneLine(initializer.getText())}.`;
  const before = typeof schema["description"] === "string" ? `${schema["description"]} ` : "";
  return { ...schema, description: before + text };
}
