import { afterAll, describe, expect, it } from "vitest";
import { problemsWith, schemaProblem } from "../../../../server/src/schema/json-schema.ts";
import { resolveSymbol } from "../../../../server/src/typescript/names/resolve-symbol.ts";
import {
  signatureSchema,
  snakeCase,
  type SignatureResult,
} from "../../../../server/src/typescript/schema/signature-schema.ts";
import { openProject } from "../with-typescript.ts";

const project = openProject("signature-project");
afterAll(() => project.dispose());

function read(address: string): Promise<SignatureResult> {
  return project.service.query(async (view) => {
    const resolution = await resolveSymbol(view, address);
    if (resolution.kind !== "found") throw new Error(`${address} is ${resolution.kind}`);
    return signatureSchema(view, resolution.target);
  }, AbortSignal.timeout(60_000));
}

const city = { city: "Bern" };
const customer = { id: 1, name: "Ada", address: city, tags: [] };
const leaf = { label: "leaf", children: [] };
const anything = { any: ["thing", 1, null] };

/** The function, arguments its signature takes, and arguments it does not take. */
const TABLE: readonly (readonly [name: string, good: object, bad: object])[] = [
  ["noParameters", {}, { extra: 1 }],
  ["aString", { name: "a" }, { name: 1 }],
  ["aNumber", { count: 1.5 }, { count: "1" }],
  ["aBoolean", { flag: false }, { flag: 0 }],
  ["aNull", { nothing: null }, { nothing: 0 }],
  ["anUnknown", { value: anything }, {}],
  ["anAny", { value: null }, {}],
  ["anObjectOfAnyKind", { value: anything }, { value: "text" }],
  ["anythingButNull", { value: 0 }, { value: null }],
  ["aStringLiteral", { mode: "fast" }, { mode: "slow" }],
  ["aUnionOfStrings", { mode: "auto" }, { mode: "Auto" }],
  ["aUnionOfNumbers", { level: 3 }, { level: 4 }],
  ["aUnionOfLiteralsOfSeveralTypes", { value: true }, { value: false }],
  ["aNullableString", { name: null }, { name: 1 }],
  ["aNullableUnion", { mode: null }, { mode: "other" }],
  ["aNullableObject", { where: null, reason: "moved" }, { where: {}, reason: "moved" }],
  ["stringOrNumber", { id: 1 }, { id: true }],
  ["openUnion", { color: "blue" }, { color: 1 }],
  ["unionOfObjects", { shape: { kind: "square", side: 2 } }, { shape: { kind: "square", radius: 2 } }],
  ["stringOrList", { names: ["a"] }, { names: [1] }],
  ["orUndefined", {}, { name: null }],
  ["optionalParameter", { name: "a" }, { title: "Dr" }],
  ["defaultString", {}, { unit: 1 }],
  ["defaultNegativeNumber", { offset: -3 }, { offset: "-3" }],
  ["defaultList", { tags: [] }, { tags: "a" }],
  ["defaultObject", { range: { from: 1, to: 2 } }, { range: { from: 1 } }],
  ["computedDefault", {}, { now: "now" }],
  ["restParameter", { separator: ",", names: ["a", "b"] }, { separator: ",", names: [1] }],
  ["withSignal", { query: "a" }, { query: "a", signal: {} }],
  ["thisParameter", { name: "a" }, { this: {}, name: "a" }],
  ["oneObject", { name: "a", age: 3 }, { age: 3 }],
  ["optionalObject", {}, { age: "3" }],
  ["optionalObjectWithRequired", {}, { options: {} }],
  ["anInterface", customer, { ...customer, tags: [1] }],
  ["twoObjects", { customer, address: city }, { customer }],
  ["destructured", { title: "a" }, { width: 3 }],
  ["nested", { customer: { address: city } }, { customer: { address: { city: 3 } } }],
  ["readonlyProperties", { x: 1, y: 2 }, { x: 1 }],
  ["anArray", { names: [] }, { names: {} }],
  ["aReadonlyArray", { names: ["a"] }, { names: [null] }],
  ["arrayOfObjects", { items: [{ id: 1 }] }, { items: [{}] }],
  ["arrayOfArrays", { grid: [[1], []] }, { grid: [1] }],
  ["aTuple", { pair: [1, 2] }, { pair: [1, 2, 3] }],
  ["aTupleWithAnOptional", { pair: ["a"] }, { pair: [] }],
  ["aTupleWithARest", { list: ["a", 1, 2] }, { list: ["a", "b"] }],
  ["aRecord", { scores: { ada: 1 } }, { scores: { ada: "1" } }],
  ["aRecordOfKeys", { cpu: 1, memory: 2 }, { cpu: 1 }],
  ["anIndexSignature", { headers: { a: "b" } }, { headers: { a: 1 } }],
  ["aNumberIndex", { rows: { 1: "a" } }, { rows: { first: "a" } }],
  ["aTemplateIndex", { data: { "data-a": "b" } }, { data: { a: "b" } }],
  ["indexAndProperties", { id: 1, more: anything }, { more: 1 }],
  ["aNumberEnum", { level: 2 }, { level: "High" }],
  ["aStringEnum", { color: "red" }, { color: "Red" }],
  ["aConstEnum", { bit: 0 }, { bit: 2 }],
  ["anEnumMember", { level: 2 }, { level: 1 }],
  ["anInstantiatedAlias", { items: [{ id: 1 }], next: "2" }, { items: [1] }],
  ["anInstantiatedInterface", { first: { value: "a" }, second: { value: 1 } }, { first: { value: 1 }, second: {} }],
  ["aTypeParameter", { key: "a" }, { key: "c" }],
  ["aFreeTypeParameter", { value: anything }, {}],
  ["aPartial", {}, { city: 1 }],
  ["aRequired", { a: "a", b: 1 }, { a: "a" }],
  ["aPick", city, { ...city, zip: "3000" }],
  ["anOmit", city, { zip: "3000" }],
  ["anIntersection", { a: "a" }, { b: 1 }],
  ["aBrandedString", { id: "c-1" }, { id: {} }],
  ["keysOf", { field: "zip" }, { field: "street" }],
  ["aMember", { city: "Bern" }, { city: 1 }],
  ["aConditional", { value: "c" }, { value: "b" }],
  ["aTypeof", { cpu: 1, memory: 2, name: "a" }, { cpu: 1 }],
  ["aTemplate", { id: "order-12" }, { id: "order-" }],
  ["aTemplateOrWord", { size: "1.5px" }, { size: "1.5" }],
  ["anUppercase", { code: "CH-1" }, { code: "ch" }],
  ["neverProperty", { a: "a" }, { a: "a", b: 1 }],
  ["aTree", { label: "root", children: [leaf] }, { label: "root", children: [{ label: "no children" }] }],
  ["aForest", { first: leaf, second: leaf }, { first: leaf, second: { children: [] } }],
  ["aJsonValue", { value: anything }, {}],
  ["mutualRecursion", { name: "a", friend: { name: "b", friend: null } }, { name: "a", friend: { friend: null } }],
  ["constraints", { name: "ada", count: 100, ratio: 0.25 }, { name: "ada", count: 1.5 }],
  ["documentedParameters", { name: "a", count: 1 }, { name: "a" }],
  ["documentedParameter", { count: 1 }, { count: 0 }],
  ["documentedEnum", { level: 1 }, { level: 3 }],
  ["inlineDocumentation", { options: { inner: { leaf: "a" } }, other: 1 }, { options: { inner: {} }, other: 1 }],
  ["twoPatterns", { options: { a: "a" }, options_2: { b: "b" } }, { options: { a: "a" } }],
  ["searchHTMLPages", { query: "a", limit: 1 }, { limit: 1 }],
  ["anArrow", { name: "a", count: 2 }, { count: 2 }],
  ["aFunctionExpression", { name: "a" }, {}],
  ["aTypedConstant", { type: "click" }, { type: 1 }],
  ["Cart.addItem", { sku: "a" }, { sku: "a", quantity: "1" }],
  ["Cart.parse", { text: "a" }, {}],
  ["api.findAll", { limit: 1 }, { limit: null }],
  ["overloaded#1", { id: 1 }, { name: "a" }],
  ["overloaded#2", { name: "a", exact: true }, { id: 1 }],
  ["default", { name: "a" }, {}],
];

