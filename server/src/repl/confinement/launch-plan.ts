/** How to start the image's process, for each level, and the parts that all levels share. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ChildProcess } from "../../process/spawn.ts";
import { CHILD_FOLDER } from "../child-folder.ts";

export interface LaunchPlan {
  /** The whole command line, for the given arguments of Node. */
  readonly line: (args: readonly string[]) => readonly [string, ...string[]];
  /** Frames travel over standard input and output instead of descriptor 3. */
  readonly elsewhere: boolean;
  /** Flags of Node. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The entries after descriptor 3 in the `stdio` of the process. */
  readonly stdio: readonly (number | "ignore" | "pipe")[];
  /** To be called with the process once it is started. */
  readonly begun: (child: Pick<ChildProcess, "stdio">) => void;
  /**
   * Folders whose files the image may read. The server supplies module texts from these folders only. Undefined means
   * any folder.
   */
  readonly readable: readonly string[] | undefined;
  /** Paths inside of those folders that are kept from the image. */
  readonly hidden: readonly string[];
  /** A folder of the server's machine that the image writes to. */
  readonly scratch?: string;
  /**
   * Present when Node's permissions hold the process: the process gives up its rights, and its guards close what the
   * permissions leave open.
   */
  readonly limited?: {
    /** Folders that the image can list only by another name. The other name exists once the image has started. */
    readonly aliases: Readonly<Record<string, string>>;
  };
  /** Whether a plan for the same process would be the same now; absent where nobody can say that. Rejects as a wall does. */
  readonly isCurrent?: (signal: AbortSignal) => Promise<boolean>;
  /** To be called after Node has read its flags and before user code runs. */
  readonly onStarted: () => void;
  readonly dispose: () => void;
}

/** Flags of Node that every image has. */
export function imageFlags(nodeVersion: string): string[] {
  const flags = ["--no-force-async-hooks-checks", "--enable-source-maps", "--disable-sigusr1", "--no-warnings"];
  return /^v?22\./.test(nodeVersion) ? [...flags, "--experimental-async-context-frame"] : flags;
}

/** The folder of the image's own code, and the folders of its sources, to which Node maps positions by source maps. */
export function kernelFolders(): string[] {
  const own = ownPackage();
  if (own === undefined) return [CHILD_FOLDER];
  return [CHILD_FOLDER, ...["dist/child", "server/src/repl/child"].map((code) => join(own, code))];
}

/**
 * The files of the image's own code. Node also reads the package.json beside its entry file, to learn the kind of
 * module.
 */
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
