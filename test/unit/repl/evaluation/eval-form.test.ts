import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createEvalForm } from "../../../../server/src/tools/execution/eval-form.ts";
import type { Tool } from "../../../../server/src/tools/tool.ts";
import { answerOf } from "../../../support/answer-of.ts";
import { startTestImage, type TestImage } from "../with-image.ts";

let t: TestImage;
let evalForm: Tool;
beforeAll(() => {
  t = startTestImage();
  const showUri = (uri: string): string => relative(t.root, fileURLToPath(uri));
  evalForm = createEvalForm(t.image, {
    findFile: (name) => (name.startsWith("src/") ? { path: join(t.root, name) } : { reason: `No module ${name}.` }),
    showUri,
  });
});
afterAll(() => t.dispose());

const run = async (tool: Tool, args: Record<string, unknown> = {}): Promise<string> => {
  return (await answerOf(tool, args)).content.replace(/[\d.]+ ms/g, "N ms");
};

it("answers the value first, then type and handle, then what was printed", async () => {
  expect(await run(evalForm, { form: "console.log('hi'); [1, 2]" })).toBe(
    "[1, 2]\n: Array(2), kept as $1\nstdout:\n  hi\n(value, N ms)",
  );
});

it("answers an error with its cause and the frames of the project's source", async () => {
  const form = "import { Invoice } from './src/invoice.ts';\nnew Invoice('z').add('bad', -1)";
  const text = [
    "RangeError: a line of -1 cents",
    '  at src/invoice.ts:21:13 in Invoice.add   | throw new RangeError(`a line of ${cents} cents`, { cause: new TypeError("cents must be positive") });',
    "  at form 2:2:18   | new Invoice('z').add('bad', -1)",
    "Caused by:",
    "  TypeError: cents must be positive",
  ].join("\n");
  expect(await run(evalForm, { form })).toContain(text);
});

it("points at a syntax error", async () => {
  expect(await run(evalForm, { form: "const a = 1;\nconst b = ;" })).toContain(
    "SyntaxError: Unexpected token\n  at form 3:2:11   | const b = ;",
  );
});

it("evaluates in a module, and says so when there is no such module", async () => {
  expect(await run(evalForm, { form: "surcharge", path: "src/invoice.ts" })).toContain("5\n: number");
  const nowhere = { content: "No module nowhere.", success: false };
  expect(await answerOf(evalForm, { form: "1", path: "nowhere" })).toEqual(nowhere);
  const missing = await answerOf(evalForm, { form: "1", path: "src/nowhere.ts" });
  expect(missing).toMatchObject({
    success: false,
    content: expect.stringContaining("There is no file src/nowhere.ts"),
  });
});

it("says where a form was stopped, and that the state was kept", async () => {
  const text = await run(evalForm, { form: "for (;;) {}", timeout_ms: 150 });
  expect(text).toMatch(/^Timeout: Stopped after N ms while it ran here; state is kept\.\n {2}at form 6:1:\d+ /);
});

it("is dangerous where the image is open, and its deadline is longer than any evaluation's", () => {
  const names = { findFile: () => ({ reason: "" }), showUri: (uri: string) => uri };
  expect(createEvalForm(t.image, names, { safety: "dangerous" }).safety).toBe("dangerous");
  expect(evalForm.safety).toBe("cautious");
  expect(evalForm.timeoutMs).toBeGreaterThan(120_000);
});

it("says how to reach a name that only a module has", async () => {
  await t.value("import './src/invoice.ts'; 1");
  expect(await run(evalForm, { form: "surcharge + 1" })).toContain(
    'note: surcharge is a name of src/invoice.ts, not of the session: import it, or evaluate with path: "src/invoice.ts", ',
  );
  const own = await t.evaluate("surcharge + 1", { by: "person" });
  expect(own.notes.map(({ message }) => message)).toEqual([
    "surcharge is a name of src/invoice.ts, not of the session: import it, or evaluate in its scope, which reaches what is not exported too.",
  ]);
  expect((await t.evaluate("nowhereAtAll()")).notes).toEqual([]);
});
