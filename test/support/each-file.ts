/** Runs before each test file: what holds for all of them, and what one may leave behind, which is nothing. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect, vi } from "vitest";
import { processorSeconds } from "./processor-seconds.ts";
import { configureLaws } from "./fuzz.ts";

/** How long a process that was told to end may take. */
const ENDS_WITHIN_MS = Number(process.env["AGENTQ_ENDS_WITHIN_MS"] ?? 20_000);

configureLaws();
const secondsBefore = processorSeconds();
const environmentBefore = { ...process.env };
const childrenBefore = new Set(children());

// The first one that is registered is the last one that runs.
// oxlint-disable-next-line no-empty-pattern -- vitest reads there which fixtures are wanted
afterAll(async ({}, file) => {
  const seconds = processorSeconds();
  if (seconds !== undefined && secondsBefore !== undefined)
    Object.assign((file as { meta: object }).meta, { processorSeconds: seconds - secondsBefore });
  expect(process.env, "a file leaves no changed environment variable behind").toEqual(environmentBefore);
  const left = (): string[] => children().flatMap((pid) => (childrenBefore.has(pid) ? [] : describeProcess(pid)));
  await vi.waitFor(() => expect(left(), "a file leaves no process behind").toEqual([]), { timeout: ENDS_WITHIN_MS });
}, 2 * ENDS_WITHIN_MS);

/** The processes that this one started and that are not gone; none where the system does not tell. */
function children(): number[] {
  try {
    const threads = readdirSync("/proc/self/task");
    const lists = threads.map((thread) => readFileSync(`/proc/self/task/${thread}/children`, "utf8"));
    return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
  } catch {
    return [];
  }
}

/** Its command line; nothing of one that has ended and was not waited for yet. */
function describeProcess(pid: number): string[] {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return command === "" ? [] : [command];
  } catch {
    return [];
  }
}
