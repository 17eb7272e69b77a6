/** Which files of a folder git keeps: files that somebody put there by hand, and that no build makes again. */
import { join } from "node:path";
import { askGitForNames } from "../../process/git-names.ts";
import { stampOf, type Stamp } from "./file-stamps.ts";

const LIMIT_MS = 3_000;
const MAX_OUTPUT = 4_000_000;

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
  const files = new Set<string>();
  let length = 0;
  const isAnswered = await askGitForNames(
    { folder: root, args: ["ls-files", "-z", "--", ...patterns], limitMs: LIMIT_MS },
    (name) => {
      length += name.length + 1;
      files.add(join(root, name));
      return length <= MAX_OUTPUT;
    },
  );
  return isAnswered && length <= MAX_OUTPUT ? files : undefined;
}
