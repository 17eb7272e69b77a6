/** From a type the checker knows to the JSON Schema of the values it allows, or to what JSON cannot carry of it. */
import {
  ElementFlags,
  SignatureKind,
  SymbolFlags,
  TypeFlags,
  type Checker,
  type Project,
  type Symbol,
  type TupleType,
  type Type,
} from "typescript/unstable/async";
import type { JsonSchema } from "../../protocol/shapes.ts";
import { notJson, replacementFor } from "./not-json.ts";
import { documentationOf, documented } from "./schema-tags.ts";
import { combineUnion } from "./schema-union.ts";
import { templatePattern } from "./template-pattern.ts";
import { allowsUndefined, isStructured, UNDEFINED } from "./type-kinds.ts";
import { given } from "../../base/given.ts";

/** `$defs` by name; filled while schemas are built, for types that contain themselves. */
export type SchemaDefinitions = Map<string, JsonSchema>;

const MAX_DEPTH = 24;
const UNTYPED = TypeFlags.Any | TypeFlags.Unknown;

/**
 * Contract: `schemaOf` always gives a schema. What JSON cannot carry is written to `problems` as a sentence that begins
 * with the path, and the schema then only fills its place: it must not be used while `problems` is not empty.
 */
export class TypeSchemas {
  readonly problems: string[] = [];
  readonly definitions: SchemaDefinitions = new Map();
  readonly #project: Project;
  /** The types that are being built, with the name a reference to them got. */
  readonly #building = new Map<number, string | undefined>();
  readonly #named = new Map<number, string>();
  #isEndless = false;

  constructor(project: Project) {
    this.#project = project;
  }

