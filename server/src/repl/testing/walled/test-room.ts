/** A copy of the project behind the wall, in which the tests of one request run. */
import type { LaidTexts } from "../test-run.ts";

export interface RoomProgram {
  readonly command: readonly [string, ...string[]];
  /** Where the program begins: a folder of the project, by its real path. */
  readonly folder: string;
  /** Beside what every program gets. */
  readonly env?: Readonly<Record<string, string>>;
}

export type RoomEnd =
  | { readonly kind: "ended"; readonly code: number }
  /** The program never ran. */
  | { readonly kind: "refused"; readonly reason: string };

export interface TestRoom {
  /**
   * Runs one program until it and all it started have ended; the signal ends them. Contract: one program at a time; never
   * rejects.
   */
  readonly run: (
    program: RoomProgram,
    onOutput: (stream: "stdout" | "stderr", chunk: Buffer) => void,
    signal: AbortSignal,
  ) => Promise<RoomEnd>;
  /** Where programs see a file of this name, that is handed to them or that they leave. */
  readonly pathOf: (name: string) => string;
  /** Hands a text to programs; answers its path for them. */
  readonly hand: (name: string, text: string) => Promise<string>;
  /** What programs left under this name beside what was handed to them; undefined where there is no regular file. */
  readonly left: (name: string) => Promise<string | undefined>;
  /** Files that programs changed and that git does not ignore, by their absolute paths. */
  readonly written: () => Promise<readonly string[]>;
}

/** Opens a fresh copy with these texts in it, which goes when `use` has ended. Rejects where the disk refuses. */
export type WithRoom = <Result>(texts: LaidTexts, use: (room: TestRoom) => Promise<Result>) => Promise<Result>;
