#!/usr/bin/env node
// Plain enough for an old Node to read, so that it can say what it needs instead of failing on the first modern word.
// Nothing is imported before it is needed: each import is time until the editor has its server.
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 15)) {
  refuseOldNode().catch(explain);
} else {
  start().catch(explain);
}

async function start() {
  if (process.argv[2] === "run") {
    // Before the person's program starts, one file is loaded and nothing else.
    const require = process.getBuiltinModule("module").createRequire(import.meta.url);
    process.exitCode = await require("../dist/run.cjs").runApp(process.argv.slice(3), process);
    return;
  }
  keepCompiled(await import("../dist/own-place.js"));
  await import("../dist/main.js");
}

/**
 * Node runs what it finds in a cache of compiled code without comparing it with the source. So the cache is in a folder where
 * nobody else can put anything, and not in Node's own, which lies in the temporary folder that all users share.
 */
function keepCompiled({ ownPlace }) {
  const { enableCompileCache } = process.getBuiltinModule("module");
  // The temporary folder of Windows is the person's own.
  if (process.getuid === undefined) return enableCompileCache();
  try {
    const { folder } = ownPlace(cacheFolder(), 0o077);
    if (folder !== undefined) enableCompileCache(folder);
  } catch (error) {
    // Without a cache the start is slower, and everything else the same.
    if (!("code" in error)) throw error;
  }
}

/** Below a folder that is there. */
function cacheFolder() {
  const path = process.getBuiltinModule("path");
  const named = process.env.XDG_CACHE_HOME || "";
  const cache =
    path.isAbsolute(named) && !isInProject(path.dirname(named))
      ? named
      : path.join(process.getBuiltinModule("os").homedir(), ".cache");
  process.getBuiltinModule("fs").lstatSync(path.dirname(cache));
  return path.join(cache, "agentq");
}

/** What lies in a project or a repository may have come with it. */
function isInProject(folder) {
  const path = process.getBuiltinModule("path");
  const { existsSync, realpathSync } = process.getBuiltinModule("fs");
  const home = process.getBuiltinModule("os").homedir();
  const isProject = (at) =>
    at === process.cwd() || [".git", ".hg", ".jj", ".sl", ".svn"].some((name) => existsSync(path.join(at, name)));
  for (let at = realpathSync(folder); at !== path.dirname(at) && at !== home; at = path.dirname(at)) {
    if (isProject(at)) return true;
  }
  return false;
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
