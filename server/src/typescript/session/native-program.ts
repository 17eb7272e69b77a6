/** Which program is the compiler, whether it runs on this machine, and how it ended. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { existingRealPath } from "../../workspace/real-path.ts";
import { spawn, type ChildProcess } from "../../process/spawn.ts";
import { LastWords } from "./death-message.ts";

const require = createRequire(import.meta.url);

/** The program with the arguments that come before its own. */
export function nativeProgram(nodePath?: string): [string, ...string[]] {
  const packageFile = require.resolve("typescript/package.json");
  const platformPackage = `@typescript/typescript-${process.platform}-${process.arch}`;
  try {
    const home = dirname(createRequire(packageFile).resolve(`${platformPackage}/package.json`));
    const binary = join(home, "lib", process.platform === "win32" ? "tsc.exe" : "tsc");
    if (existsSync(binary)) return [binary];
  } catch {
    // The launcher below explains a missing platform package in its own words.
  }
  return [nodePath ?? process.execPath, join(dirname(packageFile), "bin", "tsc")];
}

/** The folder of the language's own declarations, beside the compiler's program. */
export function compilerHome(): string {
  const program = nativeProgram().at(-1) ?? "";
  return dirname(existingRealPath(program) ?? program);
}

/** Why the compiler does not run on this machine; undefined when it does. */
export async function compilerProblem(): Promise<string | undefined> {
  const [command, ...args] = nativeProgram();
  const child = spawn(command, [...args, "--version"], { stdio: ["ignore", "ignore", "pipe"] });
  const how = await exitOf(child, () => undefined);
  return child.exitCode === 0 ? undefined : how;
}

/**
 * The news of the end may overtake the last words; a process that inherited the error output may also keep it open for
 * ever.
 */
const LAST_WORDS_WITHIN_MS = 500;

/** Settles with the reason when the process is gone or never came to be; never rejects. */
export function exitOf(child: ChildProcess, log: (message: string) => void): Promise<string> {
  const lastWords = new LastWords();
  child.stderr?.setEncoding("utf8");
  child.stderr?.on("data", (text: string) => {
    lastWords.hear(text);
    log(`typescript: ${text.trimEnd()}`);
  });
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      // The message names the program by its path, which belongs into the log alone.
      log(`typescript: ${error.message}`);
      resolve(`cannot start the TypeScript compiler: ${error.code ?? error.message}`);
    });
    child.once("exit", (code, signal) => {
      const how = signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
      void untilSilent(child).then(() => {
        const said = lastWords.text();
        resolve(`the TypeScript compiler process ended with ${how}${said === "" ? "" : `: ${said}`}`);
      });
    });
  });
}

function untilSilent({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null || stderr.readableEnded || stderr.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    stderr.once("end", resolve).once("close", resolve);
    setTimeout(resolve, LAST_WORDS_WITHIN_MS).unref();
  });
}
