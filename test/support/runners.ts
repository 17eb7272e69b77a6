/** Test runners of others, as projects install them: fetched once, beside the editors. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSIONS = { ava: "7.0.0", jest: "30.5.2", mocha: "12.0.3", vitest: "3.2.4" };

/** The folder in which code finds jest, mocha, ava and vitest 3. */
export function installedRunners(): string {
  const folder = fileURLToPath(new URL("../../.cache/runners", import.meta.url));
  const isThere = Object.entries(VERSIONS).every(([name]) => existsSync(join(folder, "node_modules", name)));
  if (isThere) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: VERSIONS }));
  const npm = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  execFileSync("npm", npm, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], env: withNode() });
  return folder;
}

/** The project's own Node. */
function withNode(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` };
}
