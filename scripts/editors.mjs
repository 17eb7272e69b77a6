// Brings the editors that the end-to-end tests drive, and luacheck, into `.cache/editors`.
//
//   node scripts/editors.mjs [nvim] [emacs] [luacheck]
//
// On Debian they come from the machine's own apt mirror, unpacked into this checkout; nothing is installed on the
// machine and no root is needed. Elsewhere the editors on PATH are used when they are new enough.
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sourceForSuite } from "./debian/mirror.mjs";
import { findEditors, findOnPath, store } from "./editors/find.mjs";
import { install, installedVersion } from "./editors/install.mjs";
import { recipes } from "./editors/recipes.mjs";
import { withLock } from "./lock.mjs";

export { findEditors };

const kindNames = /** @type {const} */ (["nvim", "emacs", "luacheck"]);

/**
 * Prepares what is missing and says what could not be had.
 *
 * @param {readonly string[]} [kinds]
 * @returns {{ editors: import("./editors/find.mjs").Editor[], missing: { name: string, reason: string }[] }}
 */
export function provideEditors(kinds = kindNames) {
  const wanted = recipes.filter((recipe) => kinds.includes(recipe.kind));
  const obstacle = wanted.every(isInstalled) ? undefined : obstacleToUnpacking();
  const missing = obstacle === undefined ? installMissing(wanted) : missingOnPath(kinds, obstacle);
  return { editors: findEditors(kinds.filter((kind) => kind !== "luacheck")), missing };
}

function installMissing(wanted) {
  if (wanted.every(isInstalled)) return [];
  mkdirSync(store, { recursive: true });
  return withLock(join(store, "lock"), () => {
    const failures = wanted.filter((recipe) => !isInstalled(recipe)).flatMap(tryInstall);
    rmSync(join(store, "apt"), { recursive: true, force: true });
    return failures;
  });
}

function tryInstall(recipe) {
  process.stderr.write(`Preparing ${recipe.name} in ${store} ...\n`);
  try {
    install(recipe, store);
    return [];
  } catch (error) {
    return [{ name: recipe.name, reason: error.message }];
  }
}

function isInstalled(recipe) {
  return installedVersion(recipe, store) !== undefined;
}

function obstacleToUnpacking() {
  const lacking = ["apt-get", "dpkg-deb"].filter((program) => findOnPath(program) === undefined);
  if (lacking.length > 0) return `this machine has no ${lacking.join(" and no ")}`;
  return sourceForSuite("sid") === undefined ? "apt on this machine knows no Debian mirror" : undefined;
}

function missingOnPath(kinds, obstacle) {
  return kinds.flatMap((kind) => {
    if (kind === "luacheck")
      return findOnPath(kind) ? [] : [{ name: kind, reason: `${obstacle} and it is not on PATH` }];
    if (findEditors([kind]).length > 0) return [];
    const oldest = kind === "nvim" ? "Neovim 0.10" : "Emacs 30.1";
    return [{ name: kind, reason: `${obstacle}, and PATH has no ${oldest} or newer` }];
  });
}

function main(args) {
  const unknown = args.filter((arg) => !kindNames.includes(arg));
  if (unknown.length > 0) {
    process.stderr.write(`Unknown: ${unknown.join(", ")}. Choose from ${kindNames.join(", ")}.\n`);
    return 2;
  }
  const { editors, missing } = provideEditors(args.length > 0 ? args : kindNames);
  for (const { kind, version, path } of editors) process.stdout.write(`${kind} ${version} ${path}\n`);
  for (const { name, reason } of missing) process.stderr.write(`${name} is missing: ${reason}\n`);
  return missing.length > 0 && process.env.CI === "true" ? 1 : 0;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = main(process.argv.slice(2));
}
