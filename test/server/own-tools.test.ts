/** Functions of the project that the settings name: the model is told of them, and they run in the REPL's process. */
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply, type Script } from "../../examples/demo/model/script.ts";
import { startScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { ToolInfo, ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { ServerClient } from "../support/server-client.ts";

const example = fileURLToPath(new URL("../../examples/warehouse", import.meta.url));
const SCARCE = "./tools/scarce.ts#scarceArticles";

let folder: string;
let client: ServerClient;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-own-tools-")));
  cpSync(example, folder, { recursive: true });
  client = new ServerClient();
});

afterEach(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string): string => path.join(folder, name);

async function start(tools: readonly string[], more: object = {}): Promise<void> {
  await client.initialize([folder], { initializationOptions: { tools, ...more } });
}

async function listed(name: string): Promise<ToolInfo | undefined> {
  const { items } = await client.request("agentq/listTools", {});
  return items.find((tool) => tool.name === name);
}

const run = (name: string, args: Record<string, unknown>): Promise<ToolResult> =>
  client.request("agentq/callTool", { name, arguments: args });

const warned = (): string[] =>
  client.received.flatMap(({ method, params }) =>
    (method as string) === "window/showMessage" ? [(params as unknown as { readonly message: string }).message] : [],
  );

it("offers the function to the model by its signature and JSDoc, and answers what it gives back", async () => {
  const script: Script = {
    name: "scarce",
    description: "asks the warehouse",
    reply: ({ body }) => (body.messages.length > 1 ? reply("Salt.") : reply(call("scarce_articles", { below: 3 }))),
  };
  const model = await startScriptedModel(script, { project: folder });
  await client.close();
  client = new ServerClient({ env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-test-not-a-key" } });
  await start([SCARCE]);
  const { turnId } = await client.request("agentq/prompt", { text: "What is scarce?" });
  await client.turn(turnId);
  expect(model.requests[0]?.tools?.find(({ name }) => name === "scarce_articles")).toMatchObject({
    name: "scarce_articles",
    description: "Finds the articles of which little is left.\nReturns the articles, fewest first",
    input_schema: {
      type: "object",
      properties: {
        below: { type: "integer", description: "How many are too few.", minimum: 1, default: 5 },
        shelf: { type: "string", enum: ["cold", "dry"] },
      },
      additionalProperties: false,
    },
  });
  const blocks = model.requests.at(-1)?.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const answer = textOf(blocks?.find(({ type }) => type === "tool_result")?.["content"]);
  expect(answer).toContain('[{ name: "salt", left: 1, shelf: "dry" }, { name: "milk", left: 2, shelf: "cold" }]');
  expect(answer).toContain("kept as $1");
  await model.dispose();
});

it("is the example of docs/own-tools.md", () => {
  const page = readFileSync(new URL("../../docs/own-tools.md", import.meta.url), "utf8");
  expect(page).toContain(readFileSync(file("tools/scarce.ts"), "utf8"));
  expect(page).toContain(`"${SCARCE}"`);
});

it("checks the arguments before anything runs", async () => {
  await start([SCARCE]);
  const { success, error } = await run("scarce_articles", { below: 0.5 });
  expect({ success, error }).toMatchObject({ success: false, error: expect.stringContaining("expected integer") });
  expect((await client.request("agentq/replHistory", {})).items).toEqual([]);
});

it("runs with the REPL's safety: cautious in the confined one, asked about in the open one", async () => {
  await start([SCARCE]);
  expect(await listed("scarce_articles")).toMatchObject({ safety: "cautious", available: true });
  await client.close();
  client = new ServerClient();
  await start([SCARCE], { repl: { confinement: "openWithoutAsking" } });
  expect(await listed("scarce_articles")).toMatchObject({ safety: "dangerous" });
  const answer = run("scarce_articles", {});
  const approval = await client.waitFor(({ method, params }) => (method === "agentq/approval" ? params : undefined));
  expect(approval).toMatchObject({ tool: "scarce_articles" });
  await client.request("agentq/answerApproval", { approvalId: approval.approvalId, decision: "denied" });
  expect(await answer).toMatchObject({ success: false });
});

it("gives arguments as data, never as code", async () => {
  writeFileSync(file("tools/echo.ts"), "/** Says it. */\nexport const echo = (text: string): string => text;\n");
  await start(["tools/echo.ts#echo"]);
  const text = '"); process.exit(1); ("${1}\\u2028__proto__';
  const { success, content } = await run("echo", { text });
  expect({ success, content }).toMatchObject({ success: true, content: expect.stringContaining(text) });
});

it("follows the function as it is edited, saved or not", async () => {
  await start([SCARCE]);
  expect((await listed("scarce_articles"))?.inputSchema).toHaveProperty("properties.below.default", 5);
  const text = readFileSync(file("tools/scarce.ts"), "utf8");
  await client.open(file("tools/scarce.ts"), text.replace("below = 5", "below = 2"));
  expect((await listed("scarce_articles"))?.inputSchema).toHaveProperty("properties.below.default", 2);
  expect((await run("scarce_articles", {})).content).toContain('[{ name: "salt", left: 1, shelf: "dry" }]');
});

it("says why it cannot be called any more when the function is gone, and comes back with it", async () => {
  await start([SCARCE]);
  expect(await listed("scarce_articles")).toMatchObject({ available: true });
  const text = readFileSync(file("tools/scarce.ts"), "utf8");
  writeFileSync(file("tools/scarce.ts"), text.replace("scarceArticles", "rareArticles"));
  await expect.poll(() => listed("scarce_articles"), { timeout: 10_000 }).toMatchObject({ available: false });
  expect((await run("scarce_articles", {})).error).toContain('No symbol "scarceArticles" in tools/scarce.ts');
  writeFileSync(file("tools/scarce.ts"), text);
  await expect.poll(() => listed("scarce_articles"), { timeout: 10_000 }).toMatchObject({ available: true });
});

it("tells the model what the function throws, with the place in the source", async () => {
  writeFileSync(
    file("tools/fails.ts"),
    '/** Fails. */\nexport function fails(): void {\n  throw new Error("no stock");\n}\n',
  );
  await start(["tools/fails.ts#fails"]);
  const { success, error } = await run("fails", {});
  expect(success).toBe(false);
  expect(error).toMatch(/^Error: no stock\n {2}at tools\/fails\.ts:3:/);
});

it.each([
  ["a file that is not there", "tools/none.ts#x", "tools/none.ts does not exist."],
  ["a file outside the workspace", "../elsewhere.ts#x", "../elsewhere.ts is outside the workspace"],
  ["a function that is not there", "tools/scarce.ts#scarceArticle", "Nearest: scarceArticles"],
  [
    "a function that is not exported",
    "tools/bad.ts#hidden",
    "tools/bad.ts does not export hidden: write export in front of it.",
  ],
  [
    "a function without a description",
    "tools/bad.ts#silent",
    "tools/bad.ts#silent has no description: write a JSDoc comment above it.",
  ],
  [
    "a type without a JSON form",
    "tools/bad.ts#dated",
    "when: a Date is no JSON value; use a string (ISO 8601) and parse it in the function.",
  ],
  ["what is no function", "src/stock.ts#stock", "src/stock.ts#stock"],
  [
    "the name of a tool of the server",
    "tools/bad.ts#evalForm",
    "there is a tool eval_form already; give the function another name.",
  ],
])("tells the person once of %s, and offers the other tools", async (_title, address, why) => {
  writeFileSync(
    file("tools/bad.ts"),
    "/** Hides. */\nfunction hidden(): void {}\nhidden();\nexport function silent(): void {}\n" +
      "/** Takes a date. */\nexport function dated(when: Date): void {\n  void when;\n}\n" +
      "/** Takes another's name. */\nexport function evalForm(): void {}\n",
  );
  await start([address, SCARCE]);
  await client.request("agentq/listTools", {});
  expect(await listed("scarce_articles")).toMatchObject({ available: true });
  expect(warned()).toEqual([expect.stringContaining(`The tool ${address} is not offered: `)]);
  expect(warned().join()).toContain(why);
  expect((await run("eval_form", { form: "1 + 1" })).content).toContain("2");
});
