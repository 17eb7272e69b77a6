import { spawnSync } from "node:child_process";

/**
 * Runs a program to its end and returns what it printed. A program that cannot start or exits with an error throws,
 * with the end of its own output as the reason.
 */
export function run(program: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): string {
  const result = spawnSync(program, args, { ...options, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  if (result.error) throw new Error(`${program} could not run: ${result.error.message}`);
  if (result.status !== 0) {
    const output = `${result.stdout}\n${result.stderr}`.trim().split("\n").slice(-12).join("\n");
    throw new Error(
      `${program} ${args.join(" ").slice(0, 200)} failed (${result.signal ?? result.status}):\n${output}`,
    );
  }
  return result.stdout;
}
