import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { packagesAreInstalled } from "../../../scripts/bootstrap/packages.mjs";

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

it("packages that were installed to run the program do not do for the tests, and those of the tests do for both", () => {
  const root = mkdtempSync(join(tmpdir(), "agentq-packages-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const lock = join(root, "package-lock.json");
  writeFileSync(lock, "{}");
  expect(packagesAreInstalled(root, "run")).toBe(false);
  mkdirSync(join(root, "node_modules"));
  writeFileSync(join(root, "node_modules/.package-lock.json"), "{}");
  const digest = createHash("sha256").update("{}").digest("hex");
  const later = new Date(Date.now() + 10_000);
  const stamp = join(root, "node_modules/.agentq-installed");
  for (const [extent, installed] of [
    ["run", ["run"]],
    ["test", ["run", "test"]],
  ] as const) {
    writeFileSync(stamp, `${digest} ${extent}`);
    utimesSync(stamp, later, later);
    expect((["run", "test"] as const).filter((each) => packagesAreInstalled(root, each))).toEqual(installed);
  }
  // Somebody ran npm by hand since.
  utimesSync(join(root, "node_modules/.package-lock.json"), later, new Date(later.getTime() + 1_000));
  writeFileSync(stamp, "another run");
  utimesSync(stamp, later, later);
  expect(packagesAreInstalled(root, "test")).toBe(true);
});
