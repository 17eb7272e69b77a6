/** What a tool has found goes to a person's editor as places too, whole, and never to a model. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, reply } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { ServerClient } from "../support/server-client.ts";

const FILES = {
  "tsconfig.json":
    '{ "compilerOptions": { "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true, "types": [] }, "include": ["src"] }',
  "package.json": '{ "type": "module" }',
  "src/shape.ts": `export interface Named { name: string }
export interface Shape extends Named { area(): number }
export class Square implements Shape {
  name = "square";
  side = 2;
  area(): number { return this.side ** 2; }
}
export class Tile extends Square {}
`,
  "src/user.ts": `import { Square } from "./shape.ts";
export function both(): number {
  return new Square().area() + new Square().area();
}
export const one = new Square().area();
`,
  "test/shape.test.ts": `import test from "node:test";
import assert from "node:assert/strict";
test("adds", () => {
  assert.equal(1 + 1, 3);
});
test("passes", () => {});
`,
};

let folder: string;
let client: ServerClient;
let model: ScriptedModel;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-places-")));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  model = await startScriptedModel(
    {
      name: "who calls",
      description: "asks who calls a method",
      reply: ({ step }) => (step > 0 ? reply("Three calls.") : reply(call("who_calls", { symbol: "Square.area" }))),
    },
    { project: folder },
  );
  client = new ServerClient({ env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "key" } });
  await client.initialize([folder]);
});
afterAll(async () => {
  await client.close();
  await model.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function ask(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
  return client.request("agentq/callTool", { name, arguments: args });
}

/** `src/user.ts:3:24 text`, counted from 1. */
function told({ places = [] }: ToolResult): string[] {
  return places.map(({ uri, range: { start, end }, text }) => {
    expect(end).toStrictEqual(start);
    const file = uri.replace(`${pathToFileURL(folder).href}/`, "");
    return `${file}:${start.line + 1}:${start.character + 1} ${text}`;
  });
}

it("names every call, also past the page that was asked for", async () => {
  const result = await ask("who_calls", { symbol: "Square.area", limit: 1 });
  expect(result.metadata.truncated).toBe(true);
  expect(told(result)).toStrictEqual([
    "src/user.ts:3:23 both: return new Square().area() + new Square().area();",
    "src/user.ts:3:45 both: return new Square().area() + new Square().area();",
    "src/user.ts:5:33 one: export const one = new Square().area();",
  ]);
});

it("names every mention that is listed, with its kind", async () => {
  expect(told(await ask("who_references", { symbol: "Square.side" }))).toStrictEqual([
    "src/shape.ts:6:32 Square.area — read: area(): number { return this.side ** 2; }",
  ]);
});

it("names the types above and below a type, from the top down", async () => {
  expect(told(await ask("class_hierarchy", { symbol: "Square" }))).toStrictEqual([
    "src/shape.ts:1:18 Named (interface) — supertype",
    "src/shape.ts:2:18 Shape (interface) — supertype",
    "src/shape.ts:3:14 Square (class) — what was asked about",
    "src/shape.ts:8:14 Tile (class) — subtype",
  ]);
});

it("names what implements a member", async () => {
  expect(told(await ask("find_implementations", { symbol: "Shape.area" }))).toStrictEqual([
    "src/shape.ts:6:3 Square.area — method: area(): number { return this.side ** 2; }",
  ]);
});

it("tells a run of tests as the review tells one", async () => {
  const { tests, success } = await ask("run_tests", {});
  expect(success).toBe(true);
  expect(tests).toMatchObject({ state: "done", passed: 1, failed: 1, skipped: 0 });
  expect(tests?.failures).toStrictEqual([
    {
      name: "adds",
      uri: pathToFileURL(path.join(folder, "test/shape.test.ts")).href,
      range: { start: { line: 3, character: 9 }, end: { line: 3, character: 9 } },
      message: expect.stringContaining("2 !== 3"),
    },
  ]);
});

it("tells nothing of that with a model's call", async () => {
  const { turnId } = await client.request("agentq/prompt", { text: "Who calls it?" });
  const [{ result } = {}] = (await client.turn(turnId)).flatMap((event) =>
    event.kind === "toolResult" ? [event] : [],
  );
  expect(result?.content).toContain("3 call sites");
  expect(Object.keys(result ?? {}).toSorted()).toStrictEqual(["content", "id", "metadata", "success"]);
});
