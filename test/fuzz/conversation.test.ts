/**
 * Random conversations: replies with blanks, made-up names, broken arguments and strange signs, cut and cancelled and asked
 * again. No request of theirs is one that the real API refuses.
 */
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

const stage = serverStage({ settings: { sessions: { keep: "off" } } });

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
];
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
  const { client, model } = stage;
  stage.script = { name: "random", description: "anything", reply: ({ step }) => randomReply(step) };
  for (let number = 0; number < times(30); number += 1) {
    let sessionId: string | undefined;
    for (let turn = 0; turn < PROMPTS_OF_ONE; turn += 1) {
      const text = oneOf(["go on", "?", "  more \n", "a\ud83d"]);
      const said = await client.request("agentq/prompt", { text, ...(sessionId === undefined ? {} : { sessionId }) });
      ({ sessionId } = said);
      if (random() < 0.15) await client.request("agentq/cancel", { sessionId });
      await client.turn(said.turnId, TURN_LIMIT_MS);
      expect(model.mismatches, `AGENTQ_SEED=${seed}, conversation ${number}, turn ${turn}`).toEqual([]);
    }
    client.forget();
    (model.requests as unknown[]).length = 0;
  }
});
