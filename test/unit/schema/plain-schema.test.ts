import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requestParams } from "../../../server/src/protocol/methods.ts";
import { isPlainlyValid } from "../../../server/src/schema/plain-schema.ts";

const names = ["a", "b", "__proto__", "toString"] as const;
const texts = fc.constantFrom("", "a", "ab", "𝒳", "𝒳𝒳", "toString");
const numbers = fc.constantFrom(-1, 0, 1, 1.5, 2, 3, Number.MAX_SAFE_INTEGER, Number.NaN, Number.POSITIVE_INFINITY);
const types = fc.constantFrom("object", "array", "string", "integer", "number", "boolean", "null");
const bound = fc.nat(3);

/** As JSON has it: `__proto__` is a name like any other. */
const object = (entries: readonly (readonly [string, unknown])[]): object => {
  const made = {};
  for (const [name, value] of entries) {
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return made;
};
const objectOf = (value: fc.Arbitrary<unknown>, among: readonly string[] = names): fc.Arbitrary<object> =>
  fc.array(fc.tuple(fc.constantFrom(...among), value), { maxLength: 3 }).map(object);

const keyword = (name: string, wanted: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown]> =>
  fc.tuple(fc.constant(name), wanted);

const { value, schema } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    texts,
    numbers,
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.array(tie("value"), { maxLength: 3 }),
    objectOf(tie("value")),
  ),
  schema: fc.oneof(
    { depthSize: "small" },
    fc.boolean(),
    fc
      .uniqueArray(
        fc.oneof(
          keyword("type", fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 2 }))),
          keyword("enum", fc.uniqueArray(fc.oneof(texts, bound, fc.constant(null)), { minLength: 1, maxLength: 3 })),
          ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"].map((name) =>
            keyword(name, bound),
          ),
          keyword("required", fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 })),
          // Ajv passes over a property that a schema calls `__proto__`.
          keyword("properties", objectOf(tie("schema"), ["a", "b", "toString"])),
          keyword("additionalProperties", tie("schema")),
          keyword("items", tie("schema")),
          keyword("uniqueItems", fc.constant(true)),
          keyword("pattern", fc.constantFrom("^a", "b$")),
        ),
        { minLength: 1, maxLength: 3, selector: ([name]) => name },
      )
      .map(object),
  ),
}));

describe("a schema of types, names and bounds", () => {
  it("never takes a value that the validator refuses", () => {
    // Only a value's own names: those that every object inherits are no part of JSON.
    const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false, ownProperties: true });
    fc.assert(
      fc.property(schema, value, (asked, given) => {
        if (isPlainlyValid(asked, given)) expect(ajv.compile(asked as object)(given)).toBe(true);
      }),
    );
  });

  it("takes the parameters of a tool's call without a validator", () => {
    const call = { name: "who_calls", arguments: { symbol: "a", depth: 2 } };
    expect(isPlainlyValid(requestParams["agentq/callTool"], call)).toBe(true);
    expect(isPlainlyValid(requestParams["agentq/callTool"], { ...call, name: 5 })).toBe(false);
  });

  it("leaves to the validator what it does not know", () => {
    expect(isPlainlyValid({ type: "string", pattern: "^a" }, "a")).toBe(false);
    expect(isPlainlyValid({ $schema: "http://json-schema.org/draft-07/schema#", type: "string" }, "a")).toBe(false);
  });
});
