/**
 * The operating system's wall around an image: the port that `composition/` fills, and the start of a process behind
 * the wall.
 */
import { isAbsolute } from "node:path";
import type { Lazy } from "../../base/lazy.ts";
import type { LiveProgram, LiveWall } from "../../process/live-wall.ts";
import { isWithin } from "../../workspace/within.ts";
import type { Network } from "./limited/network.ts";
import { imageFlags, kernelFiles, type LaunchPlan } from "./launch-plan.ts";
import { readableFolders } from "./readable-folders.ts";

/** `reason` is a sentence. `remedy` says what the person can type or set, where something helps. */
export type ImageWall =
  | {
      readonly kind: "walled";
      /**
       * Rejects with a sentence when the wall cannot be made now, and with the signal's reason when the signal aborts.
       */
      readonly raise: (program: LiveProgram, signal: AbortSignal) => Promise<LiveWall>;
    }
  | { readonly kind: "none"; readonly reason: string; readonly remedy?: string };

/**
 * The wall of a machine where the wall may not have been tried yet: a trial takes time, and most questions need no
 * wall. Contract: never rejects.
 */
export type LateWall = Lazy<ImageWall>;

export interface WalledLaunch {
  readonly nodePath: string;
  readonly nodeVersion: string;
  readonly projectRoot: string;
  readonly network: Network;
}

/** Rejects like `raise`. */
export async function planWalled(
  wall: Extract<ImageWall, { kind: "walled" }>,
  { nodePath, nodeVersion, projectRoot, network }: WalledLaunch,
  signal: AbortSignal,
): Promise<LaunchPlan> {
  const needed = [nodePath, ...kernelFiles()].filter((path) => isAbsolute(path));
  const program = (): LiveProgram => {
    const readable = readableFolders(projectRoot);
    return { folder: projectRoot, needed, readable, ...(network === "open" ? { isOnline: true } : {}) };
  };
  const wanted = program();
  const { readable } = wanted;
  const raised = await wall.raise(wanted, signal);
  return {
    line: (args) => raised.line([nodePath, ...args]),
    elsewhere: false,
    flags: imageFlags(nodeVersion),
    env: raised.env,
    stdio: raised.stdio,
    begun: (child) => raised.begun(child),
    readable,
    hidden: raised.closed.filter((path) => readable.some((folder) => isWithin(path, folder))),
    isCurrent: (until) => raised.isCurrent(program(), until),
    onStarted: () => undefined,
    dispose: () => void raised.dispose(),
  };
}
