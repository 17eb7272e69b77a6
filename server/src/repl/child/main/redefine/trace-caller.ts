/** Finds the caller of a traced function. */
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

/**
 * The innermost frame that is neither the image's nor Node's. The stack begins below `traced`: the frames of a built
 * image are shown in its source files, which are in no folder that the image knows.
 */
export function callerOf({ ownFolder, projectRoot }: TracePlaces, traced: (...args: never[]) => unknown): string {
  const caller = new captured.Error("caller");
  captured.captureStackTrace(caller, traced);
  const frames = captured.String(caller.stack).split("\n");
  for (let index = 1; index < frames.length; index++) {
    const frame = (frames[index] ?? "").trim();
    if (uncurried.includes(frame, ownFolder) || /\(?node:/.test(frame) || !/:\d+:\d+\)?$/.test(frame)) continue;
    if (uncurried.includes(frame, "repl-call:") || uncurried.includes(frame, KERNEL_NAME)) continue;
    return `  from ${frame
      .replace(/^at (?:async )?/, "")
      .replace(/file:\/\//, "")
      .replace(/\?[^:)]*/, "")
      .replace(`${projectRoot}/`, "")}`;
  }
  return "";
}
