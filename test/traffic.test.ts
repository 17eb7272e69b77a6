/**
 * The recordings in `fixtures/traffic/` are what the server says today. To make them anew:
 *
 *     AGENTQ_TESTS=all npx vitest run test/traffic.test.ts -u
 */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { problemsWith } from "../server/src/schema/json-schema.ts";
import { closedSchema } from "./support/closed-schema.ts";
import { record } from "./support/traffic/record.ts";
import { formatRecording, readRecording, recordingPath, type Message } from "./support/traffic/recording.ts";
import { scenarios } from "./support/traffic/scenarios.ts";
import { runsAll } from "./support/extent.ts";

const published = closedSchema();

describe("the recorded traffic", () => {
  // Without it a recording is held against the published schema alone: the server is not asked each time.
  if (runsAll) {
    it.each(scenarios)("is what the server says today: $name", async (scenario) => {
      await expect(formatRecording(await record(scenario))).toMatchFileSnapshot(recordingPath(scenario.name));
    });
  }

  it("has one recording a scenario, and no other", () => {
    const files = readdirSync(new URL("fixtures/traffic/", import.meta.url));
    expect(files.toSorted()).toEqual(scenarios.map(({ name }) => `${name}.jsonl`).toSorted());
  });

  it.each(scenarios)("has no field that is not in the published schema, and lacks none: $name", async ({ name }) => {
    const messages = await readRecording(name, "/project");
    expect(messages.length).toBeGreaterThan(2);
    for (const message of messages) expect(await problemsOf(message)).toEqual([]);
  });

  it("is refused when a field has another name than in the published schema", async () => {
    const wrong = { answer: "agentq/prompt", result: { sessionId: "s", turnID: "t" } };
    expect(await problemsOf(wrong)).not.toEqual([]);
  });
});

async function problemsOf(message: Message): Promise<unknown[]> {
  if ("ask" in message) return [];
  if ("answer" in message) {
    const schema = published.results[message.answer];
    // What answers `initialize` is of the Language Server Protocol.
    return schema === undefined ? [] : problemsWith({ ...published, ...schema }, message.result);
  }
  return problemsWith({ ...published, ...published.$defs[message.tell] }, message.params);
}
