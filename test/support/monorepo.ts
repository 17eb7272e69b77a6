/** The fixture monorepo as a package manager would leave it: copied to a temporary folder, with its links made. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../fixtures/monorepo", import.meta.url));
/** Where `node_modules` stands in the fixture under a name that git does not ignore. */
const INSTALLED = "installed";

export interface Monorepo {
  readonly root: string;
  readonly remove: () => void;
}

export function copyMonorepo(): Monorepo {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-monorepo-")));
  cpSync(source, root, { recursive: true });
  nameInstalledPackages(root);
  const links = JSON.parse(readFileSync(join(root, "links.json"), "utf8")) as Record<string, string>;
  for (const [link, target] of Object.entries(links)) {
    const path = join(root, link);
    mkdirSync(dirname(path), { recursive: true });
    // A junction needs an absolute target and no rights; elsewhere the type is ignored.
    symlinkSync(process.platform === "win32" ? join(dirname(path), target) : target, path, "junction");
  }
  rmSync(join(root, "links.json"));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Deepest first, so that every path is still what it was when its turn comes. */
function nameInstalledPackages(root: string): void {
  const all = readdirSync(root, { recursive: true, encoding: "utf8" });
  for (const path of all.filter((each) => basename(each) === INSTALLED).toReversed()) {
    renameSync(join(root, path), join(root, dirname(path), "node_modules"));
  }
}
