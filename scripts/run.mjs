import { spawnSync } from "node:child_process";

/**
 * Runs a program to its end and returns what it printed. A program that cannot start or exits with an error throws,
 * with the end of its own output as the reason.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {string}
 */
export function run(program, args, options = {}) {
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

/** Says whether a program of this name is on PATH. */
export function isOnPath(program) {
  const result = spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { encoding: "utf8" });
  return result.status === 0;
}
