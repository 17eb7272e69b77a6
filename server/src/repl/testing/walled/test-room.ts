/** A copy of the project behind the wall, in which the tests of one request run. */
import type { LaidTexts } from "../test-run.ts";

export interface RoomProgram {
  readonly command: readonly [string, ...string[]];
  /** The working folder of the program: the real path of a folder of the project. */
  readonly folder: string;
  /** Variables in addition to those of every program. */
  readonly env?: Readonly<Record<string, string>>;
}

export type RoomEnd =
  | { readonly kind: "ended"; readonly code: number }
  /** The program did not run. */
  | { readonly kind: "refused"; readonly reason: string };

export interface TestRoom {
  /**
   * Runs one program until the program and all its processes have ended; the signal ends them. Contract: one program at
   * a time; never rejects.
   */
  readonly run: (
    program: RoomProgram,
    onOutput: (stream: "stdout" | "stderr", chunk: Buffer) => void,
    signal: AbortSignal,
  ) => Promise<RoomEnd>;
  /** The path at which programs see a file of this name, which was handed to them or which they leave. */
  readonly pathOf: (name: string) => string;
  /** Writes a text for programs, and answers the path at which they see it. */
  readonly hand: (name: string, text: string) => Promise<string>;
  /**
   * The text that programs left under this name, in the folder of the files that were handed to them; undefined when
   * there is no regular file.
   */
  readonly left: (name: string) => Promise<string | undefined>;
  /** Files that programs changed and that git does not ignore, by their absolute paths. */
  readonly written: () => Promise<readonly string[]>;
}

/**
 * Makes a fresh copy with these texts in it, and removes the copy when `use` has ended. Rejects when the disk fails.
 */
export type WithRoom = <Result>(texts: LaidTexts, use: (room: TestRoom) => Promise<Result>) => Promise<Result>;
