/** How the image's process is started, whatever holds it, and what is the same for all of these. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ChildProcess } from "../../process/spawn.ts";
import { CHILD_FOLDER } from "../child-folder.ts";

export interface LaunchPlan {
  /** The whole command line for these arguments of Node. */
  readonly line: (args: readonly string[]) => readonly [string, ...string[]];
  /** The image is reached by standard input and output instead of descriptor 3. */
  readonly elsewhere: boolean;
  /** The flags of Node. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The `stdio` of the process after descriptor 3. */
  readonly stdio: readonly (number | "ignore" | "pipe")[];
  /** To be called with the process. */
  readonly begun: (child: Pick<ChildProcess, "stdio">) => void;
  /** Folders whose files the image may read; the server supplies module text only from these. Undefined for any. */
  readonly readable: readonly string[] | undefined;
  /** What lies in them and is kept from the image. */
  readonly hidden: readonly string[];
  /** A folder of the server's machine that the image writes to. */
  readonly scratch?: string;
  /**
   * Node's permissions hold the process: it gives up its rights, and its guards close what the permissions leave
   * open.
   */
  readonly limited?: {
    /** Folders that the image must list by another name, which exists once the image has started. */
    readonly aliases: Readonly<Record<string, string>>;
  };
  /** To be called when Node has read its flags and before user code runs. */
  readonly onStarted: () => void;
  readonly dispose: () => void;
}

/** Flags of Node that every image has. */
export function imageFlags(nodeVersion: string): string[] {
  const flags = ["--no-force-async-hooks-checks", "--enable-source-maps", "--disable-sigusr1", "--no-warnings"];
  return /^v?22\./.test(nodeVersion) ? [...flags, "--experimental-async-context-frame"] : flags;
}

/** Where the image's own code runs from and, as Node maps compiled code back by its source map, where it was written. */
export function kernelFolders(): string[] {
  const own = ownPackage();
  if (own === undefined) return [CHILD_FOLDER];
  return [CHILD_FOLDER, ...["dist/child", "server/src/repl/child"].map((code) => join(own, code))];
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
