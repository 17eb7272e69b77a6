/** What a host with an OpenTelemetry provider hears of the built server: a real provider, in the server's own process. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { call, reply, type Fault } from "../../examples/demo/model/script.ts";
import { ServerClient } from "../support/server-client.ts";
import { say, SessionStage } from "../support/session-stage.ts";

const host = fileURLToPath(new URL("../fixtures/telemetry/host.mjs", import.meta.url));

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly attributes: object }[];
  readonly status: { readonly code: number; readonly message?: string };
  readonly spanId: string;
  readonly parent?: string;
}
interface Metric {
  readonly metric: string;
  readonly points: readonly { readonly attributes: Readonly<Record<string, unknown>>; readonly sum: number }[];
}

let stage: SessionStage;
let client: ServerClient;

beforeEach(() => {
  stage = new SessionStage();
});
afterEach(async () => {
  await client.close();
  await stage.dispose();
});

const file = (): string => path.join(path.dirname(stage.folder), "telemetry.jsonl");
const told = (): string => (existsSync(file()) ? readFileSync(file(), "utf8") : "");
const lines = (): (Span | Metric)[] =>
  told()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Span | Metric);
const spans = (): Span[] => lines().flatMap((line) => ("name" in line ? [line] : []));
const span = (name: string): Span => spans().find((each) => each.name === name) ?? expect.fail(`no span ${name}`);

/** A turn and what was asked first in it, once both have ended. */
async function turnAndRequest(): Promise<[Span, Span]> {
  const pair = (): [Span, Span][] => {
    const turn = spans().find(({ name }) => name === "invoke_agent agentq");
    const request = spans().find(({ name, parent }) => name.startsWith("chat ") && parent === turn?.spanId);
    return turn === undefined || request === undefined ? [] : [[turn, request]];
  };
  await expect.poll(pair).toHaveLength(1);
  return pair()[0] ?? expect.fail("they were there");
}

async function start(...faults: Fault[]): Promise<void> {
  await stage.open(0, undefined, faults);
  const env = { ...stage.environment(), NODE_OPTIONS: `--import=${host}`, TELEMETRY_FILE: file() };
  client = new ServerClient({ isProgram: true, env });
  await client.initialize([stage.folder]);
}

it("tells of a turn with its requests and tool calls below it, and of no text", async () => {
  await start();
  stage.steps.push(reply("I look.", call("read_file", { path: "src/tax.ts" })), reply("Standard is 19 %."));
  const { sessionId, events } = await say(client, "Which rate is the standard?");
  const usage = events.flatMap((event) => (event.kind === "usage" ? [event] : [])).at(-1);
  const [turn] = await turnAndRequest();
  const model = stage.model.requests[0]?.model ?? "";
  const requests = spans().filter(({ name }) => name === `chat ${model}`);
  const tool = span("execute_tool read_file");
  expect([...requests, tool].map(({ parent }) => parent)).toEqual([turn.spanId, turn.spanId, turn.spanId]);
  // The model's own SDK could make spans with texts.
  const names = new Set(spans().map(({ name }) => name));
  expect(names).toEqual(new Set([turn.name, `chat ${model}`, tool.name]));
  expect(turn).toMatchObject({ attributes: { "gen_ai.conversation.id": sessionId, "agentq.turn.end": "endTurn" } });
  expect(turn.parent).toBeUndefined();
  // A client's span.
  expect(requests).toMatchObject([
    { kind: 2, attributes: { "gen_ai.response.finish_reasons": ["tool_use"], "server.address": "127.0.0.1" } },
    {
      kind: 2,
      attributes: { "gen_ai.response.finish_reasons": ["end_turn"], "gen_ai.usage.output_tokens": usage?.outputTokens },
    },
  ]);
  expect(tool.attributes).toMatchObject({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read_file" });
  await expect.poll(() => lines().some((line) => "metric" in line)).toBe(true);
  for (const text of ["Which rate", "I look", "Standard is", "src/tax.ts", "standard: 0.19"]) {
    expect(told()).not.toContain(text);
  }
});

it("counts tokens and seconds", async () => {
  await start();
  await say(client, "Go on.");
  const sums = (): Record<string, number> => {
    const points = lines().flatMap((line) =>
      "metric" in line ? line.points.map((point) => ({ ...line, ...point })) : [],
    );
    return Object.fromEntries(
      points.map(({ metric, attributes, sum }) => [`${metric} ${String(attributes["gen_ai.token.type"])}`, sum]),
    );
  };
  await expect.poll(sums).toMatchObject({
    "gen_ai.client.token.usage input": expect.any(Number) as number,
    "gen_ai.client.token.usage output": expect.any(Number) as number,
    "gen_ai.client.operation.duration undefined": expect.any(Number) as number,
  });
});

it("tells what went wrong by its kind", async () => {
  await start(
    { kind: "status", status: 529, retryAfterSeconds: 0 },
    { kind: "status", status: 400, message: "no such thing" },
  );
  await say(client, "Fail.");
  const [turn, request] = await turnAndRequest();
  expect(request).toMatchObject({
    attributes: { "error.type": "refused" },
    status: { code: 2 },
    events: [{ name: "retry", attributes: { attempt: 1 } }],
  });
  expect(turn).toMatchObject({
    attributes: { "error.type": "_OTHER", "agentq.turn.end": "error" },
    status: { code: 2 },
  });
  expect(told()).not.toContain("no such thing");
  expect((await client.request("agentq/metrics", {})).model).toMatchObject({
    failures: 1,
    failuresByKind: { refused: 1 },
  });
});

itAtLength("tells of what is cancelled, which is no error", async () => {
  await start({ kind: "hang", afterEvents: 2 });
  const { sessionId, turnId } = await client.request("agentq/prompt", { text: "Hang." });
  await expect.poll(() => stage.model.requests.length).toBe(1);
  await client.request("agentq/cancel", { sessionId });
  await client.turn(turnId);
  const [turn, request] = await turnAndRequest();
  expect(request).toMatchObject({ attributes: { "error.type": "cancelled" }, status: { code: 0 } });
  expect(turn).toMatchObject({ attributes: { "agentq.turn.end": "cancelled" }, status: { code: 0 } });
});

it("tells nothing where the host has no provider", async () => {
  await stage.open();
  client = await stage.start();
  await say(client, "Go on.");
  expect(told()).toBe("");
});
