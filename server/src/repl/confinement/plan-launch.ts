/** How the image's process is started at its level: the checks before it, and what they find out about the confinement. */
import type { ImageOptions } from "../image.ts";
import { given } from "../../base/given.ts";
import { planWalled } from "./image-wall.ts";
import type { LaunchPlan } from "./launch-plan.ts";
import type { Described, Level } from "./level.ts";
import { planUnwalled, whyNotCovered, whyNotNamed } from "./limited/limited.ts";
import { findNetworkWall, OPEN_NETWORK, type Network, type NetworkWall } from "./limited/network.ts";
import { findSeatbelt, type FoundSeatbelt } from "./limited/seatbelt.ts";
import { checkTree, isCovered } from "./limited/tree-check.ts";
import { readableFolders } from "./readable-folders.ts";

export type FoundAtStart = Pick<Described, "networkWall" | "tree" | "closed" | "seatbelt">;

export interface Place {
  readonly nodePath: string;
  readonly nodeVersion: string;
  /** With links resolved. */
  readonly projectRoot: string;
}

export interface PlannedLaunch {
  /** How to start the process, or why it cannot be started. */
  readonly plan: LaunchPlan | string;
  readonly found?: FoundAtStart;
}

/** Rejects with the end of a sentence where the wall cannot be made, and with the signal's reason once it aborts. */
export function planLaunch(
  level: Level,
  place: Place,
  options: ImageOptions,
  signal: AbortSignal,
): Promise<PlannedLaunch> {
  if (level === "walled") return walled(place, options, signal);
  return level === "limited" ? limited(place, options) : Promise.resolve({ plan: open(place, options) });
}

async function walled(
  place: Place,
  { network = "none", wall }: ImageOptions,
  signal: AbortSignal,
): Promise<PlannedLaunch> {
  const known = wall?.peek();
  if (known?.kind !== "walled") throw new Error("there is no wall");
  const plan = await planWalled(known, { ...place, network }, signal);
  return { plan, found: { closed: plan.hidden.length } };
}

async function limited(
  { nodePath, nodeVersion, projectRoot }: Place,
  { isSecretName = () => false, command, network = "none" }: ImageOptions,
): Promise<PlannedLaunch> {
  const readable = readableFolders(projectRoot);
  const unnamed = whyNotNamed(readable);
  if (unnamed !== undefined) return { plan: unnamed };
  const [foundNetwork, tree, seatbelt] = await Promise.all([
    findNetworkWall(nodeVersion, network, [projectRoot, nodePath], command),
    checkTree(readable, isSecretName),
    process.platform === "darwin" && command === undefined ? findSeatbelt({ nodePath, network }) : undefined,
  ]);
  const networkWall = closedBy(seatbelt, foundNetwork, network);
  const found = { networkWall, tree, ...given({ seatbelt }) };
  if (!isCovered(tree)) return { plan: whyNotCovered(tree), found };
  const more = given({ prefix: command, seatbelt });
  const plan = planUnwalled({ nodePath, nodeVersion, isOpen: false, readable, wall: networkWall, tree, ...more });
  return { plan, found };
}

function open({ nodePath, nodeVersion }: Place, { command }: ImageOptions): LaunchPlan {
  const more = given({ prefix: command });
  return planUnwalled({ nodePath, nodeVersion, isOpen: true, readable: [], wall: OPEN_NETWORK, ...more });
}

/** Seatbelt closes the network also where Node cannot close it. */
function closedBy(seatbelt: FoundSeatbelt | undefined, found: NetworkWall, wanted: Network): NetworkWall {
  if (seatbelt?.kind !== "held" || wanted === "open" || found.network === "none") return found;
  return { network: "none", prefix: [], detail: "no network, by Seatbelt" };
}
