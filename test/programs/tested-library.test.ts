/** A library with a planted bug, from the failing test to the unsaved fix: `250ms` is read as 250 minutes. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runTests } from "../../server/src/repl/testing/run-tests.ts";
import { createEvalForm } from "../../server/src/tools/execution/eval-form.ts";
import { createRunTests } from "../../server/src/tools/execution/run-tests.ts";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { startImageOn, type Program } from "./with-program.ts";

const root = fileURLToPath(new URL("../fixtures/library-project", import.meta.url));
const PARSE = "src/parse.ts";
const saved = readFileSync(path.join(root, PARSE), "utf8");
const WRONG = "(d|h|m|s|ms)";
const RIGHT = "(d|h|ms|m|s)";

/** Open documents by absolute path, as the editor has them. */
const open: Record<string, string> = {};
let program: Program;
let evalForm: Tool;
let runTool: Tool;
beforeAll(() => {
  program = startImageOn(root, { readSource: (file) => open[file] });
  const findFile = (name: string): { path: string } => ({ path: path.join(root, name) });
  const showUri = (uri: string): string => path.relative(root, fileURLToPath(uri));
  evalForm = createEvalForm(program.image, { findFile, showUri });
  const sources = { projectRoot: root, openTexts: () => open, log: () => {} };
  const limits = { confinement: "confined", whyNotWalled: "a test" } as const;
  runTool = createRunTests({
    run: (request, signal) => runTests({ ...sources, readSource: (file) => open[file] }, limits, request, signal),
    findFile,
    showPath: (file) => path.relative(root, file),
    lineOf: async (file, line) => (open[file] ?? readFileSync(file, "utf8")).split("\n")[line - 1],
    editedTexts: () => Promise.resolve(new Map()),
    unsaved: () => Promise.resolve([]),
  });
});
afterAll(() => program.dispose());

async function use(tool: Tool, args: Record<string, unknown>): Promise<string> {
  const context = { callId: "1", caller: "model", signal: new AbortController().signal } as const;
  const answer = (await tool.run(args, context)) as ToolAnswer;
  return answer.content;
}

it("is debugged in the image: a failing test, a look inside, a fix that runs, and green tests before it is saved", async () => {
  const failing = await use(runTool, {});
  expect(failing).toMatch(/^2 failed, 3 passed in 1 file/);
  expect(failing).toContain("FAILED test/duration.test.ts:13:3 parseDuration > reads milliseconds");
  expect(failing).toContain("expected 15000000 to be 250");

  // The helper is not exported; in its module's own scope it can be asked all the same.
  const looked = await use(evalForm, { form: "tokens('250ms')", path: PARSE });
  expect(looked).toContain('[{ amount: 250, unit: "m" }]');
  const before = await use(evalForm, {
    form: "import { parseDuration } from './src/index.ts'; parseDuration('250ms')",
  });
  expect(before).toMatch(/^15000000\n/);

  const fix = String.raw`function pattern(): RegExp { return /(\d+(?:\.\d+)?)\s*${RIGHT}/g }`;
  await use(evalForm, { form: fix, path: PARSE });
  const tried = "[parseDuration('250ms'), parseDuration('1h 30m'), parseDuration('1s 20ms')]";
  expect(await use(evalForm, { form: tried })).toContain("[250, 5400000, 1020]");
  // What runs in the image is not what the tests run.
  expect(await use(runTool, { name: "milliseconds" })).toMatch(/^1 failed/);

  open[path.join(root, PARSE)] = saved.replace(WRONG, RIGHT);
  expect(await use(runTool, {})).toMatch(/^5 passed in 1 file/);
  expect(readFileSync(path.join(root, PARSE), "utf8")).toBe(saved);
  // An import after the edit gives the text in the editor.
  const after = await use(evalForm, { form: "import { parseDuration } from './src/index.ts'; parseDuration('250ms')" });
  expect(after).toMatch(/^250\n/);
}, 120_000);
