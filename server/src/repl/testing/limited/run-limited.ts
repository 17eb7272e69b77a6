/** Runs tests of vitest and node:test where there is no wall, or where the person gave them full rights: in processes of their own. */
import { realpathSync } from "node:fs";
import { whyNot } from "../../confinement/level.ts";
import { whyNotNamed } from "../../confinement/limited/limited.ts";
import type { Confinement } from "../../image.ts";
import { findNetworkWall, OPEN_NETWORK, type Network } from "../../confinement/limited/network.ts";
import { nodeVersionOf } from "../../confinement/node-version.ts";
import { readableFolders } from "../../confinement/readable-folders.ts";
import type { IsSecretName } from "../../confinement/limited/tree-check.ts";
import { runNodeTests } from "./node-test-run.ts";
import { absentIn, laidOver, sourceText, type ReadSource } from "../laid-texts.ts";
import { planTests } from "../test-files.ts";
import type { TestRequest, TestRun } from "../test-run.ts";
import { runVitest } from "./vitest-run.ts";

export interface TestRunOptions {
  readonly projectRoot: string;
  readonly nodePath?: string;
  readonly confinement: Confinement;
  readonly network?: Network;
  /** Whether a file of this name may hold secrets. */
  readonly isSecretName?: IsSecretName;
  /** Text of an open document; undefined means the file on disk, null a file that is to be absent. */
  readonly readSource: ReadSource;
  /** The text of every open document by absolute path. */
  readonly openTexts: () => Readonly<Record<string, string>>;
  /** What keeps tests from running behind the wall. */
  readonly whyNotWalled: string;
  readonly log: (message: string) => void;
}

/** Answers one run for each runner, or a sentence that says why nothing could be run. Throws nothing for what tests do. */
export async function runLimited(
  given: TestRunOptions,
  request: TestRequest,
  signal: AbortSignal,
): Promise<readonly TestRun[] | string> {
  const texts = request.texts ?? new Map<string, string | null>();
  const options = { ...given, ...laidOver(given, texts) };
  const nodePath = options.nodePath ?? process.execPath;
  const nodeVersion = (await nodeVersionOf(nodePath)) ?? "";
  const isOpen = options.confinement === "open";
  const refusal = whyNot(nodeVersion, isOpen ? "open" : "limited");
  if (refusal !== undefined) return refusal;
  const projectRoot = realpathSync(options.projectRoot);
  const readText = (path: string): Promise<string | undefined> => sourceText(options.readSource, path);
  const project = { root: projectRoot, readText, whyNotWalled: options.whyNotWalled };
  const plans = await planTests(project, request.files);
  if (typeof plans === "string") return plans;
  const wall = isOpen
    ? OPEN_NETWORK
    : await findNetworkWall(nodeVersion, options.network ?? "none", [projectRoot, nodePath]);
  const readable = isOpen ? [] : readableFolders(projectRoot);
  const unnamed = isOpen ? undefined : whyNotNamed(readable);
  if (unnamed !== undefined) return unnamed;
  const launch = { nodePath, nodeVersion, isOpen, readable, wall };
  const runs: TestRun[] = [];
  for (const plan of plans) {
    const run =
      plan.runner === "vitest"
        ? runVitest({ ...launch, unsavedTexts: options.openTexts, absent: absentIn(texts) }, plan, request, signal)
        : runNodeTests({ ...options, projectRoot, nodePath }, plan, request, signal);
    runs.push(await run);
  }
  return runs;
}
