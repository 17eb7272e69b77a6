/** A plain script that imports a project's entry, in a process of its own: what Node and tsx need for it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { installTsx, type Installed } from "./install.ts";
import { canReadProcesses, totalCpuMs } from "./processes.ts";

export interface ScriptRun {
  /** Until the entry was imported. */
  readonly fromSpawnMs: number;
  /** The import alone. */
  readonly importMs: number;
  /** User and system time of the process and its children until then; 0 where the system does not tell. */
  readonly cpuMs: number;
}

/** Writes the script that imports `entry`, says how long that took, and stays alive to be looked at. */
export function runnerFile(folder: string, entry: string): string {
  const file = path.join(folder, "runner.mjs");
  const url = JSON.stringify(pathToFileURL(entry).href);
  writeFileSync(
    file,
    `const started = performance.now();\nawait import(${url});\nprocess.stdout.write(\`\${performance.now() - started}\\n\`);\nsetInterval(() => {}, 2 ** 31 - 1);\n`,
  );
  return file;
}

/** The command that runs a script with tsx, with Node's own program in front. */
export function tsxCommand(): Installed<readonly string[]> {
  const folder = installTsx();
  if ("missing" in folder) return folder;
  return { value: [process.execPath, path.join(folder.value, "node_modules/tsx/dist/cli.mjs")] };
}

export async function runScript(
  [program = "", ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ScriptRun> {
  const started = performance.now();
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
    // tsx starts a Node and a compiler below it: they end with the group.
    detached: true,
  });
  try {
    const [printed] = (await once(child.stdout, "data")) as [Buffer];
    const fromSpawnMs = performance.now() - started;
    const cpuMs = canReadProcesses ? totalCpuMs(child.pid ?? -1) : 0;
    return { fromSpawnMs, importMs: Number(printed.toString()), cpuMs };
  } finally {
    const exited = once(child, "exit");
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await exited;
  }
}
