/** One turn over its ports; the model's words are made up, what is looked at is the order of things. */
import { describe, expect, it } from "vitest";
import { runTurn, type LoopPorts, type Said } from "../../../server/src/agent/loop.ts";
import type { ToolRunner } from "../../../server/src/agent/run-calls.ts";
import {
  ModelFailure,
  type ModelEvent,
  type ModelMessage,
  type ToolUseBlock,
} from "../../../server/src/model/model-port.ts";
import { Changes } from "../../../server/src/tools/run/changes.ts";
import { upToDate } from "../../../server/src/tools/run/up-to-date.ts";
import type { ToolResult, ToolResultMetadata } from "../../../server/src/protocol/tool-shapes.ts";
import type { TurnEvent } from "../../../server/src/protocol/turn-shapes.ts";

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const call = (id: string, name: string): ToolUseBlock => ({ kind: "toolUse", id, name, arguments: {} });

function calling(...calls: readonly ToolUseBlock[]): ModelEvent[] {
  return [
    ...calls.map((each): ModelEvent => ({ kind: "toolCallReady", call: each })),
    { kind: "done", content: calls, stopReason: "toolUse", usage },
  ];
}

const goodbye: ModelEvent[] = [
  { kind: "text", text: "Bye." },
  { kind: "done", content: [{ kind: "text", text: "Bye." }], stopReason: "endTurn", usage },
];

interface Played {
  readonly order: string[];
  readonly messages: ModelMessage[];
  readonly events: TurnEvent[];
}

type Answer = Partial<Omit<ToolResult, "metadata">> & { readonly metadata?: Partial<ToolResultMetadata> };

interface World {
  readonly queued?: readonly Said[];
  readonly answer?: (name: string) => Answer;
  /** Fails the stream after this reply's last event. */
  readonly fails?: boolean;
}

