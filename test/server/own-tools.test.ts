/** Functions of the project that the settings name: the model is told of them, and they run in the REPL's process. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import type { ToolInfo, ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const SCARCE = "./tools/scarce.ts#scarceArticles";

const stage = serverStage({
  project: new URL("../../examples/warehouse", import.meta.url),
  files: {
    "tools/echo.ts": "/** Says it. */\nexport const echo = (text: string): string => text;\n",
    "tools/fails.ts": '/** Fails. */\nexport function fails(): void {\n  throw new Error("no stock");\n}\n',
    "tools/bad.ts":
      "/** Hides. */\nfunction hidden(): void {}\nhidden();\nexport function silent(): void {}\n" +
      "/** Takes a date. */\nexport function dated(when: Date): void {\n  void when;\n}\n" +
      "/** Takes another's name. */\nexport function evalForm(): void {}\n",
  },
  settings: { tools: [SCARCE, "tools/echo.ts#echo", "tools/fails.ts#fails"] },
});
let folder: string;
let client: ServerClient;

beforeEach(() => void ({ folder, client } = stage));

const file = (name: string): string => path.join(folder, name);

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
  stage.script = {
    name: "scarce",
    description: "asks the warehouse",
    reply: ({ body }) => (body.messages.length > 1 ? reply("Salt.") : reply(call("scarce_articles", { below: 3 }))),
  };
  const { model } = stage;
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
  expect(answer).toMatch(/kept as \$\d/);
  // The form that calls the function is ours, and no form for the compiler to judge.
  expect(answer).not.toMatch(/note:|TS\d/);
  const { items } = await client.request("agentq/replHistory", {});
  expect(items.at(-1)?.code).toMatch(/^scarce_articles\(\{/);
});

it("is the example of docs/own-tools.md", () => {
  const page = readFileSync(new URL("../../docs/own-tools.md", import.meta.url), "utf8");
  expect(page).toContain(readFileSync(file("tools/scarce.ts"), "utf8"));
  expect(page).toContain(`"${SCARCE}"`);
});

it("checks the arguments before anything runs", async () => {
  const { success, error } = await run("scarce_articles", { below: 0.5 });
  expect({ success, error }).toMatchObject({ success: false, error: expect.stringContaining("expected integer") });
  const { items } = await client.request("agentq/replHistory", {});
  expect(items.filter(({ code }) => code.includes("0.5"))).toEqual([]);
});

it("runs with the REPL's safety: cautious in the confined one, asked about in the open one", async () => {
  expect(await listed("scarce_articles")).toMatchObject({ safety: "cautious", available: true });
  client = await stage.start({ tools: [SCARCE], repl: { confinement: "openWithoutAsking" } });
  expect(await listed("scarce_articles")).toMatchObject({ safety: "dangerous" });
  const answer = run("scarce_articles", {});
  const approval = await client.waitFor(({ method, params }) => (method === "agentq/approval" ? params : undefined));
  expect(approval).toMatchObject({ tool: "scarce_articles" });
  await client.request("agentq/answerApproval", { approvalId: approval.approvalId, decision: "denied" });
  expect(await answer).toMatchObject({ success: false });
});

it("gives arguments as data, never as code", async () => {
  const text = '"); process.exit(1); ("${1}\\u2028__proto__';
  const { success, content } = await run("echo", { text });
  expect({ success, content }).toMatchObject({ success: true, content: expect.stringContaining(text) });
});

it("follows the function as it is edited, saved or not", async () => {
  expect((await listed("scarce_articles"))?.inputSchema).toHaveProperty("properties.below.default", 5);
  const text = readFileSync(file("tools/scarce.ts"), "utf8");
  await client.open(file("tools/scarce.ts"), text.replace("below = 5", "below = 2"));
  expect((await listed("scarce_articles"))?.inputSchema).toHaveProperty("properties.below.default", 2);
  expect((await run("scarce_articles", {})).content).toContain('[{ name: "salt", left: 1, shelf: "dry" }]');
});

it("says why it cannot be called any more when the function is gone, and comes back with it", async () => {
  expect(await listed("scarce_articles")).toMatchObject({ available: true });
  const text = readFileSync(file("tools/scarce.ts"), "utf8");
  writeFileSync(file("tools/scarce.ts"), text.replace("scarceArticles", "rareArticles"));
  await expect.poll(() => listed("scarce_articles")).toMatchObject({ available: false });
  expect((await run("scarce_articles", {})).error).toContain('No symbol "scarceArticles" in tools/scarce.ts');
  writeFileSync(file("tools/scarce.ts"), text);
  await expect.poll(() => listed("scarce_articles")).toMatchObject({ available: true });
});

it("tells the model what the function throws, with the place in the source", async () => {
  const { success, error } = await run("fails", {});
  expect(success).toBe(false);
  expect(error).toMatch(/^Error: no stock\n {2}at tools\/fails\.ts:3:/);
});

const UNFIT: readonly (readonly [string, string, string])[] = [
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
];

it("tells the person once of each function that is none for a tool, and offers the other tools", async () => {
  client = await stage.start({ tools: [...UNFIT.map(([, address]) => address), SCARCE] });
  await client.request("agentq/listTools", {});
  expect(await listed("scarce_articles")).toMatchObject({ available: true });
  const told = warned();
  for (const [what, address, why] of UNFIT) {
    const about = told.filter((text) => text.startsWith(`The tool ${address} is not offered: `));
    expect(about, what).toEqual([expect.stringContaining(why)]);
  }
  expect(told).toHaveLength(UNFIT.length);
  expect((await run("eval_form", { form: "1 + 1" })).content).toContain("2");
});
