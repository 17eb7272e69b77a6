/** Runs the project's tests with their runners: behind the wall, or, where there is none, with the person's rights. */
import { realpathSync } from "node:fs";
import { readingOver, sourceText } from "./laid-texts.ts";
import type { TestRunOptions } from "./unwalled/run-unwalled.ts";
import type { TestRequest, TestRun } from "./test-run.ts";
import type { WithRoom } from "./walled/test-room.ts";

export type { TestRunOptions } from "./unwalled/run-unwalled.ts";

/** The place where tests run: copies of the project, or the project itself, with the person's rights. */
export type TestPlace = { readonly withRoom: WithRoom } | Omit<TestRunOptions, keyof TestSources>;

export type TestSources = Pick<TestRunOptions, "projectRoot" | "readSource" | "openTexts" | "log">;

/** Answers one run for each runner, or a sentence when nothing could be run. Does not throw for what tests do. */
export async function runTests(
  sources: TestSources,
  place: TestPlace,
  request: TestRequest,
  signal: AbortSignal,
): Promise<readonly TestRun[] | string> {
  if (!("withRoom" in place)) {
    const { runUnwalled } = await import("./unwalled/run-unwalled.ts");
    return runUnwalled({ ...sources, ...place }, request, signal);
  }
  const { runWalled } = await import("./walled/run-walled.ts");
  const readSource = readingOver(sources.readSource, request.texts ?? new Map());
  const projectRoot = realpathSync(sources.projectRoot);
  const tests = { projectRoot, withRoom: place.withRoom, readText: (path: string) => sourceText(readSource, path) };
  return runWalled(tests, request, signal);
}
