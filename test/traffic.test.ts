/**
 * The recordings in `fixtures/traffic/` are what the server says today. To make them anew:
 *
 *     AGENTQ_VERSIONS=all npx vitest run test/traffic.test.ts -u
 */
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { record } from "./support/traffic/record.ts";
import { formatRecording, recordingPath } from "./support/traffic/recording.ts";
import { scenarios } from "./support/traffic/scenarios.ts";
import { runsAll } from "./support/versions.ts";

describe("the recorded traffic", () => {
  it.runIf(runsAll).each(scenarios)("is what the server says today: $name", async (scenario) => {
    await expect(formatRecording(await record(scenario))).toMatchFileSnapshot(recordingPath(scenario.name));
  });

  it("has one recording a scenario, and no other", async () => {
    const files = await readdir(new URL("fixtures/traffic/", import.meta.url));
    expect(files.toSorted()).toEqual(scenarios.map(({ name }) => `${name}.jsonl`).toSorted());
  });
});
