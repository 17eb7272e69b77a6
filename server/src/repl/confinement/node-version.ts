/** Asks a Node binary for its version. */
import { spawn } from "../../process/spawn.ts";
import { versionElsewhere, type Prefix } from "./limited/elsewhere.ts";

const LIMIT_MS = 5000;

/** `v24.21.0`, or undefined when the command is not a Node that runs. */
export function nodeVersionOf(nodePath: string, prefix?: Prefix): Promise<string | undefined> {
  const [program, ...args] = prefix === undefined ? [nodePath, "--version"] : versionElsewhere(prefix, nodePath);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], timeout: LIMIT_MS });
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
    child.once("error", () => resolve(undefined));
    child.once("close", () => resolve(/^v\d+\.\d+\.\d+/.exec(text.trim())?.[0]));
  });
}
