/** A JSON Schema: draft 2020-12, or 2019-09 or 07 where `$schema` says so. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The static type of values that satisfy a literal JSON Schema, for the part of JSON Schema our own schemas use: objects,
 * arrays, primitives, enums and lists of types. Schemas we do not write ourselves are checked at run time only.
 */
export type SchemaType<Schema> = Schema extends { readonly enum: readonly (infer Member)[] }
  ? Member
  : Schema extends { readonly type: readonly (infer Names)[] }
    ? PrimitiveType<Names>
    : Schema extends { readonly type: "object"; readonly properties: infer Properties }
      ? ObjectType<Properties, Schema extends { readonly required: readonly (infer Required)[] } ? Required : never>
      : Schema extends { readonly type: "object" }
        ? Readonly<Record<string, unknown>>
        : Schema extends { readonly type: "array"; readonly items: infer Items }
          ? readonly SchemaType<Items>[]
          : Schema extends { readonly type: infer Name }
            ? PrimitiveType<Name>
            : unknown;

type ObjectType<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: SchemaType<Properties[Name]>;
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?: SchemaType<Properties[Name]>;
};

type PrimitiveType<Name> = Name extends "string"
  ? string
  : Name extends "integer" | "number"
    ? number
    : Name extends "boolean"
      ? boolean
      : Name extends "null"
        ? null
        : unknown;
