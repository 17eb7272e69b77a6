/** The Nodes that the REPL must work in: the project's own (24), and 22 and 26 fetched once into `.cache/nodes`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import { findNode, type NodeMajor } from "../../scripts/nodes/provide-nodes.ts";
import { versionsToRun } from "./extent.ts";

export type { NodeMajor };

const script = fileURLToPath(new URL("../../scripts/nodes.ts", import.meta.url));

/** The program of that Node, fetched when it is not here yet. Rejects with the reason when it cannot be had. */
export async function nodePath(major: NodeMajor): Promise<string> {
  const found = findNode(major);
  if (found !== undefined) return found;
  await promisify(execFile)(process.execPath, [script, String(major)]).catch((error: { stderr?: string }) => {
    throw new Error((error.stderr ?? "").trim().split("\n").at(-1) ?? `Node ${major} is missing`);
  });
  const fetched = findNode(major);
  if (fetched === undefined) throw new Error(`Node ${major} is missing`);
  return fetched;
}

export interface TestedNode {
  readonly major: NodeMajor;
  readonly path: string;
}

/**
 * Describes the same behaviour in the newest of the Nodes it is written for, the last one; in each of them with
 * `AGENTQ_TESTS=all`. `npm test` fetches the Nodes before the tests.
 */
export function describeEachNode(oldestFirst: readonly NodeMajor[], body: (node: TestedNode) => void): void {
  describeContractInEachNode(versionsToRun(oldestFirst), body);
}

/**
 * Describes what has to hold in every Node, and runs in each of them always. A Node that is not here is skipped with the
 * reason in the title; in CI a missing Node is a failure.
 */
export function describeContractInEachNode(majors: readonly NodeMajor[], body: (node: TestedNode) => void): void {
  for (const major of majors) {
    const path = findNode(major);
    if (path !== undefined) {
      describe(`in Node ${major}`, () => body({ major, path }));
      continue;
    }
    const title = `runs in Node ${major} (it is not here; try \`npm run nodes ${major}\`)`;
    if (process.env["CI"] === "true") {
      it(title, () => {
        throw new Error(`CI needs Node ${major}`);
      });
    } else it.skip(title);
  }
}
