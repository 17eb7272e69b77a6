/** The level that holds the image, and the sentences that describe it. */
import type { ReplStatus } from "../../protocol/repl-shapes.ts";
import type { Confinement } from "../image.ts";
import type { ImageWall } from "./image-wall.ts";
import { canConfine, describeLimited, NEEDED, type LimitedState } from "./limited/limited.ts";
import type { Network } from "./limited/network.ts";

export type Level = ReplStatus["level"];

export interface LevelOptions {
  readonly confinement: Confinement;
  readonly wall?: ImageWall | undefined;
  /** The command that runs the process in another place. */
  readonly prefix?: readonly string[] | undefined;
}

export function levelOf({ confinement, wall, prefix }: LevelOptions): Level {
  if (confinement === "open") return "open";
  return wall?.kind === "walled" && prefix === undefined ? "walled" : "limited";
}

/**
 * What is missing for the wall, and what the person can type. Undefined where the image is not limited, and before
 * anybody has looked for a wall.
 */
export function missingForWall(options: LevelOptions): string | undefined {
  const { wall, prefix } = options;
  if (levelOf(options) !== "limited") return undefined;
  if (prefix !== undefined)
    return `The REPL is started by ${prefix[0]} (repl.command), where no wall can be made from here.`;
  if (wall?.kind !== "none") return undefined;
  return [wall.reason, wall.remedy ?? ""].join(" ").trim();
}

/** Why this Node cannot run an image at all, or not at this level; undefined when it can. */
export function whyNot(nodeVersion: string, level: Level): string | undefined {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, "").split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 18)) {
    return `The REPL needs Node 22.18 or later; this is Node ${nodeVersion}.`;
  }
  if (level !== "limited" || canConfine(nodeVersion)) return undefined;
  return `Node ${nodeVersion} cannot confine the REPL: use Node ${NEEDED} or later, or allow the open mode (full rights).`;
}

export interface Described extends LevelOptions, LimitedState {
  readonly network?: Network | undefined;
  /** The number of files and folders that a walled process cannot open; undefined before the first start. */
  readonly closed?: number | undefined;
}

export function describeLevel(described: Described): string {
  const { prefix } = described;
  const where = prefix === undefined ? "" : ` Started by the command ${prefix[0]} (repl.command).`;
  const words = { open: describeOpen, walled: describeWalled, limited: describeLimited };
  return words[levelOf(described)](described) + where;
}

function describeOpen({ nodeVersion, wall }: Described): string {
  return wall?.kind === "walled" || canConfine(nodeVersion)
    ? "Open by choice: evaluations run with full rights (files, processes, network)."
    : `Open: evaluations run with full rights; confinement needs Node ${NEEDED} or later.`;
}

function describeWalled({ network = "none", closed = 0 }: Described): string {
  const count = closed === 0 ? "" : ` (${closed} now)`;
  const reach = network === "open" ? "the network is open by choice" : "no network but a loopback of its own";
  return (
    "Walled by the operating system: sees the project as it is, read-only, and its dependencies; writes only to /tmp and a home " +
    "folder of its own, which go with it; may start programs, threads and addons, all behind the wall; reaches no process " +
    `outside; ${reach}; files under names that secrets have cannot be opened${count}.`
  );
}
