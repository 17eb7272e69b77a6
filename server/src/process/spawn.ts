/** The only place that starts child processes. Every child is known, and dies with the server. */
import { spawn as spawnChild, type ChildProcess, type SpawnOptions } from "node:child_process";
import { childEnvironment, withSafePath } from "./child-environment.ts";

const children = new Set<ChildProcess>();
/** Leaders of a process group of their own. */
const leaders = new WeakSet<ChildProcess>();

/**
 * Starts a child process that is killed when this process exits. Errors arrive as its `error` event. Without an `env` of
 * its own the child gets the allow-list of child-environment.ts, never the keys of this process. Whatever the search path says,
 * no program of a project is found by its name.
 */
export function spawn(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const env = withSafePath(options.env ?? childEnvironment());
  const child = spawnChild(command, args, { ...options, env });
  children.add(child);
  if (options.detached === true) leaders.add(child);
  const forget = (): void => {
    children.delete(child);
  };
  child.once("exit", forget);
  child.once("error", forget);
  return child;
}

/**
 * Starts a server of one's own, which ends by itself when its standard input ends, and takes its own children and folders
 * along: nobody kills it. The server is in a process group of its own, so that Ctrl-C in a terminal is not meant for it.
 */
export function spawnServer(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawnChild(command, args, { ...options, detached: true });
}

/** Starts what the person has typed, with the person's own streams and variables. */
export function spawnForPerson(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ChildProcess {
  return spawnChild(command, args, { stdio: "inherit", env: { ...env } });
}

/** Kills the process and, where it leads a group of its own, what it has started, also when it is gone itself. */
export function killWithGroup(child: ChildProcess): void {
  child.kill("SIGKILL");
  if (child.pid === undefined || !leaders.has(child)) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}

/** Kills what is still running; for the last moment of the server's life. */
export function killAllChildren(): void {
  for (const child of children) killWithGroup(child);
  children.clear();
}

process.once("exit", killAllChildren);

export type { ChildProcess };
