/**
 * Random conversations: replies with blanks, made-up names, broken arguments, strange signs and blocks of other providers, with
 * pictures and tools of other servers, cut and cancelled and asked again, some taken up by the next server in the midst of a turn.
 * No request of theirs is one that the real API refuses.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, it } from "vitest";
import {
  call,
  reply,
  think,
  type Block,
  type Fault,
  type Reply,
  type StopReason,
} from "../../examples/demo/model/script.ts";
import { randomFrom, seed, times } from "../support/fuzz.ts";
import { serverStage } from "../support/server-stage.ts";

const PROMPTS_OF_ONE = 8;
const TURN_LIMIT_MS = 60_000;

/** Every so many conversations are taken up by another server. */
const TAKEN_UP = 10;

const hostile = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../fixtures/mcp/hostile.mjs", import.meta.url))],
};
const stage = serverStage({
  settings: { sessions: { keep: "off" }, mcpServers: { hostile: { ...hostile, safety: "safe" } } },
});

const WORDS = ["Done.", " ", "\n\n", "\u00a0", "\u001c", "a\ud83d", "x ", "\ufeff", "Look:\n```ts\nlet a = 1;\n```\n"];
const NAMES = [
  "read_file",
  "list_directory",
  "functions.read_file",
  "read_file<|channel|>json",
  "mcp::files::read",
  "",
  "x".repeat(300),
  "größe lesen",
  "mcp__hostile__read_file",
];
const OTHERS = [
  { type: "reasoning", reasoning: "Hm." },
  { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
  { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
  { type: "redacted_thinking", data: "abc", index: 0 },
  {},
];
const PROMPTS = ["go on", "?", "  more \n", "a\ud83d", "see @fine.png", "see @tall.png and @broken.png"];
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const INPUTS = [
  { path: "src/tax.ts" },
  { path: "src/no\ud83d.ts" },
  {},
  '{"path": "src/tax.ts"',
  "[1]",
  "null",
  { path: " " },
  { path: "\u0000" },
  { edits: "[]" },
];
const REASONS: readonly StopReason[] = ["end_turn", "max_tokens", "refusal", "pause_turn", "tool_use"];
const FAULTS: readonly Fault[] = [
  { kind: "cut", afterEvents: 4 },
  { kind: "cut", afterEvents: 7, clean: true },
  { kind: "errorEvent", afterEvents: 5 },
  { kind: "reset" },
];

let random: () => number;
beforeEach(() => {
  random = randomFrom(seed);
  const tall = Buffer.from(PNG);
  tall.writeUInt32BE(9_000, 20);
  const pictures = { fine: PNG, tall, broken: PNG.subarray(0, 20) };
  for (const [name, bytes] of Object.entries(pictures)) writeFileSync(path.join(stage.folder, `${name}.png`), bytes);
});

function oneOf<Value>(values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("the list is empty");
  return value;
}

function randomBlock(): Block | string {
  const kind = random();
  if (kind < 0.45) return oneOf(WORDS);
  if (kind < 0.6) return think(oneOf(WORDS));
  if (kind < 0.65) return { type: "redacted_thinking", data: "abc" };
  if (kind < 0.72) return { type: "other", content: oneOf(OTHERS) };
  return call(oneOf(NAMES), oneOf(INPUTS));
}

function randomReply(step: number): Reply {
  const blocks = Array.from({ length: Math.floor(random() * 4) }, randomBlock);
  if (step > 4) return reply("Enough.");
  const fault = random() < 0.02 ? oneOf(FAULTS) : undefined;
  return {
    ...reply(...blocks),
    ...(random() < 0.2 ? { stopReason: oneOf(REASONS) } : {}),
    ...(fault === undefined || fault.kind === "reset" || fault.kind === "status" ? {} : { fault }),
    ...(random() < 0.1 ? { paceMs: 3 } : {}),
  };
}

it("never make a request that the API refuses", { timeout: times(120_000) }, async () => {
  const { model } = stage;
  stage.script = { name: "random", description: "anything", reply: ({ step }) => randomReply(step) };
  for (let number = 0; number < times(30); number += 1) {
    let sessionId: string | undefined;
    const isTakenUp = number % TAKEN_UP === 0;
    let client = isTakenUp ? await stage.start() : stage.client;
    for (let turn = 0; turn < PROMPTS_OF_ONE; turn += 1) {
      const text = oneOf(PROMPTS);
      const said = await client.request("agentq/prompt", { text, ...(sessionId === undefined ? {} : { sessionId }) });
      ({ sessionId } = said);
      if (random() < 0.15) await client.request("agentq/cancel", { sessionId });
      if (isTakenUp && turn === PROMPTS_OF_ONE / 2) {
        await client.close();
        client = await stage.start();
        await client.request("agentq/openSession", { sessionId });
      } else await client.turn(said.turnId, TURN_LIMIT_MS);
      expect(model.mismatches, `AGENTQ_SEED=${seed}, conversation ${number}, turn ${turn}`).toEqual([]);
    }
    client.forget();
    (model.requests as unknown[]).length = 0;
  }
});
