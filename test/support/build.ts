/** Builds dist/ once before the tests: the server, the editors and the demo run what users run. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export function setup(): void {
  // Type errors are the business of check:types; the compiler emits in spite of them.
  const { status, error } = spawnSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  if (error !== undefined || status === null) throw new Error("the build did not run", { cause: error });
}
