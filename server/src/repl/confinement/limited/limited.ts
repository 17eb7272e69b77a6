/**
 * Node's permissions around an image, where there is no wall: its flags, its scratch folder, and the sentence about
 * their limits. Node gives no guarantee against malicious code.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "../../../process/child-environment.ts";
import { imageFlags, kernelFiles, type LaunchPlan } from "../launch-plan.ts";
import { imageElsewhere, type Prefix } from "./elsewhere.ts";
import { expectedNetwork, hasNetworkPermission, type Network, type NetworkWall } from "./network.ts";
import { createScratch } from "./scratch.ts";
import type { FoundSeatbelt } from "./seatbelt.ts";
import type { CoveredTree, TreeCheck } from "./tree-check.ts";
import { plural } from "../../../base/plural.ts";

export const NEEDED = "24.21 or 26.3";

/** True for a Node that can give up its own rights while it runs (`process.permission.drop`). */
export function canConfine(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = versionParts(nodeVersion);
  return major > 26 || (major === 26 && minor >= 3) || (major === 24 && minor >= 21);
}

const OTHERWISE = "or allow the open mode (full rights)";

/** Why the image cannot be confined to these folders; undefined when it can. */
export function whyNotNamed(readable: readonly string[]): string | undefined {
  const starred = [...readable, tmpdir(), ...kernelFiles()].find((path) => path.includes("*"));
  if (starred === undefined) return undefined;
  const why = "Node's permissions take for the beginning of anything";
  return `The REPL cannot be confined: ${starred} has a star in its name, which ${why}. Rename it, ${OTHERWISE}.`;
}

/** Why secret files cannot be kept from the image. */
export function whyNotCovered(tree: TreeCheck): string {
  const more = "more than Node can be told to keep from it";
  return `The REPL cannot be confined: the project has ${hiddenIn(tree)}, ${more}. Move what is secret into few folders, ${OTHERWISE}.`;
}

export interface LimitedState {
  readonly nodeVersion: string;
  readonly network?: Network | undefined;
  /** Known after the start; before it, the sentence tells what is wanted. */
  readonly networkWall?: NetworkWall | undefined;
  readonly tree?: TreeCheck | undefined;
  /** Searched for on macOS only. */
  readonly seatbelt?: FoundSeatbelt | undefined;
}

export function describeLimited({ nodeVersion, network = "none", networkWall, tree, seatbelt }: LimitedState): string {
  if (!canConfine(nodeVersion)) return `Not running: confinement needs Node ${NEEDED} or later.`;
  return (
    "Limited by Node's permissions: reads the project and its dependencies only, writes only to a scratch folder, starts no " +
    "process, thread or native addon, signals no other process, sees no secret of your environment; " +
    `${networkWall?.detail ?? expectedNetwork(nodeVersion, network)}. ${describeHidden(tree)}${describeSeatbelt(seatbelt)}A seat belt, not a wall.`
  );
}

function describeSeatbelt(seatbelt: FoundSeatbelt | undefined): string {
  if (seatbelt === undefined) return "";
  if (seatbelt.kind === "none") return `${seatbelt.reason}. `;
  return "The Seatbelt of macOS refuses writes, programs and signals too. ";
}

function describeHidden(tree: TreeCheck | undefined): string {
  const hidden = tree === undefined ? "" : hiddenIn(tree);
  return hidden === "" ? "" : `Kept from it inside the project: ${hidden}. `;
}

function hiddenIn({ secrets, outward, unseen }: TreeCheck): string {
  const parts = [
    plural(secrets.length, "file that may hold secrets", "files that may hold secrets"),
    plural(outward.length, "link that leads out", "links that lead out"),
    plural(
      unseen.length,
      "folder behind too many others to be looked at",
      "folders behind too many others to be looked at",
    ),
  ].filter((part) => !part.startsWith("0 "));
  return parts.join(", ").replace(/, ([^,]*)$/, " and $1");
}

export interface Launch {
  readonly nodePath: string;
  readonly nodeVersion: string;
  /** The person gave the process all rights. */
  readonly isOpen: boolean;
  /** The folders that a limited process may read, from `readableFolders`. */
  readonly readable: readonly string[];
  readonly wall: NetworkWall;
  readonly tree?: CoveredTree;
  /** The command that runs the image in another place. */
  readonly prefix?: Prefix;
  readonly seatbelt?: FoundSeatbelt;
}

export interface UnwalledPlan extends LaunchPlan {
  /** The program to start, and its arguments before the flags. */
  readonly command: readonly [string, ...string[]];
  readonly scratch: string;
}

export function planUnwalled(launch: Launch): UnwalledPlan {
  const { nodePath, nodeVersion, isOpen, readable, wall, tree, prefix, seatbelt } = launch;
  const scratch = createScratch();
  const hidden = tree === undefined ? [] : [...tree.secrets, ...tree.outward, ...tree.unseen];
  const belt = { scratch: scratch.path, closed: hidden, network: wall.network };
  const holding = seatbelt?.kind === "held" ? seatbelt.held(belt) : wall.prefix;
  const { grants, unlisted } = tree === undefined ? { grants: readable, unlisted: [] } : tree.grants;
  const aliases = Object.fromEntries(unlisted.map((folder, index) => [folder, join(scratch.aliases, String(index))]));
  const rights = isOpen
    ? []
    : limitedRights([...grants, ...Object.values(aliases), scratch.path, ...kernelFiles()], scratch.path);
  const isOnline = !isOpen && wall.network === "open" && hasNetworkPermission(nodeVersion);
  const [program, ...before] = [...holding, nodePath];
  return {
    command: [program, ...before],
    line: (args) =>
      prefix === undefined
        ? [program, ...before, ...args]
        : imageElsewhere(prefix, scratch.path, [...holding, nodePath, ...args]),
    elsewhere: prefix !== undefined,
    flags: [...imageFlags(nodeVersion), ...rights, ...(isOnline ? ["--allow-net"] : [])],
    env: imageEnvironment(process.env, scratch.path),
    stdio: [],
    begun: () => undefined,
    readable: isOpen ? undefined : readable,
    hidden,
    scratch: scratch.path,
    ...(isOpen ? {} : { limited: { aliases } }),
    onStarted: () => {
      scratch.alias(aliases);
      // Old folders do no harm, so they are removed only now.
      setImmediate(scratch.sweep);
    },
    dispose: scratch.dispose,
  };
}

function limitedRights(readings: readonly string[], scratch: string): string[] {
  return [
    "--permission",
    "--allow-worker",
    "--allow-inspector",
    "--no-experimental-sqlite",
    ...readings.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${scratch}`,
  ];
}

export function imageEnvironment(env: NodeJS.ProcessEnv, scratch: string): Record<string, string> {
  return { ...childEnvironment(env), TMPDIR: scratch, TMP: scratch, TEMP: scratch, NO_COLOR: "1" };
}

function versionParts(version: string): number[] {
  return version.replace(/^v/, "").split(".").map(Number);
}
