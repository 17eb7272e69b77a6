import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isAtLeast } from "../version.mjs";

/** The first Node that runs TypeScript without being asked to. */
export const oldestNode = /** @type {const} */ ([22, 18]);
/** The first Node whose permissions hold the REPL where the system has no wall for the REPL: everywhere but on Linux. */
const confiningNode = /** @type {const} */ ([24, 21]);

/** Whether the Node that runs this is new enough for all that the server does on this system. */
export function hasOwnNode() {
  return isAtLeast(process.versions.node, process.platform === "linux" ? oldestNode : confiningNode);
}

/**
 * The Node that the npm package `node` brought, else the running one; undefined when neither is new enough.
 *
 * @param {string} root the checkout
 */
export function chooseNode(root) {
  const brought = broughtNode(root);
  if (existsSync(brought) && isAtLeast(versionOf(brought), oldestNode)) return brought;
  return isAtLeast(process.versions.node, oldestNode) ? process.execPath : undefined;
}

/**
 * npm may install the package `node` without running its install script, which is what places the binary. Runs that
 * script and returns the binary, or undefined when it still is not there.
 *
 * @param {string} root
 */
export function repairNode(root) {
  const folder = join(root, "node_modules/node");
  const script = join(folder, "installArchSpecificPackage.js");
  if (!existsSync(script)) return undefined;
  process.stderr.write("Placing the project's own Node ...\n");
  spawnSync(process.execPath, [script], { cwd: folder, stdio: ["ignore", 2, 2] });
  linkOnScriptPath(root);
  return chooseNode(root);
}

/**
 * npm links a package's programs while it installs, and this one was not there yet. On Windows npm writes shims that do
 * not ask whether the program exists.
 *
 * @param {string} root
 */
function linkOnScriptPath(root) {
  const link = join(root, "node_modules/.bin/node");
  if (process.platform !== "win32" && existsSync(broughtNode(root)) && !existsSync(link))
    symlinkSync("../node/bin/node", link);
}

/** @param {string} root */
function broughtNode(root) {
  return join(root, "node_modules/node/bin", process.platform === "win32" ? "node.exe" : "node");
}

/** @param {string} node */
function versionOf(node) {
  const result = spawnSync(node, ["--version"], { encoding: "utf8" });
  return result.status === 0 ? result.stdout.trim().replace(/^v/, "") : "0";
}
