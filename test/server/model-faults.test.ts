/**
 * What docs/models.md says of a model's server that fails: what the person sees, what is asked again, that nothing runs
 * twice, and that the conversation goes on.
 */
import { describe, expect, it } from "vitest";
import { call, reply, scriptOf, type Fault } from "../../examples/demo/model/script.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import type { ServerClient } from "../support/server-client.ts";
import { say } from "../support/session-stage.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();
const COUNT = call("eval_form", { form: "globalThis.runs = (globalThis.runs ?? 0) + 1" });

/** A model that counts in the REPL and looks at a file, and whose server has these accidents on the way. */
function start(...faults: readonly (Fault | null)[]): ServerClient {
  const steps = [reply("Counting.", call("read_file", { path: "src/tax.ts" }), COUNT), reply("Counted.")];
  stage.script = scriptOf("count", "counts once", steps, faults);
  return stage.client;
}

function retries(events: readonly TurnEvent[]) {
  return events.filter((event) => event.kind === "retrying");
}

async function runs(client: ServerClient, sessionId: string): Promise<number> {
  const { items } = await client.request("agentq/auditLog", { sessionId });
  return items.filter(({ tool }) => tool === "eval_form").length;
}

/** Enough events for both calls to be whole, and not the end of the reply. */
const AFTER_THE_CALLS = 14;

describe("a conversation goes on after", () => {
  it.each([
    ["blanks before a call", reply("\n\n", COUNT)],
    ["a tool that a model made up", reply(call("functions.read_file<|channel|>", { path: "src/tax.ts" }))],
    ["a path with half a sign in it", reply(call("read_file", '{"path":"src/no\\ud83d.ts"}'))],
    ["such a path in a search", reply(call("search_text", '{"pattern":"a","path":"src/no\\ud83d"}'))],
    [
      "such a path in a proposal",
      reply(call("propose_edits", '{"edits":[{"op":"create","path":"no\\ud83d.ts","modified":"a"}]}')),
    ],
  ])("%s", async (_name, first) => {
    stage.script = scriptOf("strange", "a strange reply", [first, reply("Went on.")]);
    const { events, sessionId } = await say(stage.client, "Go.");
    expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
    expect((await say(stage.client, "Again.", sessionId)).events.at(-1)).toMatchObject({ reason: "endTurn" });
    expect(stage.model.mismatches).toEqual([]);
  });

  it("a call that was announced and never came, and the person hears of it", async () => {
    stage.script = scriptOf("lost", "a lost call", [{ ...reply("I look."), stopReason: "tool_use" }]);
    const { events } = await say(stage.client, "Go.");
    expect(events).toContainEqual({ kind: "notice", level: "warning", message: expect.stringContaining("none came") });
    expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
  });

  it("a prompt without a word, which is refused", async () => {
    for (const text of [" ", "\n\n", "\u00a0"]) {
      await expect(stage.client.request("agentq/prompt", { text })).rejects.toThrow("/text: expected at least a word");
    }
  });
});

describe("a request that fails is made again, and the wait is shown", () => {
  it.each<readonly [string, Fault, RegExp]>([
    ["429", { kind: "status", status: 429, retryAfterSeconds: 1 }, /^429: as ordered/],
    ["500", { kind: "status", status: 500 }, /^500: /],
    ["529", { kind: "status", status: 529, message: "Overloaded" }, /^529: Overloaded/],
    ["a reset before the answer", { kind: "reset" }, /^no connection to the model: /],
    ["a reset within the stream", { kind: "cut", afterEvents: AFTER_THE_CALLS }, /^the reply was cut/],
    ["a stream that ends too early", { kind: "cut", afterEvents: AFTER_THE_CALLS, clean: true }, /^the reply was cut/],
    ["an error within the stream", { kind: "errorEvent", afterEvents: AFTER_THE_CALLS }, /^overloaded_error: Overl/],
  ])("%s", async (_title, fault, reason) => {
    const client = start(fault);
    const { events, sessionId } = await say(client, "Count.");
    expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
    expect(retries(events)).toEqual([
      { kind: "retrying", attempt: 1, waitMs: expect.any(Number), reason: expect.stringMatching(reason) },
    ]);
    if (fault.kind === "status" && fault.retryAfterSeconds !== undefined) {
      expect(retries(events)[0]?.waitMs).toBe(1_000);
    }
    expect(await runs(client, sessionId)).toBe(1);
    await say(client, "Count again.", sessionId);
    expect(await runs(client, sessionId)).toBe(2);
    expect(stage.model.mismatches).toEqual([]);
  });

  it("after a call has run, without running the call again", async () => {
    const client = start(null, { kind: "status", status: 529 });
    const { events, sessionId } = await say(client, "Count.");
    expect(retries(events)).toHaveLength(1);
    expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
    expect(await runs(client, sessionId)).toBe(1);
    expect(stage.model.mismatches).toEqual([]);
  });
});

describe("a request that would fail again is not made again", () => {
  it.each<readonly [string, Fault, RegExp]>([
    [
      "an expired key",
      { kind: "status", status: 401, message: "expired" },
      /did not accept the key .*ANTHROPIC_API_KEY/,
    ],
    ["no permission", { kind: "status", status: 403 }, /refused the request \(403/],
    [
      "a context that is full",
      { kind: "status", status: 400, message: "prompt is too long" },
      /does not fit the model's context, even alone/,
    ],
    ["a request that is too large", { kind: "status", status: 413 }, /does not fit the model's context, even alone/],
  ])("%s", async (_title, fault, message) => {
    const client = start(null, fault);
    const { events, sessionId } = await say(client, "Count.");
    expect(events.at(-1)).toMatchObject({ reason: "error", message: expect.stringMatching(message) });
    expect(retries(events)).toEqual([]);
    await say(client, "Go on.", sessionId);
    expect(stage.model.mismatches).toEqual([]);
  });
});
