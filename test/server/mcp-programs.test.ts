/** What an MCP client has beside the tools: answers as data, prompts, and the folder that it works in. */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { McpClient, sharedMcp, type McpClientOptions } from "../support/mcp-client.ts";
import { serverProgram } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({
  project: {
    "package.json": `{ "type": "module" }`,
    "src/cart.ts": "export function total(prices: number[]) {\n  return prices.reduce((a, b) => a + b, 0);\n}\n",
    "src/till.ts":
      "import { total } from './cart.ts';\n\nexport const due = total([1, 2]);\nexport const wrong: string = due;\n",
    "tools/sum.ts":
      "/** Adds two numbers. */\nexport function sum(a: number, b: number): number {\n  return a + b;\n}\n",
    "test/cart.test.ts":
      "import { test } from 'node:test';\nimport { equal } from 'node:assert';\nimport { total } from '../src/cart.ts';\n" +
      "test('adds', () => equal(total([1, 2]), 3));\ntest('is empty', () => equal(total([]), 1));\n",
  },
});
const clients: McpClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function connect(options: McpClientOptions = {}): Promise<McpClient> {
  const made = new McpClient(stage, options);
  clients.push(made);
  await made.connect();
  return made;
}

const uri = (name: string): string => pathToFileURL(path.join(stage.folder, name)).href;

describe("answers as data", () => {
  const shared = sharedMcp(stage, { isStructured: true });
  const data = async (name: string, args: object = {}): Promise<unknown> => {
    // The client checks what comes back against the schema that it was told.
    const { structuredContent, content } = await shared.mcp.client.callTool({ name, arguments: { ...args } });
    expect(content).toMatchObject([{ type: "text", text: expect.stringMatching(/\S/) }]);
    return structuredContent;
  };

  it("come beside the text, by the schema that the client is told", async () => {
    const { tools } = await shared.mcp.client.listTools();
    const told = tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name);
    expect(told.toSorted()).toEqual(
      ["eval_form", "find_implementations", "get_diagnostics", "run_tests", "who_calls", "who_references"].toSorted(),
    );
    expect(await data("eval_form", { form: "console.log('hi'); [1, 2]" })).toMatchObject({
      complete: true,
      evaluation: { outcome: "value", preview: "[1, 2]", valueId: "$1", stdout: "hi\n", stateKept: true },
    });
    expect(await data("eval_form", { form: "throw new RangeError('no')" })).toMatchObject({
      evaluation: { outcome: "error", error: { name: "RangeError", message: "no" } },
    });
    expect(await data("who_calls", { symbol: "total" })).toMatchObject({
      complete: true,
      places: [{ uri: uri("src/till.ts"), range: { start: { line: 2, character: 19 } } }, {}, {}],
    });
    expect(await data("who_calls", { symbol: "nowhere" })).not.toHaveProperty("places");
    expect(await data("get_diagnostics")).toMatchObject({
      diagnostics: expect.arrayContaining([
        {
          uri: uri("src/till.ts"),
          range: { start: { line: 3, character: 13 }, end: { line: 3, character: 18 } },
          severity: "error",
          code: "TS2322",
          message: "Type 'number' is not assignable to type 'string'.",
        },
      ]),
    });
    expect(await data("run_tests", { path: "test/cart.test.ts" })).toMatchObject({
      tests: { state: "done", passed: 1, failed: 1, failures: [{ name: "is empty", uri: uri("test/cart.test.ts") }] },
    });
    expect(await data("get_repl_history")).toBeUndefined();
  });

  it("are nothing that a client gets unasked: most hosts would show their model the data in place of the text", async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
    expect(await client.callTool({ name: "eval_form", arguments: { form: "1" } })).not.toHaveProperty(
      "structuredContent",
    );
  });
});

