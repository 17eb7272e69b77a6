/** Checks values against JSON Schemas: the one validator for tool arguments and request parameters. */
import { createRequire } from "node:module";
import type { ErrorObject, ValidateFunction } from "ajv";
import type { ParameterProblem } from "../base/errors.ts";
import type { JsonSchema } from "./schema-type.ts";
import { errorText } from "../base/errors.ts";
import { FORMATS } from "./formats.ts";
import { isPlainlyValid } from "./plain-schema.ts";

interface Validator {
  compile(schema: JsonSchema): ValidateFunction;
}

type AjvClass = typeof import("ajv").Ajv;

/** The dialects of JSON Schema that have a validator, by what `$schema` calls them. */
type Dialect = "2020" | "2019" | "07";

const compiled = new WeakMap<JsonSchema, ValidateFunction>();
let validator: Validator | undefined;
let strictValidator: Validator | undefined;

/** All problems at once, with their places; empty when the value satisfies the schema, which must be a valid one. */
export async function problemsWith(schema: JsonSchema, value: unknown): Promise<ParameterProblem[]> {
  if (isPlainlyValid(schema, value)) return [];
  return problemsFound(compiled.get(schema) ?? (await compiledValidator(schema)), value);
}

/** Like `problemsWith`, but at once, for a value that has to be checked before anything else can begin. */
export function problemsNow(schema: JsonSchema, value: unknown): ParameterProblem[] {
  if (isPlainlyValid(schema, value)) return [];
  validator ??= createValidator(classOf("2020"), false);
  return problemsFound(compiled.get(schema) ?? compile(schema, validator), value);
}

/** Why this is not a JSON Schema, or undefined when it is one: for schemas that somebody else brings. */
export function schemaProblem(schema: JsonSchema): string | undefined {
  try {
    const own = ownValidator(schema, true);
    (own ?? (strictValidator ??= createValidator(classOf("2020"), true))).compile(schema);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

async function compiledValidator(schema: JsonSchema): Promise<ValidateFunction> {
  // Loaded with the first check that needs it: most never do.
  validator ??= createValidator((await import("ajv/dist/2020.js")).Ajv2020, false);
  return compile(schema, validator);
}

function compile(schema: JsonSchema, shared: Validator): ValidateFunction {
  const validate = (ownValidator(schema, false) ?? shared).compile(schema);
  compiled.set(schema, validate);
  return validate;
}

function problemsFound(validate: ValidateFunction, value: unknown): ParameterProblem[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).filter(isInformative).map((error) => toProblem(error));
}

/**
 * A validator remembers each `$id` for good, and knows one dialect: a schema with an `$id` or a dialect of its own gets
 * its own validator.
 */
function ownValidator(schema: JsonSchema, checksSchemas: boolean): Validator | undefined {
  const dialect = dialectOf(schema);
  if (dialect === "2020" && !JSON.stringify(schema).includes('"$id"')) return undefined;
  return createValidator(classOf(dialect), checksSchemas);
}

function dialectOf({ $schema }: JsonSchema): Dialect {
  if (typeof $schema !== "string") return "2020";
  if (/json-schema\.org\/draft-07\/schema/.test($schema)) return "07";
  return /json-schema\.org\/draft\/2019-09\/schema/.test($schema) ? "2019" : "2020";
}

/** Checking schemas against the meta-schema costs more than everything else here, and ours are checked by a test. */
function createValidator(Ajv: AjvClass, checksSchemas: boolean): Validator {
  return new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    allowUnionTypes: true,
    formats: FORMATS,
    // A format that is not known here is ignored, as the standard has it, and nobody need hear of that.
    logger: false,
    meta: checksSchemas,
    validateSchema: checksSchemas,
  });
}

function classOf(dialect: Dialect): AjvClass {
  const require = createRequire(import.meta.url);
  switch (dialect) {
    case "2020":
      return (require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js")).Ajv2020;
    case "2019":
      return (require("ajv/dist/2019.js") as typeof import("ajv/dist/2019.js")).Ajv2019;
    case "07":
      return (require("ajv") as typeof import("ajv")).Ajv;
    default:
      return dialect satisfies never;
  }
}

/** `anyOf` and `oneOf` failures repeat what their branches already say. */
function isInformative(error: ErrorObject, _index: number, all: readonly ErrorObject[]): boolean {
  return !(["anyOf", "oneOf", "if"].includes(error.keyword) && all.length > 1);
}

function toProblem(error: ErrorObject): ParameterProblem {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "required":
      return {
        path: `${error.instancePath}/${String(params["missingProperty"])}`,
        expected: describeMissing(error, String(params["missingProperty"])),
        received: undefined,
      };
    case "additionalProperties":
      return {
        path: `${error.instancePath}/${String(params["additionalProperty"])}`,
        expected: `one of the known names (${knownNames(error).join(", ")})`,
        received: (error.data as Record<string, unknown>)[String(params["additionalProperty"])],
      };
    case "type":
      return { path: error.instancePath, expected: String(params["type"]), received: error.data };
    case "enum":
      return {
        path: error.instancePath,
        expected: `one of ${(params["allowedValues"] as unknown[]).map((item) => JSON.stringify(item)).join(", ")}`,
        received: error.data,
      };
    case "format":
      return {
        path: error.instancePath,
        expected: `text in the format ${String(params["format"])}`,
        received: error.data,
      };
    default:
      return { path: error.instancePath, expected: inWords(error), received: error.data };
  }
}

/** Ajv says "must be >= 1" and "must NOT have fewer than 1 characters"; the sentence here begins with "expected". */
function inWords({ message, keyword }: ErrorObject): string {
  const [, few, count, what] = /^must NOT have (fewer|more) than (\d+) (\w+)$/.exec(message ?? "") ?? [];
  if (few !== undefined) return `${count} ${few === "fewer" ? "or more" : "or fewer"} ${what}`;
  return message?.replace(/^must be /, "").replace(/^must /, "a value that must ") ?? keyword;
}

function describeMissing(error: ErrorObject, name: string): string {
  const properties = (error.parentSchema?.["properties"] ?? {}) as Record<string, JsonSchema>;
  const { type, enum: choices } = properties[name] ?? {};
  if (Array.isArray(choices)) return `one of ${choices.map((each) => JSON.stringify(each)).join(", ")} (required)`;
  return typeof type === "string" ? `${type} (required)` : "a value (required)";
}

function knownNames(error: ErrorObject): string[] {
  return Object.keys((error.parentSchema?.["properties"] ?? {}) as object);
}