  get #checker(): Checker {
    return this.#project.checker;
  }

  async schemaOf(type: Type, path: string): Promise<JsonSchema> {
    const known = this.#named.get(type.id);
    if (known !== undefined) return reference(known);
    if (this.#building.has(type.id)) {
      const name = this.#building.get(type.id) ?? (await this.#nameFor(type));
      this.#building.set(type.id, name);
      return reference(name);
    }
    if (this.#building.size > MAX_DEPTH) {
      return this.#refuseEndless(path);
    }
    if (!isStructured(type)) return this.#dispatch(type, path);
    this.#building.set(type.id, undefined);
    const schema = await this.#dispatch(type, path);
    const name = this.#building.get(type.id);
    this.#building.delete(type.id);
    if (name === undefined) return schema;
    this.definitions.set(name, schema);
    this.#named.set(type.id, name);
    return reference(name);
  }

  /** The schema a `$ref` of these definitions stands for; any other schema itself. */
  resolved(schema: JsonSchema): JsonSchema {
    const target = schema["$ref"];
    return (typeof target === "string" ? this.definitions.get(target.slice("#/$defs/".length)) : undefined) ?? schema;
  }

  async #dispatch(type: Type, path: string): Promise<JsonSchema> {
    const { flags } = type;
    const simple = this.#simple(type, path);
    if (simple !== undefined) return simple;
    if (type.isTemplateLiteralType() || type.isStringMappingType())
      return { type: "string", pattern: `^${await templatePattern(type)}$` };
    if (type.isUnionType()) {
      const members = await type.getTypes();
      const schema = await this.#union(members, path);
      const isNumericEnum = (flags & TypeFlags.EnumLiteral) !== 0 && schema["type"] === "number";
      return isNumericEnum ? { ...schema, description: await enumNames(members) } : schema;
    }
    if (type.isIntersectionType()) return this.#intersection(type, await type.getTypes(), path);
    if (type.isObjectType()) return this.#object(type, path);
    const refused = replacementFor(flags);
    if (refused !== undefined) return this.#refuse(path, refused.reason, refused.instead);
    // A type parameter, or a conditional or indexed type that depends on one: what it may be at most.
    const constraint = await this.#checker.getBaseConstraintOfType(type);
    if (constraint === undefined || constraint.id === type.id) return {};
    return this.schemaOf(constraint, path);
  }

  /** The schema of a type that has no parts; undefined for any other type. */
  #simple(type: Type, path: string): JsonSchema | undefined {
    const { flags } = type;
    if (type.isErrorType()) return this.#refuse(path, "the type cannot be resolved", "a type that compiles");
    if ((flags & UNTYPED) !== 0) return {};
    if ((flags & TypeFlags.Never) !== 0) return { not: {} };
    if ((flags & TypeFlags.Null) !== 0) return { type: "null" };
    if ((flags & UNDEFINED) !== 0)
      return this.#refuse(path, "JSON has no undefined", "null, or an optional property in its place");
    if (type.isStringLiteralType() || type.isNumberLiteralType() || type.isBooleanLiteralType())
      return { type: typeof type.value, const: type.value };
    if ((flags & TypeFlags.String) !== 0) return { type: "string" };
    if ((flags & (TypeFlags.Number | TypeFlags.Enum)) !== 0 && !type.isUnionType()) return { type: "number" };
    if ((flags & TypeFlags.Boolean) !== 0) return { type: "boolean" };
    return (flags & TypeFlags.NonPrimitive) === 0 ? undefined : { type: "object" };
  }

  async #union(members: readonly Type[], path: string): Promise<JsonSchema> {
    const allowed = members.filter((member) => (member.flags & UNDEFINED) === 0);
    if (allowed.length < members.length)
      this.#refuse(path, "JSON has no undefined", "null, or an optional property in its place");
    return this.#unionOf(allowed, path);
  }

  async #unionOf(members: readonly Type[], path: string): Promise<JsonSchema> {
    const schemas: JsonSchema[] = [];
    for (const member of members) schemas.push(await this.schemaOf(member, path));
    return combineUnion(schemas);
  }

  async #intersection(type: Type, members: readonly Type[], path: string): Promise<JsonSchema> {
    // A branded primitive (`string & { __brand: … }`) is that primitive on the wire.
    const primitive = members.find((member) => (member.flags & TypeFlags.Primitive) !== 0);
    if (primitive !== undefined) return this.schemaOf(primitive, path);
    for (const member of members) {
      const found = member.isObjectType() ? await notJson(member) : undefined;
      if (found !== undefined) return this.#refuse(path, found.reason, found.instead);
    }
    return this.#properties(type, path);
  }

  async #object(type: Type, path: string): Promise<JsonSchema> {
    if (await this.#checker.isTupleType(type)) return this.#tuple(type, path);
    if (await this.#checker.isArrayType(type)) {
      const [element] = type.isTypeReference() ? await this.#checker.getTypeArguments(type) : [];
      return { type: "array", items: element === undefined ? {} : await this.schemaOf(element, `${path}[]`) };
    }
    const signatures = await this.#checker.getSignaturesOfType(type, SignatureKind.Call);
    if (signatures.length > 0) return this.#refuse(path, "a function is no JSON value", "data that says what to do");
    const constructors = await this.#checker.getSignaturesOfType(type, SignatureKind.Construct);
    if (constructors.length > 0) return this.#refuse(path, "a class is no JSON value", "a name to look it up by");
    const found = await notJson(type);
    if (found !== undefined) return this.#refuse(path, found.reason, found.instead);
    return this.#properties(type, path);
  }

  async #tuple(type: Type, path: string): Promise<JsonSchema> {
    const target = type.isTypeReference() ? await type.getTarget() : type;
    const { elementFlags } = target as TupleType;
    const elements = type.isTypeReference() ? await this.#checker.getTypeArguments(type) : [];
    const fixed: JsonSchema[] = [];
    let rest: JsonSchema | undefined;
    let required = 0;
    for (const [index, flags] of elementFlags.entries()) {
      const element = elements[index];
      if (element === undefined) continue;
      if ((flags & ElementFlags.Fixed) === 0) {
        if (index < elementFlags.length - 1)
          return this.#refuse(
            path,
            "a tuple with elements after its rest has no schema",
            "the rest as the last element",
          );
        rest = await this.schemaOf(element, `${path}[]`);
        continue;
      }
      if ((flags & ElementFlags.Required) !== 0) required += 1;
      fixed.push(await this.withoutUndefined(element, `${path}[${index}]`));
    }
    const items = rest === undefined ? { items: false, maxItems: fixed.length } : { items: rest };
    return { type: "array", ...(fixed.length > 0 ? { prefixItems: fixed } : {}), minItems: required, ...items };
  }

  async #properties(type: Type, path: string): Promise<JsonSchema> {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    const symbols = await this.#checker.getPropertiesOfType(type);
    for (const symbol of symbols) {
      // A well-known symbol as a key (`[Symbol.iterator]`) is invisible to JSON.
      if (symbol.escapedName.startsWith("__@")) continue;
      const { schema, optional } = await this.property(symbol, `${path}.${symbol.name}`);
      properties[symbol.name] = schema;
      if (!optional) required.push(symbol.name);
    }
    const rest = await this.#indexSignatures(type, path);
    // `{}` in TypeScript is everything but null and undefined.
    if (symbols.length === 0 && Object.keys(rest).length === 0 && (await this.#isEmptyLiteral(type)))
      return { not: { type: "null" } };
    return {
      type: "object",
      ...(symbols.length > 0 || Object.keys(rest).length === 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...("additionalProperties" in rest ? rest : { ...rest, additionalProperties: false }),
    };
  }

  /** The schema of a property or parameter with what its documentation adds. */
  async property(symbol: Symbol, path: string): Promise<{ readonly schema: JsonSchema; readonly optional: boolean }> {
    const type = await this.#checker.getTypeOfSymbol(symbol);
    const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0;
    if (type === undefined) return { schema: {}, optional: isOptional };
    const schema = await this.withoutUndefined(type, path);
    const optional = isOptional || (await allowsUndefined(type));
    const documentation = await documentationOf(this.#project, symbol);
    return { schema: documented(schema, documentation, path, this.problems), optional };
  }

  /** The schema without `undefined`, which an absent value stands for. */
  async withoutUndefined(type: Type, path: string): Promise<JsonSchema> {
    if ((type.flags & UNDEFINED) !== 0) return { not: {} };
    if (!type.isUnionType()) return this.schemaOf(type, path);
    const members = await type.getTypes();
    const rest = members.filter((member) => (member.flags & UNDEFINED) === 0);
    if (rest.length === members.length) return this.schemaOf(type, path);
    // The same type without `undefined` may be one that is being built or has a name.
    const narrowed = await this.#checker.getNonNullableType(type);
    const hasNull = rest.some((member) => (member.flags & TypeFlags.Null) !== 0);
    if (narrowed !== undefined && !hasNull) return this.schemaOf(narrowed, path);
    return this.#unionOf(rest, path);
  }

  async #indexSignatures(type: Type, path: string): Promise<JsonSchema> {
    const patterns: Record<string, JsonSchema> = {};
    let others: JsonSchema | undefined;
    for (const { keyType, valueType } of await this.#checker.getIndexInfosOfType(type)) {
      const value = await this.schemaOf(valueType, `${path}[key]`);
      if ((keyType.flags & TypeFlags.String) !== 0) others = value;
      else if ((keyType.flags & TypeFlags.Number) !== 0) patterns["^-?\\d+(\\.\\d+)?$"] = value;
      else if (keyType.isTemplateLiteralType() || keyType.isStringMappingType())
        patterns[`^${await templatePattern(keyType)}$`] = value;
      else this.#refuse(`${path}[key]`, "JSON has no symbol keys", "a string as the key");
    }
    return {
      ...(Object.keys(patterns).length > 0 ? { patternProperties: patterns } : {}),
      ...given({ additionalProperties: others }),
    };
  }

  async #isEmptyLiteral(type: Type): Promise<boolean> {
    const symbol = await type.getSymbol();
    return symbol === undefined || (symbol.flags & SymbolFlags.TypeLiteral) !== 0;
  }

  async #nameFor(type: Type): Promise<string> {
    const symbol = (await type.getAliasSymbol()) ?? (await type.getSymbol());
    const isNamed = symbol !== undefined && !symbol.escapedName.startsWith("__");
    const text = isNamed ? await this.#checker.typeToString(type) : "Type";
    const base = text.replaceAll(/[^\w$]+/g, "_").replaceAll(/^_+|_+$/g, "") || "Type";
    const taken = new Set([...this.definitions.keys(), ...this.#building.values()]);
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
    return name;
  }

  /** Refuses once: an endless type meets its end in every branch. */
  #refuseEndless(path: string): JsonSchema {
    const start = path.split(".").slice(0, 3).join(".");
    if (this.#isEndless) return {};
    this.#isEndless = true;
    return this.#refuse(
      `${start}…`,
      "the type nests without end",
      "a type that refers to itself by the same arguments",
    );
  }

  #refuse(path: string, reason: string, instead: string): JsonSchema {
    this.problems.push(`${path}: ${reason}; use ${instead}.`);
    return {};
  }
}

/** `Low = 1, High = 2`, because a number alone says nothing. */
async function enumNames(members: readonly Type[]): Promise<string> {
  const names = await Promise.all(
    members.map(async (member) => {
      const value = member.isNumberLiteralType() ? [` = ${member.value}`] : [];
      return [(await member.getSymbol())?.name ?? "", ...value].join("");
    }),
  );
  return names.join(", ");
}

function reference(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}
