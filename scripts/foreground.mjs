import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs a program in the user's terminal and answers its exit code, 128 + n after signal n as a shell does. Ctrl-C
 * reaches the program from the terminal itself, so here it is only kept from ending this process first.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<number>}
 */
export function runInForeground(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", ...options });
    const forward = (/** @type {NodeJS.Signals} */ signal) => {
      child.kill(signal);
    };
    const wait = () => undefined;
    process.on("SIGINT", wait).on("SIGTERM", forward).on("SIGHUP", forward);
    const settle = () => {
      process.off("SIGINT", wait).off("SIGTERM", forward).off("SIGHUP", forward);
    };
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("exit", (code, signal) => {
      settle();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
