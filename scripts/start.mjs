// `npm start`: prepares the checkout and plays the demo. Arguments go to the demo; `--nvim` and `--emacs` first bring
// an editor new enough for it.
import { spawnSync } from "node:child_process";
import { bootstrap } from "./bootstrap.mjs";
import { errorText } from "./error-text.mjs";
import { runInForeground } from "./foreground.mjs";
import { projectEnvironment, root } from "./paths.mjs";

try {
  const args = process.argv.slice(2);
  const node = bootstrap();
  const options = { cwd: root, env: projectEnvironment(node) };
  const editors = ["nvim", "emacs"].filter((kind) => args.includes(`--${kind}`));
  // The script shows what it prepares and what is missing; the demo says what it cannot do without.
  if (editors.length > 0)
    spawnSync(node, ["scripts/editors.ts", ...editors], { ...options, stdio: ["ignore", "ignore", "inherit"] });
  process.exitCode = await runInForeground(node, ["examples/demo/main.ts", ...args], options);
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  process.exitCode = 1;
}
