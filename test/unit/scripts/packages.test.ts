import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

interface LockFile {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}

// A registry that lacks the packages of other platforms makes npm leave them out, and `npm ci` then refuses everywhere.
// An entry needs what its neighbours have: `version`, `cpu`, `os` and `optional`; the integrity follows from a registry.
it("the lock file names every optional package of every platform, without which `npm ci` refuses", () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package-lock.json"), "utf8")) as LockFile;
  const paths = Object.keys(lock.packages);
  const optional = Object.values(lock.packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  const absent = optional.filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)));
  expect(absent).toEqual([]);
});
