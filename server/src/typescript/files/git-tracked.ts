/** Which files of a folder git keeps: files that somebody put there by hand, and that no build makes again. */
import { join } from "node:path";
import { spawn } from "../../process/spawn.ts";
import { stampOf, type Stamp } from "./file-stamps.ts";

const LIMIT_MS = 3_000;
const MAX_OUTPUT = 4_000_000;
/** Nothing that a repository's own configuration names is run. */
const SAFE = ["-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"];

interface Kept {
  readonly stamp: Stamp | undefined;
  readonly files: ReadonlySet<string> | undefined;
}

export class GitTracked {
  readonly #known = new Map<string, Kept>();

  /** Absolute paths of what is kept below folders of these names; undefined where git does not answer. */
  async below(root: string, folderNames: readonly string[]): Promise<ReadonlySet<string> | undefined> {
    // In a repository that begins further up the index is not watched: git is asked once, until the compiler starts anew.
    const stamp = stampOf(join(root, ".git", "index"));
    const known = this.#known.get(root);
    if (known !== undefined && known.stamp === stamp) return known.files;
    const files = await listed(root, folderNames);
    this.#known.set(root, { stamp, files });
    return files;
  }
}

async function listed(root: string, folderNames: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const patterns = folderNames.map((name) => `:(glob)**/${name}/**`);
  const child = spawn("git", [...SAFE, "ls-files", "-z", "--", ...patterns], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LIMIT_MS,
  });
  const chunks: Buffer[] = [];
  let length = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_OUTPUT) child.kill("SIGKILL");
    else chunks.push(chunk);
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  if (code !== 0) return undefined;
  const names = Buffer.concat(chunks)
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
  return new Set(names.map((name) => join(root, name)));
}
