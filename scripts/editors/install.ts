import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { relocate } from "../debian/relocate.ts";
import { unpackClosure } from "../debian/closure.ts";
import { run } from "../run.ts";
import { writeLauncher } from "./launcher.ts";
import type { Recipe } from "./recipe.ts";

/** What `stamp.json` says of an installed recipe. */
interface Stamp {
  readonly key: string;
  readonly version: string;
}

/**
 * Builds what a recipe describes at `<store>/<name>` with launchers in `<store>/bin`. The launchers and the stamp come
 * last, so whatever can be found is complete.
 */
export function install(recipe: Recipe, store: string): void {
  const home = join(store, recipe.name);
  const root = `${home}.new`;
  for (const folder of [home, root]) rmSync(folder, { recursive: true, force: true });
  unpackClosure({ suite: recipe.suite, packages: recipe.packages, into: root, work: join(store, "apt", recipe.suite) });
  relocate({ root, home, programs: recipe.programs });
  renameSync(root, home);
  recipe.finish?.(home);
  const launchers = recipe.launchers(home);
  for (const [name, body] of Object.entries(launchers)) writeLauncher(join(store, "bin", name), body);
  const version = readVersion(join(store, "bin", recipe.name));
  writeStamp(home, { key: recipeKey(recipe, home), version });
}

/**
 * The version of an installed recipe, or undefined when it is absent, incomplete, made by another recipe, or was moved:
 * its programs know their own place.
 */
export function installedVersion(recipe: Recipe, store: string): string | undefined {
  const home = join(store, recipe.name);
  try {
    const stamp = JSON.parse(readFileSync(join(home, "stamp.json"), "utf8")) as Stamp;
    return stamp.key === recipeKey(recipe, home) ? stamp.version : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a recipe was installed once, here or where the folder was copied from. */
export function isStamped(recipe: Recipe, store: string): boolean {
  return existsSync(join(store, recipe.name, "stamp.json"));
}

/** Reads a version such as `0.12.4` from the first line that `<program> --version` prints with a number in it. */
export function readVersion(program: string): string {
  const version = /\d+\.\d+(?:\.\d+)?/.exec(run(program, ["--version"]));
  if (version === null) throw new Error(`${program} --version names no version`);
  return version[0];
}

function writeStamp(home: string, stamp: Stamp): void {
  const temporary = join(home, "stamp.json.new");
  mkdirSync(home, { recursive: true });
  writeFileSync(temporary, `${JSON.stringify(stamp)}\n`);
  renameSync(temporary, join(home, "stamp.json"));
}

// Made of data alone: a test runner rewrites the text of functions.
function recipeKey({ suite, packages, revision }: Recipe, home: string): string {
  return createHash("sha256")
    .update(JSON.stringify([suite, packages, revision, home]))
    .digest("hex")
    .slice(0, 16);
}
