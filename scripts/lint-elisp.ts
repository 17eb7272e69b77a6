// Lints the Emacs client by byte-compiling it, with checkdoc and with package-lint, in the newest Emacs at hand,
// and with `AGENTQ_TESTS=all` in every one. Without any it says so and passes, except in CI.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { versionsToRun } from "../test/support/extent.ts";
import { provideEditors } from "./editors/provide-editors.ts";
import { root } from "./paths.mjs";

const { editors, missing } = provideEditors(["emacs"]);

for (const { name, reason } of missing) process.stderr.write(`Not linting with ${name}: ${reason}\n`);
if (missing.length > 0 && process.env["CI"] === "true") process.exitCode = 1;

for (const { version, path } of versionsToRun(editors)) {
  process.stdout.write(`Emacs ${version}: `);
  const lint = ["-Q", "--batch", "-l", join(root, "scripts/lint-elisp.el"), join(root, "client-emacs")];
  const { status, stdout, stderr } = spawnSync(path, lint, { cwd: root, encoding: "utf8" });
  process.stdout.write(`${status === 0 ? "" : "\n"}${stdout}`);
  if (status !== 0) process.exitCode = 1;
  if (status !== 0 && stdout === "") process.stderr.write(stderr);
}
