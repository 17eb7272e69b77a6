#!/usr/bin/env node
// Plain enough for an old Node to read, so that it can say what it needs instead of failing on the first modern word.
// Nothing is imported before it is needed: each import is time until the editor has its server.
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 15)) {
  refuseOldNode().catch(explain);
} else {
  keepCompiled();
  import("../dist/main.js").catch(explain);
}

/**
 * Node runs what it finds in a cache of compiled code without comparing it with the source. So the cache is in a folder where
 * nobody else can put anything, and not in Node's own, which lies in the temporary folder that all users share.
 */
function keepCompiled() {
  const { enableCompileCache } = process.getBuiltinModule("module");
  // The temporary folder of Windows is the person's own.
  if (process.getuid === undefined) return enableCompileCache();
  try {
    const folder = ownCacheFolder();
    if (folder !== undefined) enableCompileCache(folder);
  } catch (error) {
    // Without a cache the start is slower, and everything else the same.
    if (!("code" in error)) throw error;
  }
}

/** Undefined where another user could have put something into the folder, or could put another folder in its place. */
function ownCacheFolder() {
  const { lstatSync, mkdirSync, realpathSync } = process.getBuiltinModule("fs");
  const path = process.getBuiltinModule("path");
  const named = process.env.XDG_CACHE_HOME || "";
  // Of a folder in a project the files may have come with the project.
  const isPersons = path.isAbsolute(named) && path.relative(process.cwd(), named).startsWith("..");
  const cache = isPersons ? named : path.join(process.getBuiltinModule("os").homedir(), ".cache");
  const own = process.getuid();
  let folder = path.dirname(cache);
  for (const next of [cache, path.join(cache, "agentq")]) {
    for (let above = realpathSync(folder); ; above = path.dirname(above)) {
      const { mode, uid } = lstatSync(above);
      // From a folder with the sticky bit nobody takes away what is another's.
      const isOpen = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
      if ((uid !== own && uid !== 0) || isOpen) return undefined;
      if (above === path.dirname(above)) break;
    }
    try {
      mkdirSync(next, { mode: 0o700 });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    folder = next;
  }
  const { mode, uid } = lstatSync(folder);
  return uid === own && (mode & 0o170077) === 0o040000 ? realpathSync(folder) : undefined;
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
