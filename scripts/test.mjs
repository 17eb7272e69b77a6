// `npm test`: prepares the checkout, and hands over to `run-tests.ts` in the project's own Node.
import { prepareNode } from "./bootstrap.mjs";
import { errorText } from "./error-text.mjs";
import { runInForeground } from "./foreground.mjs";
import { projectEnvironment, root } from "./paths.mjs";

try {
  const node = prepareNode("test");
  const options = { cwd: root, env: projectEnvironment(node) };
  process.exitCode = await runInForeground(node, ["scripts/run-tests.ts", ...process.argv.slice(2)], options);
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  process.stdout.write("\nFailed: set-up\n0 passed, 1 failed, 0 skipped\n");
  process.exitCode = 1;
}
