/** The operating system's wall around an image: the port that the composition fills, and the start of a process behind it. */
import { isAbsolute } from "node:path";
import type { ChildProcess } from "../../process/spawn.ts";
import { isWithin } from "../../workspace/shown-path.ts";
import type { Network } from "./limited/network.ts";
import { imageFlags, kernelFiles, type LaunchPlan } from "./launch-plan.ts";
import { readableFolders } from "./readable-folders.ts";

/** `reason` is a sentence; `remedy` says what the person can type or set, where anything helps. */
export type ImageWall =
  | {
      readonly kind: "walled";
      /** Rejects with a sentence where the wall cannot be made now, and with the signal's reason once it aborts. */
      readonly raise: (program: WalledProgram, signal: AbortSignal) => Promise<RaisedWall>;
    }
  | { readonly kind: "none"; readonly reason: string; readonly remedy?: string };

/** The wall of a machine on which nobody may have tried it yet: trying takes a while, and most questions need no wall. */
export interface LateWall {
  /** Undefined where nobody has tried yet. */
  readonly known: () => ImageWall | undefined;
  /** Tries at the first question. Never rejects. */
  readonly find: () => Promise<ImageWall>;
}

export interface WalledProgram {
  /** Where the program begins, by its real path. */
  readonly folder: string;
  /** Files and folders outside of the project that the program cannot do without, by absolute paths. */
  readonly needed: readonly string[];
  /** Folders that can be read, but for what may hold secrets. */
  readonly readable: readonly string[];
  readonly isOnline?: true;
}

/** Contract: `dispose` is called when the process is gone, or when there was none. */
export interface RaisedWall {
  /** The whole command line for a program. It ends with 128 and a signal's number where one ended the program. */
  readonly line: (program: readonly string[]) => readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** The `stdio` of the child after descriptor 3, which is the program's own. */
  readonly stdio: readonly (number | "ignore" | "pipe")[];
  /** To be called with the process. */
  readonly begun: (child: Pick<ChildProcess, "stdio">) => void;
  /** Files and folders that the program cannot open, though they lie in what it sees. */
  readonly closed: readonly string[];
  readonly dispose: () => Promise<void>;
}

export interface WalledLaunch {
  readonly nodePath: string;
  readonly nodeVersion: string;
  readonly projectRoot: string;
  readonly network: Network;
}

/** Rejects as `raise` does. */
export async function planWalled(
  wall: Extract<ImageWall, { kind: "walled" }>,
  { nodePath, nodeVersion, projectRoot, network }: WalledLaunch,
  signal: AbortSignal,
): Promise<LaunchPlan> {
  const readable = readableFolders(projectRoot);
  const needed = [nodePath, ...kernelFiles()].filter((path) => isAbsolute(path));
  const program = { folder: projectRoot, needed, readable };
  const raised = await wall.raise(network === "open" ? { ...program, isOnline: true } : program, signal);
  return {
    line: (args) => raised.line([nodePath, ...args]),
    elsewhere: false,
    flags: imageFlags(nodeVersion),
    env: raised.env,
    stdio: raised.stdio,
    begun: (child) => raised.begun(child),
    readable,
    hidden: raised.closed.filter((path) => readable.some((folder) => isWithin(path, folder))),
    onStarted: () => undefined,
    dispose: () => void raised.dispose(),
  };
}
