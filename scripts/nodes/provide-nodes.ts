// The platform packages behind the npm package `node`, in exact versions, each fetched once into `.cache/nodes`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseNode } from "../bootstrap/node-binary.mjs";
import { runNpm } from "../bootstrap/packages.mjs";
import { errorText } from "../error-text.mjs";
import { withLock } from "../lock.mjs";
import { root } from "../paths.mjs";

/** Newer ones are taken on purpose, by changing this line: a test that fails names the Node it failed on. */
const versions = { 22: "22.23.3", 26: "26.10.0" } as const;

type FetchedMajor = keyof typeof versions;
export type NodeMajor = FetchedMajor | 24;

export const nodeMajors: readonly NodeMajor[] = [22, 24, 26];

interface ProvidedNodes {
  nodes: { major: NodeMajor; path: string }[];
  missing: { name: string; reason: string }[];
}

const store = join(root, ".cache/nodes");

/** The Node of a major version that is here already, or undefined. */
export function findNode(major: NodeMajor): string | undefined {
  if (major === 24) return ownNode();
  const program = join(folderOf(major), "node_modules", packageName(), executable());
  return existsSync(program) ? program : undefined;
}

/** Fetches what is missing and says what could not be had. */
export function provideNodes(wanted = nodeMajors): ProvidedNodes {
  const provided: ProvidedNodes = { nodes: [], missing: [] };
  for (const major of wanted) {
    const found = findNode(major) ?? fetchNode(major);
    if (typeof found === "string") provided.nodes.push({ major, path: found });
    else provided.missing.push({ name: `Node ${major}`, reason: found.reason });
  }
  return provided;
}

/** The program that was fetched, or why there is none. */
function fetchNode(major: NodeMajor): string | { reason: string } {
  if (major === 24) return { reason: "the npm package `node` of this checkout is not Node 24" };
  mkdirSync(store, { recursive: true });
  return withLock(join(store, "lock"), () => {
    try {
      return findNode(major) ?? install(major);
    } catch (error) {
      return { reason: errorText(error) };
    }
  });
}

/** Made beside its place and renamed when it is whole, so that a fetch that was cut off is done again. */
function install(major: FetchedMajor): string | { reason: string } {
  const folder = folderOf(major);
  const partial = `${folder}.partial`;
  const wanted = `${packageName()}@${versions[major]}`;
  process.stderr.write(`Fetching ${wanted} ...\n`);
  for (const left of [folder, partial]) rmSync(left, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, "package.json"), '{ "private": true }\n');
  const quiet = ["--ignore-scripts", "--no-bin-links", "--no-audit", "--no-fund", "--loglevel=error"];
  const status = runNpm(partial, ["install", "--prefix", partial, "--save-exact", ...quiet, wanted]);
  if (status !== 0) return { reason: `npm could not install ${wanted}, which needs the network once` };
  renameSync(partial, folder);
  const program = findNode(major);
  const runs = program !== undefined && versionOf(program) === versions[major];
  return runs ? program : { reason: `${wanted} does not run here` };
}

function folderOf(major: FetchedMajor): string {
  return join(store, versions[major]);
}

function packageName(): string {
  const { platform, arch } = process;
  if (platform === "win32") return `node-win-${arch === "ia32" ? "x86" : arch}`;
  return `${platform === "darwin" && arch === "arm64" ? "node-bin" : "node"}-${platform}-${arch}`;
}

function executable(): string {
  return process.platform === "win32" ? "bin/node.exe" : "bin/node";
}

function ownNode(): string | undefined {
  const own = chooseNode(root);
  return own !== undefined && versionOf(own).startsWith("24.") ? own : undefined;
}

function versionOf(node: string): string {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  return stdout.trim().replace(/^v/, "");
}
