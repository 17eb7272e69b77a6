/** A file that no loaded program contains, such as a package nobody imports yet, read by the compiler for one question. */
import type { Snapshot } from "typescript/unstable/async";
import type { ProgramView, View } from "../view.ts";

/** By the state of the session: the newest snapshot, which must live until the next one was taken. */
const newest = new WeakMap<Snapshot, Snapshot>();

/**
 * Gives `run` a program with the file, or undefined when the compiler will not read it. The next question's state does
 * not contain it.
 */
export async function withOutsideFile<Result>(
  view: View,
  file: string,
  run: (program: ProgramView | undefined) => Promise<Result>,
): Promise<Result> {
  view.signal.throwIfAborted();
  if (view.state.shown.hides(file)) return run(undefined);
  const api = await view.state.native.api;
  const snapshot = await api.updateSnapshot({ openFiles: [file] });
  try {
    for (const project of snapshot.getProjects()) {
      const names = await project.program.getSourceFileNames();
      if (!names.includes(file)) continue;
      const program = {
        name: view.paths.show(file),
        configFile: undefined,
        project,
        own: [],
        roots: new Set([file]),
        size: 1,
      };
      return await run({ ...program, files: new Set(names) });
    }
    return await run(undefined);
  } finally {
    const after = await api.updateSnapshot({ closeFiles: [file] });
    const before = newest.get(view.state.snapshot);
    newest.set(view.state.snapshot, after);
    await Promise.all([snapshot.dispose(), before?.dispose()]);
  }
}

/** What to release together with a state of the session, after its successor was taken. */
export function takenBeside(snapshot: Snapshot): Snapshot[] {
  const found = newest.get(snapshot);
  return found === undefined ? [] : [found];
}
