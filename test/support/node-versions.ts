/** The Nodes that the REPL must work in: the project's own (24), and 22 and 26 fetched once into `.cache/nodes`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import { findNode, type NodeMajor } from "../../scripts/nodes/provide-nodes.ts";

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

/**
 * Describes the same behaviour once per Node. One that is not here is skipped with the reason in its title; in CI that
 * is a failure. `npm test` fetches them before the tests.
 */
export function describeEachNode(
  majors: readonly NodeMajor[],
  body: (node: { readonly major: NodeMajor; readonly path: string }) => void,
): void {
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
