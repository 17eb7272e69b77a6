/** Runs a command of the person's own in their shell, as `:!` of an editor does, and keeps what it printed. */
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { spawn } from "../process/spawn.ts";
import { tailOf } from "../base/cut-text.ts";
import type { Host } from "./stage.ts";

/** Where a command prints more than this, the end is kept, where most programs tell their result. */
const MOST_KEPT = 16_000;

/** What the command printed, and how it ended where it failed. */
export async function runShown(
  command: string,
  { folder, host }: { readonly folder: string; readonly host: Host },
): Promise<string> {
  const shell = host.env["SHELL"] || "/bin/sh";
  // The person's own command, at their own terminal: with their rights and their environment.
  const child = spawn(shell, ["-c", command], {
    cwd: folder,
    env: { ...host.env },
    stdio: ["inherit", "pipe", "pipe"],
  });
  let printed = "";
  const hear = (to: NodeJS.WriteStream) => {
    // A character may come in two chunks.
    const decoder = new StringDecoder("utf8");
    return (chunk: Buffer) => {
      to.write(chunk);
      printed = tailOf(printed + decoder.write(chunk), MOST_KEPT);
    };
  };
  child.stdout?.on("data", hear(host.stdout));
  child.stderr?.on("data", hear(host.stderr));
  try {
    const [status, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    if (status === 0) return printed;
    const end = status === null ? `ended by ${String(signal)}` : `exit code ${status}`;
    host.stdout.write(`(${end})\n`);
    return `${printed}\n(${end})`;
  } catch (error) {
    const why = `${shell} cannot be started: ${(error as Error).message}`;
    host.stdout.write(`${why}\n`);
    return why;
  }
}
