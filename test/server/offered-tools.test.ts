/** What the model is told of the tools, read from the requests that a real server sends. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import type { ScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { ToolInfo } from "../../server/src/protocol/tool-shapes.ts";
import { callAsAgent, calls } from "../support/agent-calls.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

/** System prompt and tools, in characters of JSON: a model pays for them with every request. */
const BUDGET = 16 * 1_024;

const stage = serverStage();
let model: ScriptedModel;
let client: ServerClient;

beforeEach(() => {
  ({ model, client } = stage);
  stage.script = calls;
});

interface Told {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Schema & { readonly properties: Record<string, Schema> };
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Record<string, Schema>;
  readonly additionalProperties?: unknown;
}

function request(): { readonly tools: readonly Told[]; readonly system: string } {
  const { tools = [], system } = model.requests[0] ?? {};
  return { tools: tools as unknown as Told[], system: textOf(system) };
}

const listed = async (): Promise<readonly ToolInfo[]> => (await client.request("agentq/listTools", {})).items;

const SOURCES = fileURLToPath(new URL("../../server/src", import.meta.url));
/** Where a text that is a name and nothing else stands for the tool, or for an operation of the same name. */
const AS_DATA = /(?:name: |op: |case |\| )$/;

/** Places outside of comments where a text, or a part of one, is one of the names. */
function mentions(names: readonly string[]): string[] {
  const found: string[] = [];
  const name = new RegExp(`\\b(?:${names.join("|")})\\b`, "g");
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: "utf8" })) {
    // What the client in a terminal says, people read.
    if (!file.endsWith(".ts") || file.startsWith("terminal")) continue;
    const code = readFileSync(path.join(SOURCES, file), "utf8").replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*$/gm, "");
    for (const line of code.split("\n")) {
      for (const { index, 0: said } of line.matchAll(name)) {
        const isWhole = /^["']$/.test(line[index - 1] ?? "") && line[index - 1] === line[index + said.length];
        const isKey = line.slice(0, index).trim() === "" && line[index + said.length] === ":";
        if (!isKey && !(isWhole && AS_DATA.test(line.slice(0, index - 1)))) found.push(`${file}: ${line.trim()}`);
      }
    }
  }
  return found;
}

/** Where a schema does not say what stands there: lists of anything, objects without a name for what they hold. */
function loosePlaces(schema: Schema, at: string): string[] {
  const { type, enum: choices, items, properties = {}, additionalProperties: others } = schema;
  if (choices !== undefined) return [];
  if (type === "array") return items === undefined ? [at] : loosePlaces(items, `${at}[]`);
  if (type !== "object") return type === undefined ? [at] : [];
  const own = Object.entries(properties);
  const isEmpty = own.length === 0 && others === undefined && at.includes(".");
  return isEmpty ? [at] : own.flatMap(([name, each]) => loosePlaces(each, `${at}.${name}`));
}

it("names in none of its texts a tool that models are not told of", async () => {
  const hidden = (await listed()).filter(({ isOffered }) => isOffered === false).map(({ name }) => name);
  expect(hidden.length).toBeGreaterThan(10);
  expect(mentions(hidden)).toEqual([]);
  expect(mentions(["apropos_search"]).length, "the search finds names in texts").toBeGreaterThan(0);
});

