/**
 * Runs tests of vitest and node:test where there is no wall, with the rights that the person gave, in separate
 * processes.
 */
import { realpathSync } from "node:fs";
import { whyNot } from "../../confinement/level.ts";
import { nodeVersionOf } from "../../confinement/node-version.ts";
import { runNodeTests } from "./node-test-run.ts";
import { absentIn, laidOver, sourceText, type ReadSource } from "../laid-texts.ts";
import { planTests } from "../test-files.ts";
import type { TestRequest, TestRun } from "../test-run.ts";
import { runVitest } from "./vitest-run.ts";

export interface TestRunOptions {
  readonly projectRoot: string;
  readonly nodePath?: string;
  /** Text of an open document; undefined means the file on disk, null a file that is to be absent. */
  readonly readSource: ReadSource;
  /** The texts of all open documents, by absolute path. */
  readonly openTexts: () => Readonly<Record<string, string>>;
  /** The reason why tests cannot run behind the wall. */
  readonly whyNotWalled: string;
  readonly log: (message: string) => void;
}

/** Answers one run for each runner, or a sentence when nothing could be run. Does not throw for what tests do. */
export async function runUnwalled(
  given: TestRunOptions,
  request: TestRequest,
  signal: AbortSignal,
): Promise<readonly TestRun[] | string> {
  const texts = request.texts ?? new Map<string, string | null>();
  const options = { ...given, ...laidOver(given, texts) };
  const nodePath = options.nodePath ?? process.execPath;
  const nodeVersion = (await nodeVersionOf(nodePath)) ?? "";
  const refusal = whyNot(nodeVersion, "open");
  if (refusal !== undefined) return refusal;
  const projectRoot = realpathSync(options.projectRoot);
  const readText = (path: string): Promise<string | undefined> => sourceText(options.readSource, path);
  const plans = await planTests({ root: projectRoot, readText, whyNotWalled: options.whyNotWalled }, request.files);
  if (typeof plans === "string") return plans;
  const vitest = { nodePath, nodeVersion, unsavedTexts: options.openTexts, absent: absentIn(texts) };
  const node = { ...options, projectRoot, nodePath, confinement: "open" } as const;
  const runs: TestRun[] = [];
  for (const plan of plans) {
    const isVitest = plan.runner === "vitest";
    runs.push(await (isVitest ? runVitest(vitest, plan, request, signal) : runNodeTests(node, plan, request, signal)));
  }
  return runs;
}
