#!/usr/bin/env node
// Plain enough for an old Node to read, so that it can say what it needs instead of failing on the first modern word.
// Nothing is imported before it is needed: each import is time until the editor has its server.
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 15)) {
  refuseOldNode().catch(explain);
} else {
  process.getBuiltinModule("module").enableCompileCache();
  import("../dist/main.js").catch(explain);
}

async function refuseOldNode() {
  const { existsSync } = await import("fs");
  const { fileURLToPath } = await import("url");
  const newer = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  const hint = existsSync(newer) ? `; start it with ${newer}` : "";
  fail(`agentq needs Node 22.15 or newer, but this is Node ${process.versions.node} (${process.execPath})${hint}.`);
}

function explain(error) {
  const { existsSync } = process.getBuiltinModule("fs");
  const { fileURLToPath } = process.getBuiltinModule("url");
  if (existsSync(new URL("../dist/main.js", import.meta.url))) {
    fail(error && error.stack ? error.stack : String(error));
  } else {
    const checkout = fileURLToPath(new URL("..", import.meta.url));
    fail(`agentq is not built yet: run "npm run build" in ${checkout}.`);
  }
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