describe("the list of tools", () => {
  it("is at hand before anything is loaded, as it is once all is (usual-tools.json; update with vitest -u)", async () => {
    const { client } = await connect({ only: "both" });
    const heard: string[] = [];
    client.setNotificationHandler("notifications/tools/list_changed", ({ method }) => void heard.push(method));
    await client.listTools();
    // The server has all of itself once it has run a form, and then lists what it has.
    await client.callTool({ name: "eval_form", arguments: { form: "1" } });
    const { tools } = await client.listTools();
    const list = `${JSON.stringify(tools, undefined, 2)}\n`;
    await expect(list).toMatchFileSnapshot("../../server/src/doors/mcp/usual-tools.json");
    for (const only of ["repl", "compiler", "both"] as const) {
      const early = await connect({ only });
      expect((await early.client.listTools()).tools.length).toBe({ repl: 8, compiler: 7, both: 15 }[only]);
    }
    expect(heard).toEqual([]);
  });

  it("is told anew where the person has tools of their own", async () => {
    const mcp = new McpClient(stage, { only: "both", settings: { tools: ["tools/sum.ts#sum"] } });
    clients.push(mcp);
    const changed = new Promise((resolve) =>
      mcp.client.setNotificationHandler("notifications/tools/list_changed", resolve),
    );
    await mcp.connect();
    expect((await mcp.client.listTools()).tools).toHaveLength(15);
    await changed;
    expect((await mcp.client.listTools()).tools.map(({ name }) => name)).toContain("sum");
  });
});

describe("a prompt", () => {
  const shared = sharedMcp(stage, { only: "both" });
  const words = async (name: string, args: Record<string, string> = {}): Promise<string> => {
    const { messages } = await shared.mcp.client.getPrompt({ name, arguments: args });
    const [{ role, content } = { role: "none", content: undefined }, ...others] = messages;
    expect([role, others]).toEqual(["user", []]);
    return content?.type === "text" ? content.text : "";
  };

  it("is what the person asks for by name, and tells the model what to call", async () => {
    const { prompts } = await shared.mcp.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["describe", "callers", "tests"]);
    const { client } = await connect({ only: "repl" });
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["tests"]);
    await expect(client.getPrompt({ name: "callers", arguments: { symbol: "total" } })).rejects.toThrow("prompts/list");
    expect(await words("describe", { symbol: 'total "x"' })).toMatch(
      /^Call describe_symbol with symbol "total \\"x\\""\. /,
    );
    // Some clients put the words in later.
    expect(await words("callers", { symbol: "$1" })).toMatch(/^Call who_calls with symbol "\$1"\. /);
    expect(await words("tests")).toMatch(/^Call run_tests\. /);
    expect(await words("tests", { file: "test/cart.test.ts" })).toContain(`with path "test/cart.test.ts"`);
  });

  it("that does not exist, or lacks what it is about, is refused with what to do", async () => {
    await expect(words("review")).rejects.toThrow("prompts/list");
    await expect(words("toString")).rejects.toThrow("prompts/list");
    await expect(words("describe")).rejects.toThrow("needs a symbol");
  });
});

describe("the folder", () => {
  it("is the one of --root, wherever the client starts the server and whatever its roots are", async () => {
    const elsewhere = path.dirname(stage.folder);
    const { text } = await (
      await connect({ root: stage.folder, cwd: "/", roots: [elsewhere] })
    ).call("who_calls", { symbol: "total" });
    expect(text).toContain("src/till.ts");
  });

  it.each([["/"], [homedir()]])("%s is no project, and each call says so and what to do", async (cwd) => {
    const mcp = await connect({ cwd });
    const refused = {
      isError: true,
      text: expect.stringMatching(/^NOT RUN: this server works in .*, which is no project\..*--root/),
    };
    expect(await mcp.call("eval_form", { form: "1" })).toEqual(refused);
    expect(await mcp.call("describe_symbol", { symbol: "total" })).toEqual(refused);
  });

  it("that does not exist is said at the start", () => {
    const { status, stderr } = spawnSync(process.execPath, [serverProgram, "mcp", "--root", "~/no such folder"], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^agentq: --root takes the folder of a project: \/.*no such folder is no folder\./),
    ]);
    expect(stderr).not.toContain("~");
  });
});
