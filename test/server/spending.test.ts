/** What the model takes is counted, and a budget holds before a request: over real sockets, in a real database. */
import { describe, expect, it, onTestFinished } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import type { ServerClient } from "../support/server-client.ts";
import { say } from "../support/session-stage.ts";
import { serverStage } from "../support/server-stage.ts";

const MODEL = "claude-sonnet-5-5";
/** A dollar for a million tokens of any kind, so that the scripted model's counts are the cost. */
const prices = { [MODEL]: { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 } };
const look = call("list_directory", { path: "." });

const stage = serverStage({ settings: { prices, budget: { turn: 0.04 } } });

const usages = (events: readonly TurnEvent[]) => events.filter((event) => event.kind === "usage");
const end = (events: readonly TurnEvent[]) => events.findLast((event) => event.kind === "turnEnded");

/** Answers questions about the budget as they come, and notes them. */
function answering(client: ServerClient, decision: "approved" | "denied"): string[] {
  const asked: string[] = [];
  type Asked = { approvalId: string; question?: string };
  const listening = client.connection.onNotification("agentq/approval", ({ approvalId, question = "" }: Asked) => {
    asked.push(question);
    void client.request("agentq/answerApproval", { approvalId, decision });
  });
  onTestFinished(() => listening.dispose());
  return asked;
}

describe("what the model took", () => {
  it("is told with each reply, and summed by turn, conversation and day, also by the next server", async () => {
    const { client } = stage;
    const { day } = await client.request("agentq/spending", {});
    stage.steps.push(reply("Look.", look), reply("Two requests."));
    const { sessionId, events } = await say(client, "first");
    await say(client, "second", sessionId);
    const [one, two] = usages(events);
    if (one?.kind !== "usage" || two?.kind !== "usage") throw new Error("Two replies were counted.");
    const costOf = ({ inputTokens, outputTokens }: typeof one): number => (inputTokens + outputTokens) / 1e6;
    expect(one.cost).toBeCloseTo(costOf(one), 9);
    expect(two.sessionCost).toBeCloseTo(costOf(one) + costOf(two), 9);
    const next = await stage.start({ prices });
    const told = await next.request("agentq/spending", { sessionId });
    expect([told.turn?.requests, told.session?.requests, told.day.requests - day.requests]).toEqual([1, 3, 3]);
    expect(told.session?.cost).toBeGreaterThan(two.sessionCost ?? Infinity);
    expect(told.pricesAsOf).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  it("has no price at a server that is not the maker's, which /cost says", async () => {
    const client = await stage.start();
    const { sessionId, events } = await say(client, "hello");
    expect(usages(events)[0]).not.toHaveProperty("cost");
    const { events: answer } = await say(client, "/cost", sessionId);
    const text = answer.find((event) => event.kind === "commandAnswer")?.text ?? "";
    expect(text).toMatch(/^- This conversation: \*\*unknown\*\* for 1 request, [\d,]+ tokens in \(0 % from the cache/m);
    expect(text).toContain(`Nobody knows what ${MODEL} costs here`);
  });

  it("counts a reply that was cut, and the one that came in its place", async () => {
    stage.script = scriptOf("cut", "a cut reply", [reply("Done.")], [{ kind: "cut", afterEvents: 2 }]);
    const { client } = stage;
    const { model: before } = await client.request("agentq/metrics", {});
    const { sessionId, events } = await say(client, "hello");
    expect(events.some(({ kind }) => kind === "retrying")).toBe(true);
    const { session } = await client.request("agentq/spending", { sessionId });
    expect(session?.requests).toBe(2);
    const { model } = await client.request("agentq/metrics", {});
    const { requests, retries, failures, replyMs } = before ?? { requests: 0, retries: 0, failures: 0 };
    const count = (replyMs?.count ?? 0) + 1;
    expect(model).toMatchObject({ requests: requests + 2, retries: retries + 1, failures, replyMs: { count } });
  });

  it("counts what another conversation took to answer to the one that asked", async () => {
    const { client } = stage;
    stage.steps.push(
      reply("Ask.", call("delegate", { task: "Where is the tax?" })),
      reply("In tax.ts."),
      reply("There."),
    );
    const { sessionId } = await say(client, "where?");
    const { turn, session } = await client.request("agentq/spending", { sessionId });
    expect([turn?.requests, session?.requests]).toEqual([3, 3]);
  });
});

describe("a budget", () => {
  it("lets no request out that might pass the budget, and the reply gets no longer than what is left", async () => {
    const { client } = stage;
    answering(client, "denied");
    stage.steps.push(...Array.from({ length: 60 }, () => reply("x".repeat(400), look)));
    const { sessionId, events } = await say(client, "look again and again");
    expect(end(events)).toMatchObject({ reason: "budget", message: expect.stringContaining("budget.turn") });
    const { turn } = await client.request("agentq/spending", { sessionId });
    expect(turn?.cost).toBeLessThanOrEqual(0.04);
    expect(turn?.requests).toBeGreaterThan(1);
    for (const { max_tokens: most } of stage.model.requests) expect(most).toBeLessThanOrEqual(40_000);
  });

  it("asks, and goes on with as much again after a yes", async () => {
    const client = await stage.start({ prices, budget: { session: 0.03 } });
    const asked = answering(client, "approved");
    stage.steps.push(...Array.from({ length: 8 }, () => reply("x".repeat(4_000), look)));
    const { events } = await say(client, "look again and again");
    expect(end(events)).toEqual({ kind: "turnEnded", reason: "endTurn" });
    expect(asked[0]).toMatch(
      /^Of the \$0\.03\d* for this conversation, .* are spent, .* Go on, with \$0\.0\d+ more\?$/,
    );
  });

  it("cannot be held without a price: that is asked once, and a no ends the turn before any request", async () => {
    const client = await stage.start({ budget: { day: 1 } });
    const asked = answering(client, "denied");
    const before = stage.model.requests.length;
    const { events } = await say(client, "hello");
    expect(end(events)).toMatchObject({ reason: "budget", message: expect.stringContaining("the setting prices") });
    expect(asked).toEqual([expect.stringContaining(`Nobody knows what ${MODEL} costs`)]);
    expect(stage.model.requests).toHaveLength(before);
  });
});
