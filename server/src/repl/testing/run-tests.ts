/** Runs the project's tests with the runners they are written for: behind the wall, and where there is none, as far as Node goes. */
import { realpathSync } from "node:fs";
import { laidOver, sourceText } from "./laid-texts.ts";
import type { TestRunOptions } from "./limited/run-limited.ts";
import type { TestRequest, TestRun } from "./test-run.ts";
import type { WithRoom } from "./walled/test-room.ts";

export type { TestRunOptions } from "./limited/run-limited.ts";

/** How tests may run: in copies of the project, or in processes with the rights that `confinement` says. */
export type TestPlace = { readonly withRoom: WithRoom } | Omit<TestRunOptions, keyof TestSources>;

export type TestSources = Pick<TestRunOptions, "projectRoot" | "readSource" | "openTexts" | "log">;

/** Answers one run for each runner, or a sentence that says why nothing could be run. Throws nothing for what tests do. */
export async function runTests(
  sources: TestSources,
  place: TestPlace,
  request: TestRequest,
  signal: AbortSignal,
): Promise<readonly TestRun[] | string> {
  if (!("withRoom" in place)) {
    const { runLimited } = await import("./limited/run-limited.ts");
    return runLimited({ ...sources, ...place }, request, signal);
  }
  const { runWalled } = await import("./walled/run-walled.ts");
  const { readSource } = laidOver(sources, request.texts ?? new Map());
  const projectRoot = realpathSync(sources.projectRoot);
  const tests = { projectRoot, withRoom: place.withRoom, readText: (path: string) => sourceText(readSource, path) };
  return runWalled(tests, request, signal);
}
