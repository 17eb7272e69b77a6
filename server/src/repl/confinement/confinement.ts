/**
 * How the image's process is started: its flags, its environment, its scratch folder, and the honest sentence about
 * what that confinement stops. A seat belt, not a wall: Node gives no guarantee against malicious code.
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CHILD_FOLDER } from "../child-folder.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import { imageElsewhere, type Prefix } from "./elsewhere.ts";
import type { Confinement } from "../image.ts";
import { expectedNetwork, hasNetworkPermission, type Network, type NetworkWall } from "./network.ts";
import { createScratch } from "./scratch.ts";
import type { CoveredTree, TreeCheck } from "./tree-check.ts";

export interface LaunchPlan {
  /** The program to start, and what stands before the flags. */
  readonly command: readonly [string, ...string[]];
  /** The whole command line for these arguments of Node. */
  readonly line: (args: readonly string[]) => readonly [string, ...string[]];
  /** The image is reached by standard input and output instead of descriptor 3. */
  readonly elsewhere: boolean;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Folders whose files the image may read; the server supplies module text only from these. */
  readonly readable: readonly string[];
  /** What lies in them and is kept from the image. */
  readonly hidden: readonly string[];
  /** Folders that the image must list by another name, which exists once the image has started. */
  readonly aliases: Readonly<Record<string, string>>;
  /** To be called when Node has read its flags and before user code runs. */
  readonly onStarted: () => void;
  readonly dispose: () => void;
}

/** Where the image's own code runs from and, as Node maps compiled code back by its source map, where it was written. */
export function kernelFolders(): string[] {
  const own = ownPackage();
  if (own === undefined) return [CHILD_FOLDER];
  return [CHILD_FOLDER, ...["dist/child", "server/src/repl/child"].map((code) => join(own, code))];
}

export const NEEDED = "24.21 or 26.3";

/** True where a running Node can give up its own rights (`process.permission.drop`). */
export function canConfine(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = versionParts(nodeVersion);
  return major > 26 || (major === 26 && minor >= 3) || (major === 24 && minor >= 21);
}

/** Why this Node cannot run an image at all, or not in this confinement; undefined when it can. */
export function whyNot(nodeVersion: string, confinement: Confinement): string | undefined {
  const [major = 0, minor = 0] = versionParts(nodeVersion);
  if (major < 22 || (major === 22 && minor < 18)) {
    return `The REPL needs Node 22.18 or later; this is Node ${nodeVersion}.`;
  }
  if (confinement === "open" || canConfine(nodeVersion)) return undefined;
  return `Node ${nodeVersion} cannot confine the REPL: use Node ${NEEDED} or later, or allow the open mode (full rights).`;
}

const OTHERWISE = "or allow the open mode (full rights)";

/** Why these folders cannot be confined; undefined when they can. */
export function whyNotNamed(readable: readonly string[]): string | undefined {
  const starred = [...readable, tmpdir(), ...kernelFiles()].find((path) => path.includes("*"));
  if (starred === undefined) return undefined;
  const why = "Node's permissions take for the beginning of anything";
  return `The REPL cannot be confined: ${starred} has a star in its name, which ${why}. Rename it, ${OTHERWISE}.`;
}

/** Why what must not be read cannot be kept from the image. */
export function whyNotCovered(tree: TreeCheck): string {
  const more = "more than Node can be told to keep from it";
  return `The REPL cannot be confined: the project has ${hiddenIn(tree)}, ${more}. Move what is secret into few folders, ${OTHERWISE}.`;
}

export interface Confined {
  readonly nodeVersion: string;
  readonly confinement: Confinement;
  readonly network?: Network | undefined;
  /** What the start found; before it, the sentence says what is wanted. */
  readonly wall?: NetworkWall | undefined;
  readonly tree?: TreeCheck | undefined;
  /** What runs the process in another place. */
  readonly prefix?: readonly string[] | undefined;
}

export function describeConfinement(confined: Confined): string {
  const { prefix } = confined;
  const where = prefix === undefined ? "" : ` Started by the command ${prefix[0]} (repl.command).`;
  return describeMode(confined) + where;
}

