// `npm start`: prepares the checkout and plays the demo. Arguments go to the demo; `--nvim` and `--emacs` first bring
// an editor new enough for it.
import { bootstrap } from "./bootstrap.mjs";
import { provideEditors } from "./editors.mjs";
import { runInForeground } from "./foreground.mjs";
import { projectEnvironment, root } from "./paths.mjs";

async function main(args) {
  const node = bootstrap();
  const kinds = ["nvim", "emacs"].filter((kind) => args.includes(`--${kind}`));
  if (kinds.length > 0) {
    const { missing } = provideEditors(kinds);
    for (const { name, reason } of missing) process.stderr.write(`${name} is missing: ${reason}\n`);
  }
  return runInForeground(node, ["examples/demo/main.ts", ...args], { cwd: root, env: projectEnvironment(node) });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
