/** Runs the person's own command that prints a key. What the command says goes to the model's server and nowhere else. */
import { killWithGroup, spawn } from "../process/spawn.ts";

const LIMIT_MS = 30_000;
const MAX_OUTPUT = 16_384;

/** Throws a sentence without a word of the command's output. */
export async function runKeyCommand(command: readonly string[], limitMs: number = LIMIT_MS): Promise<string> {
  const [program = "", ...args] = command;
  const said = `The command ${program} that prints the key`;
  const how = "Run it in a terminal to see why.";
  // A password manager may need any variable of the person's session, and the command is theirs.
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: process.env,
    detached: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => {
    killWithGroup(child);
    reject(new Error(`${said} did not end within ${limitMs / 1_000} s. ${how}`));
  }, limitMs);
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    if (output.length <= MAX_OUTPUT) output += part;
  });
  child.once("error", (error) => reject(new Error(`${said} cannot be started: ${error.message}.`)));
  child.once("close", (code, signal) => {
    const key = output.trim();
    if (code !== 0) reject(new Error(`${said} ended with ${signal ?? code}. ${how}`));
    else if (key === "") reject(new Error(`${said} printed nothing. ${how}`));
    else if (/\s/.test(key) || key.length > MAX_OUTPUT) reject(new Error(`${said} printed no key. ${how}`));
    else resolve(key);
  });
  return promise.finally(() => clearTimeout(timer));
}
