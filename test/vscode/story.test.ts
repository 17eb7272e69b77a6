/** From an empty profile to decided hunks, as a person lives it; a proposal of many files; a server that is killed. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { fixBug } from "../../examples/demo/scripts/fix-bug.ts";
import { McpClient } from "../support/mcp-client.ts";
import { startVsCode } from "./support/stage.ts";
import type { VsCode } from "./support/vscode.ts";

const root = join(import.meta.dirname, "../..");
let vs: VsCode;
let model: ScriptedModel;

afterEach(async () => {
  await vs.picture("last");
  await vs.dispose();
  await model.dispose();
});

async function begin(script: Script, more: Readonly<Record<string, string>> = {}): Promise<void> {
  model = await startScriptedModel(script, { project: join(root, "examples/invoices") });
  const command = [process.execPath, join(root, "bin/agentq.js"), "--stdio"];
  const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-scripted", AGENTQ_MODEL: "scripted", ...more };
  vs = await startVsCode({ settings: { command }, env });
}

async function ask(text: string): Promise<void> {
  await vs.command("Agent-Q: Ask");
  const page = await vs.webview("footer textarea");
  await page.locator(".banner").waitFor({ state: "hidden" });
  await page.locator("footer textarea").fill(text);
  await page.locator("footer textarea").press("Enter");
}

function textOf(path: string): string {
  return readFileSync(join(vs.folder, path), "utf8");
}

/** What the model read last. */
function heard(): string {
  return JSON.stringify(model.requests.at(-1)?.messages);
}

it("gets from an empty profile to an accepted and a rejected hunk in three minutes, and goes on after a killed server", async () => {
  const begun = Date.now();
  await begin(fixBug);
  await ask("Refunds lose a cent. Find out why, and fix it.");
  const threads = vs.page.locator(".review-widget");
  await threads.first().waitFor();
  await vs.picture("review");
  expect(textOf("src/allocate.ts")).toContain("Math.trunc(");
  await threads
    .first()
    .getByRole("button", { name: /accept/i })
    .click();
  await expect.poll(() => textOf("src/allocate.ts")).toContain("Math.floor(");
  await threads.filter({ hasText: "Hunk 2 of 2" }).first().waitFor();
  // The focus follows to the next hunk.
  const why = vs.page.locator(".quick-input-widget input[type=text]").first();
  await expect
    .poll(async () => {
      if (!(await why.isVisible())) await vs.page.keyboard.press("Control+Alt+R");
      return await why.isVisible();
    })
    .toBe(true);
  await why.fill("I like the loop");
  await vs.page.keyboard.press("Enter");
  const chat = await vs.webview("footer textarea");
  await chat.getByText("Fixed: the refund now adds up").first().waitFor();
  expect(Date.now() - begun).toBeLessThan(180_000);
  await vs.picture("done");
  expect(heard()).toContain("I like the loop");
  expect(textOf("src/allocate.ts")).toContain("const weights: number[] = [];");

  vs.killServer();
  await chat.getByText("The server is a new one").first().waitFor();
  await chat.locator("footer textarea").fill("And is it fixed now?");
  await chat.locator("footer textarea").press("Enter");
  await expect.poll(heard, { timeout: 60_000 }).toContain("And is it fixed now?");
  expect(heard()).toContain("Refunds lose a cent.");
});

const FILES = ["tax", "money", "order", "ledger"].map((name) => `src/${name}.ts`);
const edits = [
  ...FILES.map((path) => ({ op: "insert_at_start", path, modified: `// The beginning of ${path}.\n` })),
  ...FILES.map((path) => ({ op: "insert_at_end", path, modified: `// The end of ${path}.\n` })),
  { op: "create", path: "src/hello.ts", modified: 'export const hello = "hello";\n' },
  { op: "move", path: "src/discount.ts", to: "src/rebate.ts" },
  { op: "delete", path: "src/credit-note.ts" },
];

it("shows a proposal of many files in one editor, accepts what is new, moved and gone, and takes all of that back", async () => {
  await begin(
    scriptOf("many", "changes many files", [
      reply("I propose it.", call("propose_edits", { description: "Change much.", edits })),
      reply("It is there."),
    ]),
  );
  await ask("Change much.");
  await vs.page.locator(".review-widget").first().waitFor();
  await vs.command("Agent-Q: Review What Is Proposed");
  await vs.page.locator(".multiDiffEntry, .multi-diff-root-floating-menu, .multiDiffEditor").first().waitFor();
  await vs.picture("many");
  expect([existsSync(join(vs.folder, "src/hello.ts")), existsSync(join(vs.folder, "src/credit-note.ts"))]).toEqual([
    false,
    true,
  ]);
  const chat = await vs.webview("footer textarea");
  await chat.locator(".card.proposal").waitFor();
  // A click that was meant for what stood there before decides nothing.
  await vs.page.waitForTimeout(1000);
  await chat.locator(".card.proposal").getByText("Accept all").click();
  await chat.getByText("It is there.").first().waitFor();
  expect(textOf("src/hello.ts")).toBe('export const hello = "hello";\n');
  for (const path of FILES) {
    expect(textOf(path)).toMatch(/^\/\/ The beginning of .*\n[^]*\n\/\/ The end of .*\n$/);
  }
  expect(
    ["src/discount.ts", "src/credit-note.ts", "src/rebate.ts"].map((path) => existsSync(join(vs.folder, path))),
  ).toEqual([false, false, true]);
  await vs.picture("applied");

  // VS Code still has the documents of files that have moved.
  await vs.command("Agent-Q: Take an Applied Proposal Back");
  await vs.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Change much." }).first().click();
  await chat.locator(".card.proposal").waitFor();
  await vs.page.waitForTimeout(1000);
  await chat.locator(".card.proposal").getByText("Accept all").click();
  await chat.locator(".card.proposal").waitFor({ state: "hidden" });
  expect(
    ["src/discount.ts", "src/credit-note.ts", "src/rebate.ts"].map((path) => existsSync(join(vs.folder, path))),
  ).toEqual([true, true, false]);
  for (const path of FILES) expect(textOf(path)).not.toContain("// The beginning of");
});

it("has read again what a host wrote to the disk before the host's form runs, and shows what is not saved anywhere", async () => {
  const runtime = realpathSync(mkdtempSync(join(tmpdir(), "aq-")));
  await begin(scriptOf("looks", "looks", [reply("I look.", call("list_buffers", {})), reply("I see.")]), {
    XDG_RUNTIME_DIR: runtime,
  });
  await vs.open("src/money.ts");
  await expect.poll(() => readdirSync(runtime)).toContain("agentq");
  const environment = (): Record<string, string> => ({ HOME: runtime, XDG_RUNTIME_DIR: runtime });
  const host = new McpClient({ folder: vs.folder, environment });
  await host.connect();
  const form = async (code: string): Promise<string> => (await host.call("eval_form", { form: code })).text;
  const before = textOf("src/money.ts");
  for (let made = 1; made <= 5; made += 1) {
    writeFileSync(join(vs.folder, "src/money.ts"), `${before}\nexport const made = ${made};\n`);
    expect(await form("import { made } from './src/money.ts'; made")).toMatch(new RegExp(`^${made}\n: number`));
  }
  await vs.command("Create: New File...");
  await vs.page.keyboard.press("Enter");
  await vs.page.locator('.tab[data-resource-name="Untitled-1"]').waitFor();
  await vs.page.keyboard.type("a thought of mine");
  await ask("What have I open?");
  await expect.poll(heard).toMatch(/money\.ts[^]*Untitled-1/);
  await host.close();
  rmSync(runtime, { recursive: true, force: true });
});
