import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isAtLeast } from "../version.mjs";
import { installedVersion, readVersion } from "./install.mjs";
import { recipes } from "./recipes.mjs";

/**
 * @typedef {object} Editor
 * @property {"nvim" | "emacs"} kind
 * @property {string} version what the editor says of itself, such as `0.12.4`
 * @property {string} path the program to start
 * @property {string} [client] the emacsclient of the same Emacs
 */

const oldestUsable = { nvim: [0, 10], emacs: [30, 1] };

/** The folder that holds the prepared editors of this checkout. */
export const store = join(dirname(fileURLToPath(import.meta.url)), "../../.cache/editors");

/**
 * The editors that tests can drive: the prepared ones, else the one on PATH when it is new enough.
 *
 * @param {("nvim" | "emacs")[]} [kinds]
 * @returns {Editor[]}
 */
export function findEditors(kinds = ["nvim", "emacs"]) {
  return kinds.flatMap((kind) => {
    const prepared = preparedEditors(kind);
    return prepared.length > 0 ? prepared : editorOnPath(kind);
  });
}

function preparedEditors(kind) {
  return recipes
    .filter((recipe) => recipe.kind === kind)
    .flatMap((recipe) => {
      const version = installedVersion(recipe, store);
      if (version === undefined) return [];
      const editor = { kind, version, path: join(store, "bin", recipe.name) };
      const client = join(store, "bin", recipe.name.replace("emacs-", "emacsclient-"));
      return [kind === "emacs" ? { ...editor, client } : editor];
    });
}

function editorOnPath(kind) {
  const path = findOnPath(kind);
  if (path === undefined) return [];
  try {
    const version = readVersion(path);
    if (!isAtLeast(version, oldestUsable[kind])) return [];
    const client = kind === "emacs" ? findOnPath("emacsclient") : undefined;
    return [client === undefined ? { kind, version, path } : { kind, version, path, client }];
  } catch {
    return [];
  }
}

/** The luacheck to lint with, or undefined. */
export function findLuacheck() {
  const recipe = recipes.find(({ kind }) => kind === "luacheck");
  const isPrepared = recipe !== undefined && installedVersion(recipe, store) !== undefined;
  return isPrepared ? join(store, "bin", recipe.name) : findOnPath("luacheck");
}

/** The full path of a program on PATH, or undefined. */
export function findOnPath(program) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
