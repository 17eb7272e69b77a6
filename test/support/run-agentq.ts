/** `agentq` typed into a shell whose standard streams are pipes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { bareEnvironment, serverProgram } from "./server-client.ts";

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export async function runAgentq(args: readonly string[], options: RunOptions): Promise<Run> {
  const child = spawn(process.execPath, [serverProgram, ...args], {
    cwd: options.cwd,
    env: bareEnvironment(options.env),
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined).end(options.input ?? "");
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number | null, stdout, stderr };
}
