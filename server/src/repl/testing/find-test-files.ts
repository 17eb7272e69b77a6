/** Finds the test files of a project by their names. */
import { readdir } from "node:fs/promises";
import { basename, join, relative } from "node:path";

const NAMED_AS_TEST = /(?:[._-](?:test|spec)|^test(?:-.*)?)\.[cm]?[jt]sx?$/;
export const CODE = /\.[cm]?[jt]sx?$/;
const PASSED_OVER = new Set(["node_modules", "dist", "build", "out", "coverage", "fixtures", "__fixtures__"]);
const MAX_FILES = 20_000;

export function isNamedAsTest(path: string): boolean {
  return NAMED_AS_TEST.test(basename(path)) || (path.includes("/__tests__/") && CODE.test(path));
}

export interface TestFileSearch {
  /** The project's folder, below which every folder named `test` holds tests. */
  readonly within?: string;
  readonly signal?: AbortSignal;
}

export async function findTestFiles(root: string, { within = root, signal }: TestFileSearch = {}): Promise<string[]> {
  const found: string[] = [];
  const folders = [{ path: root, isTestFolder: relative(within, root).split("/").includes("test") }];
  for (let folder = folders.pop(); folder !== undefined && found.length < MAX_FILES; folder = folders.pop()) {
    if (signal?.aborted === true) break;
    const { path: at, isTestFolder } = folder;
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        const isPassedOver = PASSED_OVER.has(entry.name) || entry.name.startsWith(".");
        if (!isPassedOver) folders.push({ path, isTestFolder: isTestFolder || entry.name === "test" });
      } else if (NAMED_AS_TEST.test(entry.name) || (isTestFolder && CODE.test(entry.name))) found.push(path);
    }
  }
  return found.sort();
}
