import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { relocate } from "../debian/relocate.mjs";
import { unpackClosure } from "../debian/closure.mjs";
import { run } from "../run.mjs";
import { writeLauncher } from "./launcher.mjs";

/**
 * Builds what a recipe describes at `<store>/<name>` with launchers in `<store>/bin`. The launchers and the stamp come
 * last, so whatever can be found is complete.
 *
 * @param {import("./recipes.mjs").Recipe} recipe
 * @param {string} store
 */
export function install(recipe, store) {
  const home = join(store, recipe.name);
  const root = `${home}.new`;
  for (const folder of [home, root]) rmSync(folder, { recursive: true, force: true });
  unpackClosure({ suite: recipe.suite, packages: recipe.packages, into: root, work: join(store, "apt", recipe.suite) });
  relocate({ root, home, programs: recipe.programs(root) });
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
export function installedVersion(recipe, store) {
  const home = join(store, recipe.name);
  try {
    const stamp = JSON.parse(readFileSync(join(home, "stamp.json"), "utf8"));
    return stamp.key === recipeKey(recipe, home) ? String(stamp.version) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a version such as `0.12.4` from the first line that `<program> --version` prints with a number in it. */
export function readVersion(program) {
  const version = /\d+\.\d+(?:\.\d+)?/.exec(run(program, ["--version"]));
  if (version === null) throw new Error(`${program} --version names no version`);
  return version[0];
}

function writeStamp(home, stamp) {
  const temporary = join(home, "stamp.json.new");
  mkdirSync(home, { recursive: true });
  writeFileSync(temporary, `${JSON.stringify(stamp)}\n`);
  renameSync(temporary, join(home, "stamp.json"));
}

// Made of data alone: a test runner rewrites the text of functions.
function recipeKey({ suite, packages, revision }, home) {
  return createHash("sha256")
    .update(JSON.stringify([suite, packages, revision, home]))
    .digest("hex")
    .slice(0, 16);
}
