/** What a model hears of edits that it only tries: a form and tests with them, while files and REPL stay as they are. */
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { ServerClient } from "../support/server-client.ts";

const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));
const FORM =
  'import { allocate } from "./src/allocate.ts"; import { money } from "./src/money.ts"; allocate(money(-1000), [1, 1, 1]).join(" ")';
const FLOOR = { path: "src/allocate.ts", original: "Math.trunc((total", modified: "Math.floor((total" };

let root: string;
let client: ServerClient;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-try-")));
  cpSync(example, root, { recursive: true });
  client = new ServerClient();
  await client.initialize([root]);
});

afterAll(async () => {
  await client.close();
  rmSync(root, { recursive: true, force: true });
});

const call = (name: string, args: Record<string, unknown>): Promise<ToolResult> =>
  client.request("agentq/callTool", { name, arguments: args });
const tried = async (args: Record<string, unknown>): Promise<string> => {
  const { content, error = "" } = await call("try_edit", args);
  return content + error;
};

it("evaluates with the edits, and leaves the files and the REPL as they are", async () => {
  const before = readFileSync(path.join(root, "src/allocate.ts"), "utf8");
  expect((await call("eval_form", { form: FORM })).content).toContain("-3.33 EUR -3.33 EUR -3.33 EUR");
  const content = await tried({ edits: [FLOOR], form: FORM });
  expect(content).toMatch(/^"-3\.33 EUR -3\.33 EUR -3\.34 EUR"\n: string\n\(value, [\d.]+ ms\)$/);
  expect((await call("eval_form", { form: FORM })).content).toContain("-3.33 EUR -3.33 EUR -3.33 EUR");
  expect(readFileSync(path.join(root, "src/allocate.ts"), "utf8")).toBe(before);
});

it("evaluates in the scope of an edited module, and shows what the form prints", async () => {
  const edit = { ...FLOOR, original: "function totalWeight", modified: "const secret = 42;\n\nfunction totalWeight" };
  const content = await tried({
    edits: [edit],
    form: "console.log('in', typeof totalWeight); secret",
    path: FLOOR.path,
  });
  expect(content).toMatch(/^42\n: number\nstdout:\n {2}in function\n/);
});

it("sees a new file, and several edits of one file, each on the one before", async () => {
  const edits = [
    { path: "src/twice.ts", modified: "export const twice = (n: number): number => n * 2;\n" },
    { path: "src/twice.ts", original: "n * 2", modified: "n * 2 + 1" },
    { path: "src/tax.ts", original: "import", modified: 'export { twice } from "./twice.ts";\nimport' },
  ];
  const content = await tried({ edits, form: 'import { twice } from "./src/tax.ts"; twice(20)' });
  expect(content).toMatch(/^41\n/);
});

it("answers what an edit throws, with its place in the edited text", async () => {
  const edit = { ...FLOOR, modified: "missing((total" };
  expect(await tried({ edits: [edit], form: FORM })).toMatch(
    /^ReferenceError: missing is not defined\n {2}at src\/allocate\.ts:1\d:/,
  );
});

it("tells of an edit that does not fit, and of one outside of the workspace", async () => {
  expect(await tried({ edits: [{ ...FLOOR, original: "Math.trunk((total" }], form: "1" })).toContain(
    "`original` does not occur in src/allocate.ts",
  );
  expect(await tried({ edits: [FLOOR, { path: "../x.ts", modified: "" }], form: "1" })).toMatch(
    /^NOT TRIED: 1 edit has a problem, so nothing ran\.\nedits\[1\] \(write\): /,
  );
});

it("takes every op of propose_edits: a symbol, all occurrences, a move whose imports follow, a deletion", async () => {
  const edits = [
    {
      op: "replace_symbol",
      symbol: "src/money.ts#money",
      modified: "export const money = (cents: number): Money => ({ cents: cents * 2 }) as unknown as Money;",
    },
    { op: "move", path: "src/money.ts", to: "src/cash/coins.ts" },
    { op: "replace_all", path: "src/tax.ts", original: "export", modified: "export /* tried */" },
    { op: "insert_at_end", path: "src/tax.ts", modified: 'export { money } from "./cash/coins.ts";\n' },
    { op: "delete", path: "src/credit-note.ts" },
  ];
  const form = 'import { money } from "./src/tax.ts"; money(21).cents';
  expect(await tried({ edits, form })).toMatch(/^42\n/);
  expect(await tried({ edits, form: 'import "./src/credit-note.ts"' })).toContain("credit-note.ts");
  const both = await tried({
    edits: [
      { op: "create", path: "src/tax.ts", modified: "" },
      { op: "move", path: "src/tax.ts" },
    ],
    form,
  });
  expect(both).toBe(
    "NOT TRIED: 2 edits have problems, so nothing ran.\n" +
      "edits[0] (create): src/tax.ts exists already; use op write for its whole new text.\n" +
      "edits[1] (move): op move needs `to`.",
  );
});

