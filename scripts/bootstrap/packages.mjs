import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * `run` is what building and running the program needs; `test` has what the tests need too, and a Node for whoever has an older
 * one: the workspace `test/support`, four times as much.
 *
 * @typedef {"run" | "test"} Extent
 */

/**
 * Says whether node_modules holds what package-lock.json asks for, as far as can be told without npm.
 *
 * @param {string} root the checkout
 * @param {Extent} extent
 */
export function packagesAreInstalled(root, extent) {
  const record = join(root, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const [digest, installed] = (readIfPresent(stampFile(root)) ?? "").split(" ");
  if (digest === lockDigest(root) && (installed === "test" || installed === extent)) return true;
  // Somebody ran npm by hand, and has all of it: npm's own record is then newer than the lock file, and than what is written here.
  const changed = [join(root, "package-lock.json"), stampFile(root)].filter((file) => existsSync(file));
  return changed.every((file) => statSync(record).mtimeMs >= statSync(file).mtimeMs);
}

/**
 * Installs the packages the lock file names. `npm install --no-save` and not `npm ci`, which removes node_modules first
 * and refuses to work at all with a lock file that lacks an optional package of another platform.
 *
 * @param {string} root
 * @param {Extent} extent
 */
export function installPackages(root, extent) {
  process.stderr.write("Installing packages ...\n");
  // A NODE_ENV of `production` would leave out the tools that build and test.
  const wanted = ["--include=dev", ...(extent === "run" ? ["--workspaces=false"] : [])];
  const status = runNpm(root, ["install", "--no-save", ...wanted, "--no-audit", "--no-fund", "--loglevel=error"]);
  if (status !== 0) throw new Error("npm install failed; its own message is above.");
  writeFileSync(stampFile(root), `${lockDigest(root)} ${extent}`);
}

/**
 * Runs npm on the user's screen, stdout kept free, and returns its exit status.
 *
 * @param {string} cwd
 * @param {string[]} args
 */
export function runNpm(cwd, args, env = process.env) {
  const [file, all, options] = npmCommand(args);
  const result = spawnSync(file, all, { ...options, cwd, env, stdio: ["ignore", 2, 2] });
  if (result.error) throw new Error(`npm could not run: ${result.error.message}`);
  return result.status ?? 1;
}

/**
 * What starts npm: a program, its arguments and the options that this system needs.
 *
 * @param {string[]} args
 * @returns {[file: string, args: string[], options: { shell: boolean }]}
 */
export function npmCommand(args) {
  const npm = process.env["npm_execpath"];
  if (npm !== undefined && /\.[cm]?js$/.test(npm)) return [process.execPath, [npm, ...args], { shell: false }];
  return ["npm", args, { shell: process.platform === "win32" }];
}

/** @param {string} root */
function stampFile(root) {
  return join(root, "node_modules/.agentq-installed");
}

/** @param {string} root */
function lockDigest(root) {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

/** @param {string} path */
function readIfPresent(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
