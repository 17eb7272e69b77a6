/** Runs before each test file: what holds for all of them, and what one may leave behind, which is nothing. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, expect, vi } from "vitest";
import { processorSeconds } from "./processor-seconds.ts";
import { configureLaws } from "./fuzz.ts";

/** How long a process that was told to end may take. */
const ENDS_WITHIN_MS = Number(process.env["AGENTQ_ENDS_WITHIN_MS"] ?? 40_000);

/** What Node, test runners and compilers keep there between their runs, and what is left of an editor that is killed. */
const KEPT = /^(?:node-compile-cache|nvim\.\w+|ediff\w+|jest_\w+|v8-compile-cache.*|tsgo-api-.*|tsx-\d+)$/;
/** What a server that was killed leaves to the next one that starts, by the id of its process. */
const SWEPT = /^agentq-(?:layer|image)-(\d+)-/;

configureLaws();
const temporary = ownFolder();
const foldersBefore = new Set(readdirSync(temporary));
const secondsBefore = processorSeconds();
const environmentBefore = { ...process.env };
const childrenBefore = new Set(children());

/** Where the worker's files make their folders. */
function ownFolder(): string {
  const name = `w${process.env["VITEST_POOL_ID"] ?? ""}`;
  const folder = basename(tmpdir()) === name ? tmpdir() : join(tmpdir(), name);
  mkdirSync(folder, { recursive: true });
  process.env["TMPDIR"] = folder;
  return folder;
}

// The first one that is registered is the last one that runs.
// oxlint-disable-next-line no-empty-pattern -- vitest reads there which fixtures are wanted
afterAll(async ({}, file) => {
  const seconds = processorSeconds();
  if (seconds !== undefined && secondsBefore !== undefined)
    Object.assign((file as { meta: object }).meta, { processorSeconds: seconds - secondsBefore });
  expect(process.env, "a file leaves no changed environment variable behind").toEqual(environmentBefore);
  const folders = readdirSync(temporary).filter((name) => !foldersBefore.has(name) && isLeft(name));
  expect(folders, `a file leaves nothing in ${temporary}`).toEqual([]);
  const left = (): string[] => children().flatMap((pid) => (childrenBefore.has(pid) ? [] : describeProcess(pid)));
  await vi.waitFor(() => expect(left(), "a file leaves no process behind").toEqual([]), { timeout: ENDS_WITHIN_MS });
}, 2 * ENDS_WITHIN_MS);

function isLeft(name: string): boolean {
  const [, pid] = SWEPT.exec(name) ?? [];
  return !KEPT.test(name) && (pid === undefined || Number(pid) === process.pid);
}

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
