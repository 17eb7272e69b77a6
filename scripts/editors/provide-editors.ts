import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sourceForSuite } from "../debian/mirror.ts";
import { errorText } from "../error-text.mjs";
import { withLock } from "../lock.mjs";
import { findEditors, findOnPath, store, type Editor } from "./find.ts";
import { install, installedVersion } from "./install.ts";
import type { ProgramKind, Recipe } from "./recipe.ts";
import { recipes } from "./recipes.ts";

export const programKinds: readonly ProgramKind[] = ["nvim", "emacs", "luacheck", "bwrap"];

/** A program that could not be had. */
export interface MissingProgram {
  readonly name: string;
  readonly reason: string;
}

/** Prepares what is missing and says what could not be had. */
export function provideEditors(kinds = programKinds): { editors: Editor[]; missing: MissingProgram[] } {
  const wanted = recipes.filter((recipe) => kinds.includes(recipe.kind));
  const obstacle = wanted.every(isInstalled) ? undefined : obstacleToUnpacking();
  const missing = obstacle === undefined ? installMissing(wanted) : missingOnPath(kinds, obstacle);
  return { editors: findEditors(kinds.filter(isEditor)), missing };
}

function installMissing(wanted: readonly Recipe[]): MissingProgram[] {
  if (wanted.every(isInstalled)) return [];
  mkdirSync(store, { recursive: true });
  return withLock(join(store, "lock"), () => {
    const failures = wanted.filter((recipe) => !isInstalled(recipe)).flatMap(tryInstall);
    rmSync(join(store, "apt"), { recursive: true, force: true });
    return failures;
  });
}

function tryInstall(recipe: Recipe): MissingProgram[] {
  process.stderr.write(`Preparing ${recipe.name} in ${store} ...\n`);
  try {
    install(recipe, store);
    return [];
  } catch (error) {
    return [{ name: recipe.name, reason: errorText(error) }];
  }
}

function isInstalled(recipe: Recipe): boolean {
  return installedVersion(recipe, store) !== undefined;
}

const absence = {
  nvim: "PATH has no Neovim 0.10 or newer",
  emacs: "PATH has no Emacs 30.1 or newer",
  luacheck: "it is not on PATH",
  bwrap: "it is not on PATH",
} as const;

function isEditor(kind: ProgramKind): kind is Editor["kind"] {
  return kind === "nvim" || kind === "emacs";
}

function isOnPath(kind: ProgramKind): boolean {
  return isEditor(kind) ? findEditors([kind]).length > 0 : findOnPath(kind) !== undefined;
}

function obstacleToUnpacking(): string | undefined {
  const lacking = ["apt-get", "dpkg-deb"].filter((program) => findOnPath(program) === undefined);
  if (lacking.length > 0) return `this machine has no ${lacking.join(" and no ")}`;
  return sourceForSuite("sid") === undefined ? "apt on this machine knows no Debian mirror" : undefined;
}

function missingOnPath(kinds: readonly ProgramKind[], obstacle: string): MissingProgram[] {
  return kinds.flatMap((kind) => (isOnPath(kind) ? [] : { name: kind, reason: `${obstacle}, and ${absence[kind]}` }));
}
