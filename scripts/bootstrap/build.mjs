import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const inputs = ["server/src", "scripts/bundle.ts", "package-lock.json"];

/**
 * Says whether `dist/` was built from the sources as they are now.
 *
 * @param {string} root the checkout
 */
export function isBuilt(root) {
  const stamp = join(root, "dist/.built");
  return existsSync(stamp) && readFileSync(stamp, "utf8") === sourceDigest(root);
}

/**
 * Bundles the server. Throws when that fails; the reason is then on the screen. Types are checked elsewhere.
 *
 * @param {string} root
 * @param {string} node the Node to build with
 */
export function build(root, node) {
  process.stderr.write("Building the server ...\n");
  const digest = sourceDigest(root);
  const started = Date.now();
  rmSync(join(root, "dist/.built"), { force: true });
  const result = spawnSync(node, ["scripts/bundle.ts"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.status !== 0) throw new Error("The server was not built; the errors are above.");
  removeOlder(join(root, "dist"), started);
  writeFileSync(join(root, "dist/.built"), digest);
}

/**
 * The bundler writes every file again, so an older one belongs to a source that is gone.
 *
 * @param {string} folder
 * @param {number} time
 */
function removeOlder(folder, time) {
  for (const file of filesIn(folder)) {
    if (statSync(file).mtimeMs < time - 1000) rmSync(file);
  }
}

/** @param {string} root */
function sourceDigest(root) {
  const hash = createHash("sha256");
  for (const input of inputs.map((name) => join(root, name)).flatMap(filesIn)) {
    const { mtimeMs, size } = statSync(input);
    hash.update(`${input}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest("hex");
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
