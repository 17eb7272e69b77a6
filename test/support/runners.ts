/** Packages of others, as projects install them: fetched once, beside the editors. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "../../scripts/lock.mjs";

type Versions = Readonly<Record<string, string>>;

const RUNNERS: Versions = { ava: "7.0.0", jest: "30.5.2", mocha: "12.0.3", vitest: "3.2.4" };

/** The folder in which code finds jest, mocha, ava and vitest 3. */
export function installedRunners(): string {
  return installed("runners", RUNNERS);
}

/** The folder of that name below `.cache`, in which code finds these packages in these versions. */
export function installed(name: string, versions: Versions): string {
  const folder = fileURLToPath(new URL(`../../.cache/${name}`, import.meta.url));
  const isThere = (): boolean =>
    Object.entries(versions).every(([each, version]) => versionIn(folder, each) === version);
  // Several files want the same packages at the same time.
  if (!isThere()) withLock(`${folder}.lock`, () => (isThere() ? undefined : install(folder, versions)));
  return folder;
}

function install(folder: string, versions: Versions): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: versions }));
  const npm = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  execFileSync("npm", npm, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], env: withNode() });
}

function versionIn(folder: string, name: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")) as {
      readonly version: string;
    };
    return version;
  } catch {
    return undefined;
  }
}

/** The project's own Node. */
function withNode(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` };
}
