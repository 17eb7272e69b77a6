/** The adapter with the real SDK against the scripted model; only waiting is faked. */
import { afterEach, describe, expect, it } from "vitest";
import { startScriptedModel, type ScriptedModel } from "../../../examples/demo/scripted-model.ts";
import { scriptNamed } from "../../../examples/demo/scripts/all.ts";
import { createAnthropicModel } from "../../../server/src/model/anthropic-model.ts";
import { modelStatus, readModelConfig } from "../../../server/src/model/model-config.ts";
import type { ModelEvent, ModelRequest } from "../../../server/src/model/model-port.ts";
import { adviceForStatus, waitBefore } from "../../../server/src/model/retry.ts";

const request: ModelRequest = {
  model: "scripted",
  system: "Be brief.",
  messages: [{ role: "user", content: [{ kind: "text", text: "hello" }] }],
  tools: [],
  maxTokens: 100,
};

let server: ScriptedModel | undefined;
afterEach(() => server?.dispose());

async function play(script: string): Promise<{ events: ModelEvent[]; waits: number[]; error: unknown }> {
  server = await startScriptedModel(scriptNamed(script));
  const waits: number[] = [];
  const model = createAnthropicModel({
    apiKey: null,
    authToken: null,
    baseUrl: server.url,
    wait: async (ms) => void waits.push(ms),
  });
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
    return { events, waits, error: undefined };
  } catch (error) {
    return { events, waits, error };
  }
}

describe("the Anthropic adapter", () => {
  it("needs no key for a server of one's own", async () => {
    const { events } = await play("hello");
    expect(events.at(-1)).toMatchObject({
      kind: "done",
      stopReason: "endTurn",
      usage: { inputTokens: expect.any(Number) },
    });
  });

  it("retries rate limits, overload and server errors, and takes the server's own wait", async () => {
    const { events, waits } = await play("overloaded");
    const reasons = events.flatMap((event) => (event.kind === "retrying" ? [event.reason.slice(0, 3)] : []));
    expect(reasons).toEqual(["429", "529", "500"]);
    expect(waits[0]).toBe(0);
    expect(waits).toHaveLength(3);
    expect(events.at(-1)?.kind).toBe("done");
  });

  it("gives up after six attempts with the last problem in its sentence", async () => {
    const { events, waits, error } = await play("always-down");
    expect(events.map(({ kind }) => kind)).toEqual(Array(5).fill("retrying"));
    expect(waits.every((ms, index) => ms > (waits[index - 1] ?? 0) / 2)).toBe(true);
    expect(error).toMatchObject({ name: "ModelFailure", message: expect.stringContaining("6 attempts") });
    expect(server?.requests).toHaveLength(6);
  });

  it("says that nothing answers at an address where nothing listens", async () => {
    const gone = await startScriptedModel(scriptNamed("hello"));
    const { url } = gone;
    await gone.dispose();
    const model = createAnthropicModel({ apiKey: null, authToken: null, baseUrl: url, wait: async () => undefined });
    const run = async (): Promise<void> => {
      for await (const event of model.stream(request, new AbortController().signal)) void event;
    };
    await expect(run()).rejects.toMatchObject({ message: expect.stringContaining("no connection to the model") });
  });
});

describe("retry advice", () => {
  it.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [529, true],
  ])("for status %i: %s", (status, retry) => {
    expect(adviceForStatus(status, "x", undefined).retry).toBe(retry);
  });

  it("waits longer each time, but never above a minute, also when the server asks for more", () => {
    const waits = [1, 2, 3, 4, 9].map((attempt) => waitBefore(attempt, { retry: true, reason: "" }, () => 0.5));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 60_000]);
    expect(waitBefore(1, { retry: true, reason: "", waitMs: 3_600_000 })).toBe(60_000);
    expect(adviceForStatus(429, "x", new Headers({ "retry-after": "7" })).waitMs).toBe(7_000);
  });
});

describe("the model's configuration", () => {
  it("is ready with a key, a token, or an address of one's own, and says how to get there without", () => {
    const ready = (variables: Record<string, string>) => modelStatus(readModelConfig(variables, {}));
    expect(ready({ ANTHROPIC_API_KEY: "k" })).toMatchObject({ ready: true, baseUrl: "Anthropic" });
    expect(ready({ ANTHROPIC_BASE_URL: "http://localhost:1" })).toMatchObject({ ready: true });
    expect(ready({ ANTHROPIC_API_KEY: "" })).toMatchObject({
      ready: false,
      reason: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
  });

  it("never puts a key into the status", () => {
    expect(JSON.stringify(modelStatus(readModelConfig({ ANTHROPIC_API_KEY: "sk-secret" }, {})))).not.toContain(
      "sk-secret",
    );
  });
});
