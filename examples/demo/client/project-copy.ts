/** The example project in a folder of its own, so that the demo never changes the one in the repository. */
import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type ExampleName = "invoices" | "orders";

export interface ProjectCopy {
  readonly folder: string;
  /** For what the server keeps between its runs: goes with the copy. */
  readonly state: string;
  dispose(): Promise<void>;
}

export async function copyProject(name: ExampleName = "invoices"): Promise<ProjectCopy> {
  const example = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const parent = await realpath(await mkdtemp(join(tmpdir(), "agentq-demo-")));
  const folder = join(parent, name);
  // A process that ends in any way takes its copy with it.
  const remove = (): void => rmSync(parent, { recursive: true, force: true });
  process.once("exit", remove);
  await cp(example, folder, { recursive: true, filter: (source) => !source.endsWith("node_modules") });
  return {
    folder,
    state: join(parent, "state"),
    async dispose() {
      process.removeListener("exit", remove);
      await rm(parent, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
