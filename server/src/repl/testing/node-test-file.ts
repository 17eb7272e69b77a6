/** One test file for node:test in a fresh image: with the project's resolution, its TypeScript and its unsaved text. */
import { join } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { kernelFolders } from "../confinement/confinement.ts";
import { createImage, type ImageOptions } from "../process/image-process.ts";
import type { TestOutcome } from "./test-run.ts";

export type NodeTestOptions = Pick<
  ImageOptions,
  "projectRoot" | "nodePath" | "readSource" | "confinement" | "network" | "isSecretName" | "log"
>;

export interface FileRequest {
  readonly file: string;
  readonly name?: string;
  readonly timeoutMs: number;
}

export interface FileRun {
  readonly outcomes: readonly TestOutcome[];
  readonly output: string;
  readonly nodeVersion: string;
  /** Why it ended before its end. */
  readonly problem?: string;
  /** The time was over. */
  readonly isLate: boolean;
}

/**
 * Writes what happens as it happens, a line of JSON for each event: an endless loop in a test ends its process, because
 * node:test uses async hooks, under which Node cannot be interrupted. node:test ends a run in its own process when Node
 * has nothing left to do, which an image always has: the end is told by hand once the file is loaded and every test is complete.
 */
const RUN = (file: string, name: string | undefined): string => `
import { run } from "node:test";
import { resolve } from "node:path";
import { inspect } from "node:util";
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
const agentqTell = (event: object) => appendFileSync(tmpdir() + "/${EVENTS}", JSON.stringify(event) + "\\n");
const agentqFile = ${JSON.stringify(file)};
const agentqTitles: string[] = [];
const agentqOwn = ${JSON.stringify(kernelFolders())};
const agentqPlace = (stack: string | undefined) => {
  for (const [, file, line, column] of (stack ?? "").matchAll(/(?:\\(|at )(?:file:\\/\\/)?(\\/[^()\\n?]+?)(?:\\?[^()\\n:]*)?:(\\d+):(\\d+)\\)?$/gm)) {
    const isOwn = agentqOwn.some((folder) => file.startsWith(folder));
    if (!isOwn && !file.includes("/node_modules/")) return { file: decodeURI(file), line: Number(line), column: Number(column) };
  }
};
const agentqStream = run({
  files: [agentqFile],
  isolation: "none",
  ${name === undefined ? "" : `testNamePatterns: [new RegExp(${JSON.stringify(name)})],`}
});
const agentqFailure = (thrown: any, depth = 0) => {
  if (!(thrown instanceof Error)) return { name: "Thrown", message: typeof thrown === "string" ? thrown : inspect(thrown) };
  const causes = depth < 5 ? [...(thrown.cause === undefined ? [] : [thrown.cause]), ...(thrown.errors ?? [])] : [];
  const told = { name: thrown.name, message: thrown.message, place: agentqPlace(thrown.stack) };
  return causes.length === 0 ? told : { ...told, causes: causes.map((cause) => agentqFailure(cause, depth + 1)) };
};
// A test that failed without an error of its own, by a subtest or at its time limit, is told in Node's words.
const agentqOutcome = ({ failureType, cause, message }) =>
  ["testCodeFailure", "hookFailed"].includes(failureType) || cause instanceof Error
    ? agentqFailure(cause)
    : { name: "Error", message: String(cause ?? message) };
let agentqOpen = 0;
let agentqLoaded = false;
const agentqLeft = () => process.getActiveResourcesInfo();
// What the image always has. A request or an immediate of this moment is none of it.
const agentqIdle = agentqLeft().filter((kind) => !/^Immediate$|req/i.test(kind)).length;
// A test may replace them.
const [agentqSoon, agentqLater] = [setImmediate, setTimeout];
// Node itself would wait until nothing is left to do: an error may come when its test has ended.
const agentqEnd = async () => {
  const since = performance.now();
  const isOver = () => agentqLoaded && agentqOpen === 0;
  while (isOver() && agentqLeft().length > agentqIdle && performance.now() - since < ${LATE_MS})
    await new Promise((next) => agentqLater(next, 5).unref());
  if (isOver()) process.emit("beforeExit", 0);
};
agentqStream.on("test:enqueue", ({ nesting }) => nesting === 0 && agentqOpen++);
agentqStream.on("test:complete", ({ nesting }) => nesting === 0 && --agentqOpen === 0 && agentqSoon(agentqEnd));
const agentqIsLoaded = () => {
  agentqLoaded = true;
  agentqSoon(agentqEnd);
};
import(agentqFile).then(agentqIsLoaded, agentqIsLoaded);
// Listeners hear of an event at once; what is read from the stream comes later, and after an endless loop never.
const agentqHear = (type: string, data: any) => {
  const at = data.file === undefined ? {} : { place: { file: data.file, line: data.line, column: data.column } };
  // A test runs from here on; its start is told only with its end.
  if (type === "test:dequeue" && data.name !== agentqFile) {
    agentqTitles.length = data.nesting;
    agentqTitles.push(data.name);
    agentqTell({ begins: { file: data.file ?? "", titles: agentqTitles, ...at } });
  }
  if (type === "test:dequeue") return;
  // Without tests of its own a file is told as one test by its path.
  if (type === "test:pass" && data.name === agentqFile) return;
  const error = data.details?.error;
  const isSuite = data.details?.type === "suite";
  if (isSuite && (type === "test:pass" || error?.failureType === "subtestsFailed")) return;
  const isSet = (mark) => mark !== undefined && mark !== false;
  agentqTell({ ends: {
    file: data.file ?? "",
    titles: [...agentqTitles.slice(0, data.nesting), data.name],
    state: isSet(data.skip) ? "skipped" : isSet(data.todo) ? "todo" : type === "test:pass" ? "passed" : "failed",
    durationMs: data.details?.duration_ms,
    ...at,
    failures: error === undefined ? [] : [agentqOutcome(error)],
  } });
};
const agentqLate = /^\\w+: (?:Test "([^]*)" at (.+):(\\d+):(\\d+)|A resource) generated asynchronous activity after the test ended\\. This activity created the error "(?:(\\w+): )?([^]*)" (?:and would have|which triggered)/;
agentqStream.on("test:diagnostic", ({ message }) => {
  const [all, name, path, line, column, error = "Thrown", text] = agentqLate.exec(message) ?? [];
  if (all === undefined) return;
  const file = path === undefined ? agentqFile : resolve(path);
  const at = path === undefined ? {} : { place: { file, line: Number(line), column: Number(column) } };
  const titles = name === undefined ? ["(after the tests)"] : [name, "(after it had ended)"];
  agentqTell({ ends: { file, titles, state: "failed", ...at, failures: [{ name: error, message: text }] } });
});
for (const type of ["test:dequeue", "test:pass", "test:fail"]) agentqStream.on(type, (data) => agentqHear(type, data));
for await (const _event of agentqStream);
`;
/** How long an error may come after the tests, in milliseconds: some leave something running for ever. */
const LATE_MS = 1000;
const EVENTS = "events.jsonl";
const NATIVE_STACK = /\s*^ *# .*\[\d+\]: [^]*$/m;

