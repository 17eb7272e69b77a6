/** What models write in place of a value is taken for the value where no doubt is possible, and for nothing else. */
import { expect, it } from "vitest";
import { meantValue } from "../../../../server/src/tools/run/meant-values.ts";

const edit = { type: "object", properties: { op: { type: "string" }, line: { type: "integer" } } };
const text = { type: "string" };
const change = {
  type: "object",
  properties: { path: text, original: text, modified: text },
  additionalProperties: false,
};
const schema = {
  type: "object",
  properties: {
    start: { type: "integer" },
    ignore_case: { type: "boolean" },
    edits: { type: "array", items: edit },
    changes: { type: "array", items: change },
    paths: { type: "array", items: { type: "string" } },
    options: { type: "object", properties: { deep: { type: "boolean" } } },
    text: { type: "string" },
    kind: { enum: ["function", "enum member"] },
    kinds: { type: "array", items: { enum: ["function", "enum member"] } },
    either: { type: ["string", "array"] },
    name: { type: "string", minLength: 1 },
    places: { type: "array", items: { type: "string" }, minItems: 1 },
    needed: { type: "string", minLength: 1 },
    symbol: { type: "string" },
    symbols: { type: "array", items: { type: "string" } },
  },
  required: ["needed"],
};

it.each([
  [{ start: "12" }, { start: 12 }],
  [{ ignore_case: "true" }, { ignore_case: true }],
  [{ ignore_case: "false" }, { ignore_case: false }],
  [{ edits: '[{"op":"create","line":"3"}]' }, { edits: [{ op: "create", line: 3 }] }],
  [{ edits: { op: "create" } }, { edits: [{ op: "create" }] }],
  [{ edits: '{"op":"create"}' }, { edits: [{ op: "create" }] }],
  [{ paths: "src/a.ts" }, { paths: ["src/a.ts"] }],
  [{ paths: '["src/a.ts"]' }, { paths: ["src/a.ts"] }],
  [{ options: '{"deep":"true"}' }, { options: { deep: true } }],
  [{ text: 7 }, { text: "7" }],
  [{ paths: [7] }, { paths: ["7"] }],
  [{ start: "TS2322" }, { start: 2322 }],
  [{ kind: "Function" }, { kind: "function" }],
  [{ kinds: "function" }, { kinds: ["function"] }],
  [{ kinds: "Enum Member, function" }, { kinds: ["enum member", "function"] }],
  [{ kinds: ["FUNCTION"] }, { kinds: ["function"] }],
  [{ ignore_case: "True" }, { ignore_case: true }],
  [{ text: ["src/a.ts"] }, { text: "src/a.ts" }],
  [{ text: null, start: null, paths: null, options: null, kind: null, ignore_case: null, either: null }, {}],
  [{ text: false, start: false, paths: false, kind: false }, {}],
  [{ name: "", kind: "", ignore_case: "", kinds: "", places: [], text: [] }, {}],
  [
    { changes: [{ file_path: "a", old_string: "b", new_string: "" }] },
    { changes: [{ path: "a", original: "b", modified: "" }] },
  ],
  [{ changes: '[{"path":"a","content":"b"}]' }, { changes: [{ path: "a", modified: "b" }] }],
  [{ options: { deep: null } }, { options: {} }],
  [{ symbol: ["f", "C"] }, { symbols: ["f", "C"] }],
  [{ symbol: '["f","C"]' }, { symbols: ["f", "C"] }],
  [{ symbol: ["f"] }, { symbol: "f" }],
  [{ edits: [{ op: "create", line: null }] }, { edits: [{ op: "create" }] }],
])("%j is meant as %j", (given, meant) => {
  expect(meantValue(schema, given)).toEqual(meant);
});

it.each([
  { start: "1e3" },
  { start: "twelve" },
  { start: "" },
  { start: "TS" },
  { start: "TS12" },
  { text: true },
  { kind: "functions" },
  { kinds: "function, method" },
  { paths: true },
  { ignore_case: "yes" },
  { edits: "[not JSON" },
  { edits: "3" },
  { text: "[1]" },
  { text: "12" },
  { either: "[1]" },
  { unknown: "12" },
  { options: "[]" },
  { text: "", kinds: [], ignore_case: false },
  { text: ["echo", "hi"] },
  { text: [["a"]] },
  { changes: [{ modified: "a", content: "b" }] },
  { needed: null },
  { needed: "" },
  { either: [] },
  { unknown: null },
])("%j stays as it is", (given) => {
  expect(meantValue(schema, given)).toEqual(given);
});