it("tells the model of the core alone, within the budget, and each tool by what changes a call", async () => {
  client = await stage.start({}, { agentq: { version: 1, proposals: true, approvals: true, buffers: true } });
  await callAsAgent(client, "describe_symbol", { symbol: "Money" });
  const { tools, system } = request();
  const size = JSON.stringify(tools, (key, value: unknown) => (key === "cache_control" ? undefined : value)).length;
  expect(size + system.length).toBeLessThanOrEqual(BUDGET);
  const core = (await listed())
    .filter(({ isOffered, available }) => isOffered !== false && available)
    .map(({ name }) => name);
  expect(tools.map(({ name }) => name)).toEqual(core);
  expect(core).toEqual(expect.arrayContaining(["propose_edits", "search_text", "read_symbol", "read_buffer"]));
  for (const folded of ["eval_in_package", "get_last_error", "organize_imports", "write_file"]) {
    expect(core).not.toContain(folded);
  }
  const wordy = tools.filter((tool) =>
    /"additionalProperties":false|"minLength"|"maxLength"|"limit"/.test(JSON.stringify(tool)),
  );
  expect(wordy.map(({ name }) => name)).toEqual([]);
  const loose = tools.flatMap(({ name, input_schema: schema }) => loosePlaces(schema, name));
  expect(loose, "no model whose output a schema constrains can fill these").toEqual([]);
});

it.each([
  ["an editor that reviews edits", { version: 1, proposals: true, approvals: true }],
  ["one that cannot", { version: 1, approvals: true }],
])("names no tool in the prompt or in a description that the model is not offered: %s", async (_title, agentq) => {
  client = await stage.start({}, { agentq });
  await callAsAgent(client, "describe_symbol", { symbol: "Money" });
  const { tools, system } = request();
  const all = (await listed()).map(({ name }) => name);
  const offered = tools.map(({ name }) => name);
  const text = [system, ...tools.map((tool) => JSON.stringify(tool))].join("\n");
  const parameters = new Set(tools.flatMap(({ input_schema: schema }) => Object.keys(schema.properties)));
  const words = new Set(text.match(/\b[a-z]+(?:_[a-z]+)+\b/g));
  const unknown = [...words].filter(
    (word) => !offered.includes(word) && !parameters.has(word) && !NO_TOOLS.includes(word),
  );
  expect(unknown, "no tool, or one that is not offered").toEqual([]);
  expect(all.filter((name) => text.includes(name) && !offered.includes(name))).toEqual([]);
});

/** Words with an underscore that are neither a tool nor a parameter. */
const NO_TOOLS = [
  "input_schema",
  "cache_control",
  "replace_all",
  "replace_symbol",
  "insert_before",
  "insert_after",
  "insert_at_start",
  "insert_at_end",
  "node_modules",
];

it.each([
  ["Money", "src/money.ts#Money — "],
  ["Money.plus", "src/money.ts#Money.plus — "],
  ["src/money.ts#Money.plus", "src/money.ts#Money.plus — "],
  ["src/money.ts:21", "src/money.ts#Money.plus — "],
  ["invoices#allocate", "src/allocate.ts#allocate — "],
  ["src/tax.ts#taxOn#1", "src/tax.ts#taxOn"],
])("takes an address as the prompt says: %s", async (symbol, found) => {
  expect((await callAsAgent(client, "describe_symbol", { symbol })).content).toContain(found);
});

it("answers a model that calls a tool by name which it was not told of", async () => {
  const result = await callAsAgent(client, "function_arglist", { function: "Money.plus" });
  expect(result).toMatchObject({ success: true, content: expect.stringContaining("plus(") as unknown });
});

it("takes a parameter that the model was not told of", async () => {
  const result = await callAsAgent(client, "list_package_symbols", { path: "src", limit: 1 });
  expect(result.content).toContain("Shown: 1 to 1 of");
  expect(request().tools.find(({ name }) => name === "list_package_symbols")?.input_schema.properties).toEqual(
    expect.not.objectContaining({ limit: expect.anything() as unknown }),
  );
});

it("tells the model of all tools where the setting says so", async () => {
  client = await stage.start({ offeredTools: "all" });
  await callAsAgent(client, "describe_symbol", { symbol: "Money" });
  const all = await listed();
  expect(request().tools.map(({ name }) => name)).toEqual(
    all.filter(({ available }) => available).map(({ name }) => name),
  );
  expect(all.filter(({ isOffered }) => isOffered === false)).toEqual([]);
});
