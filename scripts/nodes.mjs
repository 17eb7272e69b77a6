// Brings the Nodes that the REPL's tests run in, beside the project's own, into `.cache/nodes`.
//
//   node scripts/nodes.mjs [22] [24] [26]
//
// They are the platform packages behind the npm package `node`, in exact versions, each fetched once.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseNode } from "./bootstrap/node-binary.mjs";
import { runNpm } from "./bootstrap/packages.mjs";
import { withLock } from "./lock.mjs";
import { root } from "./paths.mjs";

/** Newer ones are taken on purpose, by changing this line: a test that fails names the Node it failed on. */
const versions = { 22: "22.23.3", 26: "26.10.0" };
const store = join(root, ".cache/nodes");

export const majors = /** @type {const} */ ([22, 24, 26]);

/** The Node of a major version that is here already, or undefined. */
export function findNode(major) {
  if (major === 24) return ownNode();
  const program = join(folderOf(major), "node_modules", packageName(), executable());
  return existsSync(program) ? program : undefined;
}

/**
 * Fetches what is missing and says what could not be had.
 *
 * @param {readonly (22 | 24 | 26)[]} [wanted]
 * @returns {{ nodes: { major: number, path: string }[], missing: { name: string, reason: string }[] }}
 */
export function provideNodes(wanted = majors) {
  const nodes = [];
  const missing = [];
  for (const major of wanted) {
    const reason = findNode(major) === undefined ? fetchNode(major) : undefined;
    if (reason === undefined) nodes.push({ major, path: findNode(major) });
    else missing.push({ name: `Node ${major}`, reason });
  }
  return { nodes, missing };
}

function fetchNode(major) {
  if (major === 24) return "the npm package `node` of this checkout is not Node 24";
  mkdirSync(store, { recursive: true });
  return withLock(join(store, "lock"), () => {
    if (findNode(major) !== undefined) return undefined;
    try {
      return install(major);
    } catch (error) {
      return error.message;
    }
  });
}

/** Made beside its place and renamed when it is whole, so that a fetch that was cut off is done again. */
function install(major) {
  const folder = folderOf(major);
  const partial = `${folder}.partial`;
  const wanted = `${packageName()}@${versions[major]}`;
  process.stderr.write(`Fetching ${wanted} ...\n`);
  for (const left of [folder, partial]) rmSync(left, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, "package.json"), '{ "private": true }\n');
  const quiet = ["--ignore-scripts", "--no-bin-links", "--no-audit", "--no-fund", "--loglevel=error"];
  const status = runNpm(partial, ["install", "--prefix", partial, "--save-exact", ...quiet, wanted]);
  if (status !== 0) return `npm could not install ${wanted}, which needs the network once`;
  renameSync(partial, folder);
  const says = versionOf(findNode(major));
  return says === versions[major] ? undefined : `${wanted} does not run here`;
}

function folderOf(major) {
  return join(store, versions[major]);
}

function packageName() {
  const { platform, arch } = process;
  if (platform === "win32") return `node-win-${arch === "ia32" ? "x86" : arch}`;
  return `${platform === "darwin" && arch === "arm64" ? "node-bin" : "node"}-${platform}-${arch}`;
}

function executable() {
  return process.platform === "win32" ? "bin/node.exe" : "bin/node";
}

function ownNode() {
  const own = chooseNode(root);
  return own !== undefined && versionOf(own).startsWith("24.") ? own : undefined;
}

function versionOf(node) {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  return (stdout ?? "").trim().replace(/^v/, "");
}

function main(args) {
  const wanted = args.map(Number);
  const unknown = wanted.filter((major) => !majors.includes(major));
  if (unknown.length > 0) {
    process.stderr.write(`Unknown: ${unknown.join(", ")}. Choose from ${majors.join(", ")}.\n`);
    return 2;
  }
  const { nodes, missing } = provideNodes(wanted.length > 0 ? wanted : majors);
  for (const { major, path } of nodes) process.stdout.write(`${major} ${path}\n`);
  for (const { name, reason } of missing) process.stderr.write(`${name} is missing: ${reason}\n`);
  return missing.length > 0 ? 1 : 0;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = main(process.argv.slice(2));
}
