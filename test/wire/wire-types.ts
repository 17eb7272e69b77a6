/** The wire's shapes as the clients' languages name them: an object of the schema is a class with fields. */
import { type Schema, wireSchema } from "./wire-schema.ts";

export interface WireClass {
  readonly name: string;
  readonly description?: string;
  readonly fields: readonly WireField[];
}

export interface WireField {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: WireType;
  readonly description?: string;
}

export type WireType =
  | { readonly kind: "plain"; readonly name: "string" | "integer" | "number" | "boolean" | "null" | "any" }
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "list" | "map"; readonly of: WireType }
  | { readonly kind: "union"; readonly members: readonly WireType[] }
  | { readonly kind: "class"; readonly name: string };

export interface WireAlias {
  readonly name: string;
  readonly type: WireType;
}

export interface WireTypes {
  readonly classes: readonly WireClass[];
  readonly aliases: readonly WireAlias[];
  /** By method: the parameters of requests and notifications, and what answers a request. */
  readonly params: ReadonlyMap<string, WireType>;
  readonly results: ReadonlyMap<string, WireType>;
}

/** What a method carries is named for it: `EvaluateParams`, `FormAtResult`; a notification's parameters for it alone. */
export function wireTypes(): WireTypes {
  const { $defs, results, notifications } = wireSchema();
  const names = new Naming();
  // First those of LSP: ours write some of them out.
  const shapes = Object.entries($defs).filter(([name]) => !name.includes("/"));
  for (const [name, schema] of shapes.toSorted(([a], [b]) => Number(isOfLsp(b)) - Number(isOfLsp(a)))) {
    names.shape(name, schema);
  }
  const params = new Map<string, WireType>();
  for (const [method, schema] of Object.entries($defs).filter(([name]) => name.includes("/"))) {
    params.set(method, names.message(method, notifications.includes(method) ? "" : "Params", schema));
  }
  const answers = Object.entries(results).map(([method, schema]) => {
    return [method, names.message(method, "Result", schema)] as const;
  });
  return { classes: names.classes, aliases: names.aliases, params, results: new Map(answers) };
}

export function isOfLsp(name: string): boolean {
  return name.startsWith("lsp.");
}

class Naming {
  readonly #classes = new Map<string, WireClass>();
  readonly #aliases: WireAlias[] = [];
  /** Names of classes by what their fields are. */
  readonly #bySignature = new Map<string, string>();

  get classes(): readonly WireClass[] {
    return [...this.#classes.values()];
  }

  get aliases(): readonly WireAlias[] {
    return this.#aliases;
  }

  shape(name: string, schema: Schema): void {
    const whole = schema.anyOf?.every(isObject) === true ? together(schema.anyOf) : schema;
    if (whole.properties === undefined) this.#aliases.push({ name, type: this.#typeOf(name, whole) });
    else this.#class(name, this.#fields(name, whole), whole.description);
  }

  message(method: string, suffix: string, schema: Schema): WireType {
    return this.#typeOf(capitalized(method.slice("agentq/".length)) + suffix, schema);
  }

  #class(name: string, fields: readonly WireField[], description: string | undefined): void {
    this.#bySignature.set(signatureOf(fields), name);
    this.#classes.set(name, { name, fields, ...(description !== undefined && { description }) });
  }

  #fields(name: string, { properties = {}, required = [] }: Schema): WireField[] {
    return Object.entries(properties).map(([field, schema]) => ({
      name: field,
      isOptional: !required.includes(field),
      type: this.#typeOf(name + capitalized(field), schema),
      ...(schema.description !== undefined && { description: schema.description }),
    }));
  }

  /** `name` is for an object that is written out and has the fields of no shape. */
  #typeOf(name: string, schema: Schema): WireType {
    if (schema.$ref !== undefined) return { kind: "class", name: schema.$ref.slice("#/$defs/".length) };
    if (schema.enum !== undefined) return unionOf(schema.enum.map((value) => ({ kind: "literal", value })));
    if (schema.anyOf !== undefined) return unionOf(schema.anyOf.map((each) => this.#typeOf(name, each)));
    if (schema.items !== undefined) return { kind: "list", of: this.#typeOf(name, schema.items) };
    if (isObject(schema)) return this.#object(name, schema);
    if (Array.isArray(schema.type)) return unionOf(schema.type.map((each: string) => plain(each)));
    return plain(String(schema.type ?? "any"));
  }

  #object(name: string, schema: Schema): WireType {
    if (schema.properties === undefined) {
      const more = schema.additionalProperties;
      return { kind: "map", of: typeof more === "object" ? this.#typeOf(name, more) : plain("any") };
    }
    const fields = this.#fields(name, schema);
    const known = this.#bySignature.get(signatureOf(fields));
    if (known === undefined && fields.length > 0) this.#class(name, fields, undefined);
    return { kind: "class", name: known ?? name };
  }
}

function signatureOf(fields: readonly WireField[]): string {
  return JSON.stringify(fields.map(({ name, type }) => [name, type]).toSorted());
}

function isObject(schema: Schema): boolean {
  return schema.type === "object";
}

/** One class for all members of a union: a field that a member lacks is optional. */
function together(members: readonly Schema[]): Schema {
  const properties: Record<string, Schema> = {};
  for (const [name, schema] of members.flatMap((member) => Object.entries(member.properties ?? {}))) {
    const before = properties[name];
    if (before?.enum !== undefined && schema.enum !== undefined) {
      properties[name] = { enum: [...before.enum, ...schema.enum] };
    } else if (before === undefined || JSON.stringify(before) === JSON.stringify(schema)) {
      properties[name] = schema;
    } else {
      properties[name] = { anyOf: [before, schema] };
    }
  }
  const required = Object.keys(properties).filter((name) => members.every((member) => member.required?.includes(name)));
  return { type: "object", properties, required };
}

function unionOf(members: readonly WireType[]): WireType {
  const [only, second] = members;
  return only !== undefined && second === undefined ? only : { kind: "union", members };
}

function plain(name: string): WireType {
  return { kind: "plain", name: name as "any" };
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