/** Plays the replies, one a request. Calls named `look…` are safe; each tells when it begins and ends. */
async function play(replies: readonly (readonly ModelEvent[])[], world: World = {}): Promise<Played> {
  const order: string[] = [];
  const events: TurnEvent[] = [];
  const messages: ModelMessage[] = [];
  const queued = [...(world.queued ?? [])];
  const changes = new Changes();
  const tools: ToolRunner = {
    schemas: () => [],
    safetyOf: (name) => (name.startsWith("look") ? "safe" : "dangerous"),
    filesOf: () => undefined,
    execute: async ({ id, name }) => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      const { metadata, ...over } = world.answer?.(name) ?? {};
      const told = { executionTimeMs: 1, safetyLevel: "safe", complete: true, ...metadata } as const;
      const result = { id, success: true, content: `${name} answered`, ...over, metadata: told };
      return changes.note(result, { kind: "none" });
    },
    upToDate: (answers, again) => upToDate(changes, answers, again),
  };
  let request = 0;
  const ports: LoopPorts = {
    model: {
      async *stream() {
        const reply = replies[request] ?? goodbye;
        request += 1;
        for (const event of reply) {
          if (event.kind === "done") order.push("reply ends");
          if (event.kind === "done" && world.fails === true) throw new ModelFailure("gone");
          yield event;
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    },
    tools,
    emit: (...all) => void events.push(...all),
    takeQueued: () => queued.splice(0),
    stopped: new AbortController().signal,
    mayGoOn: async () => false,
  };
  const input = { sessionId: "s", modelName: "m", system: "", messages, toldNotes: new Set<string>() };
  await runTurn({ ...input, maxTokens: 1, maxRounds: 9 }, ports, new AbortController().signal);
  return { order, messages, events };
}

function resultsIn(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap((message) =>
    message.role === "user" ? message.content.map((block) => (block.kind === "toolResult" ? block.content : "")) : [],
  );
}

describe("the calls of one reply", () => {
  it("begin while the reply streams only as long as no change stands before them", async () => {
    const { order } = await play([calling(call("1", "look"), call("2", "change"), call("3", "look_again"))]);
    expect(order.slice(0, -1)).toEqual([
      "look begins",
      "look ends",
      "reply ends",
      "change begins",
      "change ends",
      "look_again begins",
      "look_again ends",
    ]);
  });

  it("look together after a change, and all before the next one", async () => {
    const { order } = await play([
      calling(call("1", "change"), call("2", "look_a"), call("3", "look_b"), call("4", "change_more")),
    ]);
    expect(order.slice(2, -1)).toEqual([
      "change ends",
      "look_a begins",
      "look_b begins",
      "look_a ends",
      "look_b ends",
      "change_more begins",
      "change_more ends",
    ]);
  });

  it("are answered as they ended when the reply is cut, and the others as not run", async () => {
    const { messages } = await play([calling(call("1", "look"), call("2", "change"))], { fails: true });
    expect(resultsIn(messages)).toEqual(["look answered", "NOT RUN: the reply ended early (error)."]);
  });
});

describe("what was said during the turn", () => {
  it("goes to the model with what was attached, and to the person as they said it", async () => {
    const { messages, events } = await play([calling(call("1", "look"))], {
      queued: [{ text: "and tests", forModel: "## Context … and tests" }],
    });
    expect(messages[1]?.content.at(-1)).toEqual({ kind: "text", text: "## Context … and tests" });
    expect(events).toContainEqual({ kind: "queuedPrompt", text: "and tests" });
  });
});

describe("the notes of a result", () => {
  const long = `Not searched: 2 JavaScript files that lie in no project: ${"x".repeat(40)}.`;
  const asked = async (...answers: readonly Answer[]) => {
    const left = [...answers];
    const replies = answers.map((_answer, index) => calling(call(`${index}`, "look")));
    return resultsIn((await play(replies, { answer: () => left.shift() ?? {} })).messages).filter(
      (text) => text !== "",
    );
  };

  it("are told at length once, and again when they change", async () => {
    const metadata = { notes: [long, "Cut."] };
    const changed = { notes: [long.replace("2", "3")] };
    expect(await asked({ metadata }, { metadata }, { metadata: changed })).toEqual([
      `look answered\nNotes:\n- ${long}\n- Cut.`,
      "look answered\nNotes:\n- Cut.",
      `look answered\nNotes:\n- ${long.replace("2", "3")}`,
    ]);
  });

  it("leave a word where an answer is not complete for a reason that was told", async () => {
    const metadata = { complete: false, notes: [long] };
    expect((await asked({ metadata }, { metadata }))[1]).toBe(
      "look answered\nNotes:\n- Not complete, for reasons told before.",
    );
  });

  it("say what was searched once, and again when it is something else", async () => {
    const searched = (projects: string): Answer => ({
      metadata: { notes: [`Searched ${projects} with TypeScript 7.0.2.`] },
    });
    const one: Answer = { metadata: { notes: ["Read as part of a.json by TypeScript 7.0.2."] } };
    expect(
      await asked(
        searched("a.json (2 files)"),
        searched("a.json (3 files)"),
        one,
        searched("a.json (3 files), b.json (1 file)"),
      ),
    ).toEqual([
      "look answered\nNotes:\n- Searched a.json (2 files).",
      "look answered",
      "look answered",
      "look answered\nNotes:\n- Searched a.json (3 files), b.json (1 file).",
    ]);
    expect(await asked(one, one)).toEqual(["look answered", "look answered"]);
  });

  it("and the cursor are not repeated where the answer says them itself", async () => {
    const [first, second] = await asked(
      { content: `Nothing.\n${long}`, metadata: { notes: [long] } },
      { content: 'Read on with cursor "85".', metadata: { nextCursor: "85" } },
    );
    expect(first).toBe(`Nothing.\n${long}`);
    expect(second).toBe('Read on with cursor "85".');
  });
});
