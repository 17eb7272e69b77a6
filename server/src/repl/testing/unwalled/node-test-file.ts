/**
 * Runs one test file for node:test in a fresh image: with the project's resolution, its TypeScript and its unsaved
 * text.
 */
import { join } from "node:path";
import { readRegularTextSync } from "../../../workspace/regular-file.ts";
import { kernelFolders } from "../../confinement/launch-plan.ts";
import { given } from "../../../base/given.ts";
import { createImage, type ImageOptions } from "../../process/image-process.ts";
import { NODE_TESTS_URL } from "../../child-folder.ts";
import type { NodeTestRequest } from "../../child/tests/run-node-tests.ts";
import type { TestOutcome } from "../test-run.ts";
import { eventsIn, outcomesOf, unfinishedFile } from "../told-events.ts";

export type NodeTestOptions = Pick<ImageOptions, "projectRoot" | "nodePath" | "readSource" | "confinement" | "log">;

export interface FileRequest {
  readonly file: string;
  readonly name?: string;
  readonly timeoutMs: number;
}

export interface FileRun {
  readonly outcomes: readonly TestOutcome[];
  readonly output: string;
  readonly nodeVersion: string;
  /** The reason why the file stopped before its end. */
  readonly problem?: string;
  /** The time limit was reached. */
  readonly isLate: boolean;
}

const EVENTS = "events.jsonl";
const NATIVE_STACK = /\s*^ *# .*\[\d+\]: [^]*$/m;

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
      // The process ended before its first event, or a test wrote something else there.
    }
  };
  const request: NodeTestRequest = { file, ...given({ name }), own: kernelFolders(), events: EVENTS };
  const code = `await (await import(${JSON.stringify(NODE_TESTS_URL)})).runNodeTests(${JSON.stringify(request)})`;
  const image = createImage({ ...options, beforeCleanup, onOutput: () => {}, onState: () => {} });
  const result = await image.evaluate({ code, by: "agent", timeoutMs }, signal);
  const { nodeVersion } = image.status();
  await image.dispose();
  const told = outcomesOf(eventsIn(events));
  const isWhole = result.outcome === "value";
  // Under node:test's hooks, Node aborts when it is stopped, and prints a long report.
  const isLate = !isWhole && result.durationMs >= timeoutMs;
  const isOpen = !isWhole && !told.some(({ state }) => state === "unfinished");
  return {
    outcomes: isOpen ? [...told, unfinishedFile(file)] : told,
    output: result.stdout + (isLate ? result.stderr.replace(NATIVE_STACK, "") : result.stderr),
    nodeVersion,
    isLate,
    ...(isWhole ? {} : { problem: result.error?.message ?? result.outcome }),
  };
}