describe("the schema of a signature", () => {
  it.each(TABLE)("%s", async (name, good, bad) => {
    const result = await read(`src/functions.ts#${name}`);
    if (result.kind === "problems") throw new Error(result.problems.join("\n"));
    const { inputSchema } = result.signature;
    expect(schemaProblem(inputSchema)).toBeUndefined();
    expect(await problemsWith(inputSchema, good)).toEqual([]);
    expect(await problemsWith(inputSchema, bad)).not.toEqual([]);
  });

  it("is what the list of all schemas says", async () => {
    const lines: string[] = [];
    for (const [name] of TABLE) {
      const result = await read(`src/functions.ts#${name}`);
      if (result.kind === "problems") throw new Error(result.problems.join("\n"));
      const { name: tool, description, inputSchema, parameters } = result.signature;
      const from = parameters.map((source) => ("name" in source ? source.name : source.kind)).join(", ");
      lines.push(`${name} → ${tool}(${from})${description === "" ? "" : ` — ${JSON.stringify(description)}`}`);
      lines.push(`  ${JSON.stringify(inputSchema)}`);
    }
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("snapshots/signature-schemas.txt");
  });

  it("covers every function of the fixture", async () => {
    const declared = await project.service.query(async (view) => {
      const { declarations } = await view.outline(`${project.root}/src/functions.ts`);
      return declarations.filter(({ kind }) => kind === "function" || kind === "method").map(({ path }) => path);
    }, AbortSignal.timeout(60_000));
    const covered = new Set(TABLE.map(([name]) => name.replace(/#\d$/, "")));
    expect(declared.filter((path) => !covered.has(path))).toEqual([]);
    expect(covered.size).toBeGreaterThanOrEqual(60);
  });

  it.each([
    [
      "aDate",
      "options.range.from: a Date is no JSON value; use a string (ISO 8601) and parse it in the function.",
      "options.range.to: a Date is no JSON value; use a string (ISO 8601) and parse it in the function.",
    ],
    ["aMap", "scores: a Map is no JSON value; use a record (Record<string, T>) or an array of pairs."],
    ["aSet", "names: a Set is no JSON value; use an array."],
    ["aBigint", "id: a bigint is no JSON value; use a string or number."],
    ["aSymbol", "key: a symbol is no JSON value; use a string."],
    ["aUniqueSymbol", "key: a symbol is no JSON value; use a string."],
    ["aFunction", "options.onDone: a function is no JSON value; use data that says what to do."],
    ["aMethod", "store.get: a function is no JSON value; use data that says what to do."],
    ["aClass", "kind: a class is no JSON value; use a name to look it up by."],
    [
      "anInstance",
      "account: an instance of the class Account is no JSON value; use an interface with its data, and build the instance in the function.",
    ],
    ["aPromise", "value: a Promise is no JSON value; use the value itself."],
    ["aRegExp", "pattern: a RegExp is no JSON value; use a string with the pattern."],
    ["bytes", "data: a Uint8Array is no JSON value; use a string (base64)."],
    ["aWrapper", "name: a String is no JSON value; use string."],
    ["undefinedInAList", "names[]: JSON has no undefined; use null, or an optional property in its place."],
    ["symbolKeys", "bag[key]: JSON has no symbol keys; use a string as the key."],
    ["tupleWithAMiddle", "list: a tuple with elements after its rest has no schema; use the rest as the last element."],
    [
      "endless",
      "nest.inner.inner…: the type nests without end; use a type that refers to itself by the same arguments.",
    ],
    ["unresolved", "value: the type cannot be resolved; use a type that compiles."],
    [
      "severalProblems",
      "when: a Date is no JSON value; use a string (ISO 8601) and parse it in the function.",
      "key: a symbol is no JSON value; use a string.",
    ],
    [
      "wrongTags",
      "options.name: @minimum is for numbers; use it on a number, or remove it.",
      'options.count: @minimum needs a number, not "many"; use @minimum 1, for example.',
      'options.code: @pattern "(" is no regular expression; use one that JavaScript reads with the flag u.',
    ],
    [
      "overloaded",
      "src/refused.ts#overloaded has 2 overloads; use one of src/refused.ts#overloaded#1 (export function overloaded(id: number): string), src/refused.ts#overloaded#2 (export function overloaded(name: string): string).",
    ],
    ["notAFunction", "src/refused.ts#notAFunction is no function but a const; use the address of a function."],
  ])("is refused with the path and what to use instead: %s", async (name, ...problems) => {
    expect(await read(`src/refused.ts#${name}`)).toEqual({ kind: "problems", problems });
  });

  it("reads a default that stands in unsaved text", async () => {
    const { documents } = project.service;
    const uri = project.uri("src/fresh.ts");
    project.write("src/fresh.ts", "export function wait(seconds = 1): void {}\n");
    documents.didOpen({
      uri,
      languageId: "typescript",
      version: 1,
      text: "export function wait(seconds = 2): void {}\n",
    });
    const result = await read("src/fresh.ts#wait");
    documents.didClose({ uri });
    expect(result).toMatchObject({ signature: { inputSchema: { properties: { seconds: { default: 2 } } } } });
  });

  it.each([
    ["parseHTMLPage", "parse_html_page"],
    ["a1Sauce", "a1_sauce"],
    ["already_snake", "already_snake"],
    ["$get_All", "get_all"],
  ])("calls %s %s", (name, expected) => {
    expect(snakeCase(name)).toBe(expected);
  });
});
