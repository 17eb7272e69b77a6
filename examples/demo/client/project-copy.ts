/** The example project in a folder of its own, so that the demo never changes the one in the repository. */
import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const EXAMPLE = fileURLToPath(new URL("../../invoices", import.meta.url));

export interface ProjectCopy {
  readonly folder: string;
  /** For what the server keeps between its runs: goes with the copy. */
  readonly state: string;
  dispose(): Promise<void>;
}

export async function copyProject(): Promise<ProjectCopy> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), "agentq-demo-")));
  const folder = join(parent, "invoices");
  // A process that ends in any way takes its copy with it.
  const remove = (): void => rmSync(parent, { recursive: true, force: true });
  process.once("exit", remove);
  await cp(EXAMPLE, folder, { recursive: true, filter: (source) => !source.endsWith("node_modules") });
  return {
    folder,
    state: join(parent, "state"),
    async dispose() {
      process.removeListener("exit", remove);
      await rm(parent, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
