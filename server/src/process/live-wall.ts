/** A process behind the operating system's wall that its caller starts: what the wall is told, and what it hands back. */
import type { ChildProcess } from "./spawn.ts";

export interface LiveProgram {
  /** Where the program begins: a folder of the project, by its real path. */
  readonly folder: string;
  /** Files and folders outside of the project that the program cannot do without, by absolute paths. */
  readonly needed?: readonly string[];
  /** Folders outside of the workspace that can be read too, by their real paths, without what may hold secrets. */
  readonly readable: readonly string[];
  /** The machine's network; without, there is none but a loopback of the program's own. */
  readonly isOnline?: true;
}

/** Contract: `dispose` is called when the process is gone, or when there was none. */
export interface LiveWall {
  /** The whole command line for a program and its arguments. It ends with 128 and a signal's number where one ended the program. */
  readonly line: (program: readonly string[]) => readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** The `stdio` of the child after descriptor 3, which is the program's own. */
  readonly stdio: readonly (number | "ignore" | "pipe")[];
  /** To be called with the child. */
  readonly begun: (child: Pick<ChildProcess, "stdio">) => void;
  /** Files and folders that the program cannot open, though they lie in what it sees. */
  readonly closed: readonly string[];
  /**
   * Whether a wall for this program would show and close the same now. Rejects where nobody can say that, and with the
   * signal's reason once the signal aborts.
   */
  readonly isCurrent: (program: LiveProgram, signal: AbortSignal) => Promise<boolean>;
  readonly dispose: () => Promise<void>;
}
