import { describe, expect, it } from "vitest";
import { Spending } from "../../../server/src/conversation/spending/spending.ts";
import type { ModelPort } from "../../../server/src/model/model-port.ts";
import type { Model } from "../../../server/src/model/models.ts";

const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };
const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
const request = { model: "m", system: "", messages: [], tools: [] };

function setting(answer: boolean) {
  const asked: string[] = [];
  const port: ModelPort = {
    stream: async function* () {
      yield { kind: "done", content: [], stopReason: "endTurn", usage };
    },
    models: async () => [],
    about: async () => undefined,
  };
  const model: Model = { port, name: "m", place: "Anthropic", manner: {}, maxTokens: 5_000, prices };
  const spending = new Spending({
    budget: { session: 1 },
    ask: async ({ question = "" }) => {
      asked.push(question);
      return answer;
    },
    countsTo: () => undefined,
    newestTurn: () => undefined,
    logBug: () => undefined,
  });
  const ask = async (): Promise<void> => {
    const metered = spending.metered(model, { sessionId: "s", turnId: "t" });
    await Array.fromAsync(metered.port.stream(request, new AbortController().signal));
  };
  return { spending, ask, asked };
}

const broken = {
  add: () => {
    throw new Error("disk I/O error");
  },
  sum: () => {
    throw new Error("disk I/O error");
  },
};

describe("a budget whose record of earlier requests is lost", () => {
  it("is no full budget again: without a yes no further request is sent", async () => {
    const { spending, ask, asked } = setting(false);
    await ask();
    spending.keepIn(broken);
    await expect(ask()).rejects.toThrow("No request was sent: what was spent before cannot be read from the disk");
    expect(asked.at(-1)).toMatch(/^What was spent before cannot be read from the disk, so your budget cannot be held/);
  });

  it("is asked about once where the answer is yes", async () => {
    const { spending, ask, asked } = setting(true);
    spending.keepIn(broken);
    await ask();
    await ask();
    await ask();
    expect(asked).toHaveLength(1);
  });
});