it("is confined as the REPL is: nothing is written, and nothing outside is read", async () => {
  const form = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(path.join(root, "x.txt"))}, "")`;
  expect(await tried({ edits: [FLOOR], form })).toMatch(/EROFS|ERR_ACCESS_DENIED/);
});

it("ends a form that does not end, and its process", async () => {
  expect(await tried({ edits: [FLOOR], form: "for (;;) {}", timeout_ms: 1500 })).toMatch(
    /stopped|interrupted|1500|1\.5 s/i,
  );
});

it("runs tests with edits that nobody has proposed yet", async () => {
  const breaks = { ...FLOOR, original: "there is nothing to divide by", modified: "no weight" };
  const { content } = await call("run_tests", { file: "test/allocate.test.ts", edits: [FLOOR, breaks] });
  expect(content).toMatch(/^1 failed, 4 passed in 1 file/);
  const shifted = { path: "test/allocate.test.ts", original: "import assert", modified: "// first\nimport assert" };
  const moved = await call("run_tests", { file: "test/allocate.test.ts", edits: [breaks, shifted] });
  expect(moved.content).toMatch(
    /at test\/allocate\.test\.ts:16:\d+ {3}\| assert\.throws\(\(\) => allocate\(money\(100\), \[\]\)/,
  );
  expect((await call("run_tests", { file: "test/allocate.test.ts" })).content).toMatch(/^5 passed in 1 file/);
});

it("has the compiler's word on edits that nobody has seen, in every file that uses what they change", async () => {
  const asked = async (args: Record<string, unknown>): Promise<string> => {
    const { content, error = "" } = await call("get_diagnostics", args);
    return content + error;
  };
  const before = readFileSync(path.join(root, "src/money.ts"), "utf8");
  const narrows = {
    path: "src/allocate.ts",
    original: "export function allocate(",
    modified: "export function allocate(first: string, ",
  };
  const broken = await asked({ edits: [narrows] });
  expect(broken).toMatch(/^With these edits: \d+ new errors, 0 gone, in 1 changed file and \d+ files that use it\.\n/);
  expect(broken).toMatch(/error TS2554: .*\n.*\binvoice:\d/);
  expect(broken).toContain("test/allocate.test.ts:7");
  expect(broken, "an edit alone for a list of one, all right").toBe(await asked({ edits: narrows }));
  expect(await asked({ edits: [narrows], code: 9999 })).toMatch(/^With these edits: TS9999 0 new errors, 0 gone/);
  expect(await asked({ edits: [FLOOR] })).toMatch(/^With these edits: 0 new errors, 0 gone, in 1 changed file/);
  expect(await asked({ edits: [{ op: "move", path: "src/money.ts", to: "src/base/money.ts" }] })).toMatch(
    /^With these edits: 0 new errors, 0 gone/,
  );
  expect(await asked({ edits: [{ op: "delete", path: "src/money.ts" }] })).toContain("TS2307");
  expect(await asked({ edits: [{ path: "src/new.ts", modified: "export const n: string = 1;" }] })).toContain(
    "src/new.ts\n  1:14 error TS2322",
  );
  expect(await asked({ edits: [{ path: "notes.md", modified: "x" }] })).toContain(
    "NOT CHECKED: the compiler does not read notes.md.",
  );
  expect(await asked({ edits: [FLOOR], path: "src" })).toContain("leave out `path`");
  expect(await asked({ edits: [{ ...FLOOR, original: "no such text" }] })).toContain("NOT TRIED: 1 edit has a problem");
  expect(await asked({}), "the files are as they were").toMatch(/^No errors or warnings in the workspace/);
  expect(readFileSync(path.join(root, "src/money.ts"), "utf8")).toBe(before);
});
