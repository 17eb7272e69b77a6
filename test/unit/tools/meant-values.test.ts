/** What models write in place of a value is taken for the value where no doubt is possible, and for nothing else. */
import { expect, it } from "vitest";
import { meantValue } from "../../../server/src/tools/meant-values.ts";

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
])("%j is meant as %j", (given, meant) => {
  expect(meantValue(schema, given)).toEqual(meant);
});

it.each([
  { start: "1e3" },
  { start: "twelve" },
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