function describeMode({ nodeVersion, confinement, network = "none", wall, tree }: Confined): string {
  if (confinement === "open") {
    return canConfine(nodeVersion)
      ? "Open by choice: evaluations run with all of your rights (files, processes, network)."
      : `Open: evaluations run with all of your rights; confinement needs Node ${NEEDED} or later.`;
  }
  if (!canConfine(nodeVersion)) return `Not running: confinement needs Node ${NEEDED} or later.`;
  return (
    "Confined: reads the project and its dependencies only, writes only to a scratch folder, starts no process, " +
    `thread or native addon, signals no other process, sees no secret of your environment; ${wall?.detail ?? expectedNetwork(nodeVersion, network)}. ` +
    `${describeHidden(tree)}A seat belt, not a wall.`
  );
}

function describeHidden(tree: TreeCheck | undefined): string {
  const hidden = tree === undefined ? "" : hiddenIn(tree);
  return hidden === "" ? "" : `Kept from it inside the project: ${hidden}. `;
}

function hiddenIn({ secrets, outward, unseen }: TreeCheck): string {
  const parts = [
    countOf(secrets.length, "file that may hold secrets", "files that may hold secrets"),
    countOf(outward.length, "link that leads out", "links that lead out"),
    countOf(
      unseen.length,
      "folder behind too many others to be looked at",
      "folders behind too many others to be looked at",
    ),
  ].filter((part) => !part.startsWith("0 "));
  return parts.join(", ").replace(/, ([^,]*)$/, " and $1");
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export interface Launch {
  readonly nodePath: string;
  readonly nodeVersion: string;
  readonly confinement: Confinement;
  /** What a confined process may read, as `readableFolders` says. */
  readonly readable: readonly string[];
  readonly wall: NetworkWall;
  readonly tree?: CoveredTree;
  /** What runs the image in another place. */
  readonly prefix?: Prefix;
}

export function planLaunch({ nodePath, nodeVersion, confinement, readable, wall, tree, prefix }: Launch): LaunchPlan {
  const scratch = createScratch();
  const { grants, unlisted } = tree === undefined ? { grants: readable, unlisted: [] } : tree.grants;
  const aliases = Object.fromEntries(unlisted.map((folder, index) => [folder, join(scratch.aliases, String(index))]));
  const [major = 0] = versionParts(nodeVersion);
  const flags = ["--no-force-async-hooks-checks", "--enable-source-maps", "--disable-sigusr1", "--no-warnings"];
  if (major === 22) flags.push("--experimental-async-context-frame");
  if (confinement === "confined") {
    flags.push("--permission", "--allow-worker", "--allow-inspector", "--no-experimental-sqlite");
    const readings = [...grants, ...Object.values(aliases), scratch.path, ...kernelFiles()];
    for (const path of readings) flags.push(`--allow-fs-read=${path}`);
    flags.push(`--allow-fs-write=${scratch.path}`);
    if (wall.network === "open" && hasNetworkPermission(nodeVersion)) flags.push("--allow-net");
  }
  const [program, ...before] = [...wall.prefix, nodePath];
  return {
    command: [program, ...before],
    line: (args) =>
      prefix === undefined
        ? [program, ...before, ...args]
        : imageElsewhere(prefix, scratch.path, [...wall.prefix, nodePath, ...args]),
    elsewhere: prefix !== undefined,
    flags,
    env: imageEnvironment(process.env, scratch.path),
    readable,
    hidden: tree === undefined ? [] : [...tree.secrets, ...tree.outward, ...tree.unseen],
    aliases,
    onStarted: () => {
      scratch.alias(aliases);
      // Old folders are in nobody's way until then.
      setImmediate(scratch.sweep);
    },
    dispose: scratch.dispose,
  };
}

export function imageEnvironment(env: NodeJS.ProcessEnv, scratch: string): Record<string, string> {
  return { ...childEnvironment(env), TMPDIR: scratch, TMP: scratch, TEMP: scratch, NO_COLOR: "1" };
}

/** Node asks for the package.json beside its entry file, to know what kind of module it is. */
export function kernelFiles(): string[] {
  const own = ownPackage();
  return own === undefined ? [CHILD_FOLDER] : [CHILD_FOLDER, join(own, "package.json")];
}

function ownPackage(): string | undefined {
  for (let at = dirname(CHILD_FOLDER); at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
  }
  return undefined;
}

function versionParts(version: string): number[] {
  return version.replace(/^v/, "").split(".").map(Number);
}
