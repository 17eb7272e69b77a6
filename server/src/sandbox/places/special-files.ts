/**
 * Sockets and named pipes in a project: whoever listens at one could be asked for anything, and a file system that can only
 * be read keeps nobody from asking.
 */
import { existsSync } from "node:fs";
import { spawn } from "../../process/spawn.ts";
import { readRegularText } from "../../workspace/regular-file.ts";
import { isWithin } from "../../workspace/within.ts";

const SKIPPED = ["(", "-name", "node_modules", "-o", "-name", ".git", ")", "-prune"];
const SPECIAL = ["(", "-type", "s", "-o", "-type", "p", ")", "-print0"];

/** By absolute paths. Rejects where nobody can say what is there, and with the signal's reason once it aborts. */
export async function specialFiles(folders: readonly string[], signal: AbortSignal): Promise<string[]> {
  if (folders.length === 0) return [];
  const [found, bound] = await Promise.all([foundBelow(folders, signal), boundSockets()]);
  // A socket's name stays in the kernel's table when the file has gone.
  const sockets = bound.filter((path) => folders.some((folder) => isWithin(path, folder)) && existsSync(path));
  return [...new Set([...found, ...sockets])].toSorted();
}

async function foundBelow(folders: readonly string[], signal: AbortSignal): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const args = ["-P", ...folders, ...SKIPPED, "-o", ...SPECIAL];
  const child = spawn("find", args, { stdio: ["ignore", "pipe", "ignore"], signal });
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (more: string) => void (text += more));
  child.once("error", (error) => reject(signal.aborted ? (signal.reason as Error) : error));
  // It ends with 1 where it could not look into a folder: whoever starts as the same person cannot either.
  child.once("close", () => resolve(text.split("\0").filter((path) => path !== "")));
  return promise;
}

/** Those that listen now, also where packages are installed. One that was bound by a relative path is not told of. */
async function boundSockets(): Promise<string[]> {
  const table = await readRegularText("/proc/net/unix").catch(() => "");
  return table.split("\n").flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
}
