/** Finds the callers of a traced function. */
import { captured, uncurried } from "../../shared/captured.ts";
import { KERNEL_NAME } from "../../wire/kernel-name.ts";

export interface TracePlaces {
  /** Frames of these files are the image's own. */
  readonly ownFolder: string;
  /** Removed from the beginning of shown paths. */
  readonly projectRoot: string;
  /** The process is a program of the person's, whose own calls are of interest. */
  readonly isProgram?: boolean;
}

/** The stack below `traced`, for `callersOf`. V8 makes its text, by source maps too, when somebody reads the text. */
export function stackBelow(traced: (...args: never[]) => unknown): Error {
  const caller = new captured.Error("caller");
  captured.captureStackTrace(caller, traced);
  return caller;
}

/**
 * The innermost frames that are neither the image's nor Node's, those behind an `await` too. The frames of a built image
 * are shown in its source files, which are in no folder that the image knows.
 */
export function callersOf({ ownFolder, projectRoot }: TracePlaces, { stack }: Error, limit: number): string[] {
  const frames = captured.String(stack).split("\n");
  const shown: string[] = [];
  for (let index = 1; index < frames.length && shown.length < limit; index++) {
    const frame = (frames[index] ?? "").trim();
    if (uncurried.includes(frame, ownFolder) || /\(?node:/.test(frame) || !/:\d+:\d+\)?$/.test(frame)) continue;
    if (uncurried.includes(frame, "repl-call:") || uncurried.includes(frame, KERNEL_NAME)) continue;
    shown[shown.length] = frame
      .replace(/^at /, "")
      .replace(/file:\/\//, "")
      .replace(/\?[^:)]*/, "")
      .replace(`${projectRoot}/`, "");
  }
  return shown;
}
