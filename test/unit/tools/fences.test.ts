/** The fences of Markdown round code are left out where they can mean nothing else. */
import { expect, it } from "vitest";
import { fencedCode, withoutFences } from "../../../server/src/tools/fences.ts";
import type { Edit } from "../../../server/src/tools/edit-schema.ts";
import { defineTool } from "../../../server/src/tools/tool.ts";
import { takenArguments } from "../../../server/src/tools/run/valid-arguments.ts";

it.each([
  ["```ts\none();\ntwo();\n```", "one();\ntwo();"],
  ["\n```\n  one();\n```\n\n", "  one();"],
  ["~~~typescript src/a.ts\none();\n~~~", "one();"],
  ["````ts\nconst s = `\n```\n`;\n````", "const s = `\n```\n`;"],
  ["```ts\n\n```", ""],
])("the code of %j", (text, code) => {
  expect(fencedCode(text)).toBe(code);
});

it.each([
  "one();",
  "```ts\none();",
  "Here:\n```ts\none();\n```",
  "```a\n1\n```\nand\n```b\n2\n```",
  "```one()```",
  "``",
])("%j is no fenced block as a whole", (text) => {
  expect(fencedCode(text)).toBeUndefined();
});

const fenced = (text: string): string => `\`\`\`ts\n${text}\n\`\`\``;
const edit = (over: Partial<Edit>): Edit => ({ op: "replace", path: "a.ts", ...over });

it("an edit of code has its texts alone, with line ends where lines are written", () => {
  const texts = (over: Partial<Edit>, path = "a.ts", now: string | undefined = "one();\n"): unknown[] => {
    const { original, modified } = withoutFences(edit(over), path, now);
    return [original, modified];
  };
  expect(texts({ original: fenced("one();"), modified: fenced("two();") })).toEqual(["one();", "two();"]);
  expect(texts({ original: "one();", modified: fenced("two();") })).toEqual(["one();", "two();"]);
  expect(texts({ original: "one();\n", modified: fenced("two();") })).toEqual(["one();\n", "two();\n"]);
  expect(texts({ op: "create", modified: fenced("two();") })).toEqual([undefined, "two();\n"]);
  expect(texts({ op: "insert_after", original: "one();", modified: fenced("two();") })).toEqual(["one();", "two();\n"]);
  const asGiven = { original: fenced("one();"), modified: fenced("two();") };
  const kept = [asGiven.original, asGiven.modified];
  expect(texts(asGiven, "docs/a.md")).toEqual(kept);
  expect(texts(asGiven, "a.ts", "/** ```ts\n one();\n``` */\n")).toEqual(kept);
});

it("a form has none either", async () => {
  const inputSchema = { type: "object", properties: { form: { type: "string" }, path: { type: "string" } } };
  const tool = defineTool({
    name: "look",
    description: "looks",
    input: inputSchema,
    categories: [],
    run: async () => "",
  });
  const given = { form: fenced("1 + 1"), path: "src/a.ts" };
  expect(await takenArguments(tool, given)).toEqual({ args: { form: "1 + 1", path: "src/a.ts" } });
});
