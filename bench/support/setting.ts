/** What every measure is given. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Installed, LargeProject } from "./install.ts";

export interface Setting {
  /** The `bin/agentq.js` under test. */
  readonly program: string;
  readonly peers: Installed<string>;
  readonly large: Installed<LargeProject>;
  /** Installed by the measure that wants it. */
  readonly huge: () => Installed<LargeProject>;
  /** Counted rounds of a measure that asks for `usual` of them. */
  readonly rounds: (usual: number) => number;
}

/** Runs `work` in an empty folder of its own. */
export async function inTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), "agentq-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
