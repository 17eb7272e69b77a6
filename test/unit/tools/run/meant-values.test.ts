/** What models write in place of a value is taken for the value where no doubt is possible, and for nothing else. */
import { expect, it } from "vitest";
import { meantValue } from "../../../../server/src/tools/run/meant-values.ts";

const edit = { type: "object", properties: { op: { type: "string" }, line: { type: "integer" } } };
const schema = {
  type: "object",
  properties: {
    start: { type: "integer" },
    ignore_case: { type: "boolean" },
    edits: { type: "array", items: edit },
    paths: { type: "array", items: { type: "string" } },
    options: { type: "object", properties: { deep: { type: "boolean" } } },
    text: { type: "string" },
    kind: { enum: ["function", "enum member"] },
    kinds: { type: "array", items: { enum: ["function", "enum member"] } },
    either: { type: ["string", "array"] },
  },
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
])("%j is meant as %j", (given, meant) => {
  expect(meantValue(schema, given)).toEqual(meant);
});

it.each([
  { start: "1e3" },
  { start: "twelve" },
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
])("%j stays as it is", (given) => {
  expect(meantValue(schema, given)).toEqual(given);
});
