/** The only place that starts child processes. Every child is known, and dies with the server. */
import { spawn as spawnChild, type ChildProcess, type SpawnOptions } from "node:child_process";

const children = new Set<ChildProcess>();

/** Starts a child process that is killed when this process exits. Errors arrive as its `error` event. */
export function spawn(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawnChild(command, args, options);
  children.add(child);
  const forget = (): void => {
    children.delete(child);
  };
  child.once("exit", forget);
  child.once("error", forget);
  return child;
}

/** Kills what is still running; for the last moment of the server's life. */
export function killAllChildren(): void {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
}

process.once("exit", killAllChildren);

export type { ChildProcess };