type Event = { readonly begins: Omit<TestOutcome, "state" | "failures"> } | { readonly ends: TestOutcome };

export async function runNodeTestFile(
  options: NodeTestOptions,
  { file, name, timeoutMs }: FileRequest,
  signal: AbortSignal,
): Promise<FileRun> {
  let events = "";
  const beforeCleanup = (scratch: string): void => {
    try {
      events = readRegularTextSync(join(scratch, EVENTS), { lossy: true });
    } catch {
      // The process ended before its first event, or a test put something else there.
    }
  };
  const image = createImage({ ...options, beforeCleanup, onOutput: () => {}, onState: () => {} });
  const result = await image.evaluate({ code: RUN(file, name), by: "agent", timeoutMs }, signal);
  const { nodeVersion } = image.status();
  await image.dispose();
  const told = outcomesOf(events);
  const isWhole = result.outcome === "value";
  // Under the hooks of node:test Node aborts when it is stopped, and says so at length.
  const isLate = !isWhole && result.durationMs >= timeoutMs;
  const isOpen = !isWhole && !told.some(({ state }) => state === "unfinished");
  return {
    outcomes: isOpen ? [...told, { file, titles: [], state: "unfinished", failures: [] }] : told,
    output: result.stdout + (isLate ? result.stderr.replace(NATIVE_STACK, "") : result.stderr),
    nodeVersion,
    isLate,
    ...(isWhole ? {} : { problem: result.error?.message ?? result.outcome }),
  };
}

/** What began and did not end is unfinished, unless something inside it is. */
function outcomesOf(events: string): TestOutcome[] {
  // What follows on the last line's end was cut off with the process.
  const lines = events.split("\n").slice(0, -1);
  const parsed = lines.flatMap(eventIn);
  const ended = parsed.flatMap((event) => ("ends" in event ? [event.ends] : []));
  const keyOf = ({ file, titles }: Pick<TestOutcome, "file" | "titles">): string =>
    JSON.stringify([file, ...titles]).slice(0, -1);
  const done = ended.map(keyOf);
  const begun = parsed.flatMap((event) => ("begins" in event ? [event.begins] : []));
  const open = begun.filter((each) => !done.some((key) => key === keyOf(each) || key.startsWith(`${keyOf(each)},`)));
  const innermost = open.filter((each) => !open.some((other) => keyOf(other).startsWith(`${keyOf(each)},`)));
  return [...ended, ...innermost.map((each) => ({ ...each, state: "unfinished", failures: [] }) as const)];
}

/** A test can write into the file of events too: what is none is left out. */
function eventIn(line: string): Event[] {
  try {
    const event = JSON.parse(line) as Event | null;
    return event !== null && ("begins" in event || "ends" in event) ? [event] : [];
  } catch {
    return [];
  }
}
