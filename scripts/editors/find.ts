import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "../paths.mjs";
import { isAtLeast } from "../version.mjs";
import { installedVersion, isStamped, readVersion } from "./install.ts";
import { recipes } from "./recipes.ts";

export interface Editor {
  kind: "nvim" | "emacs";
  /** What the editor says of itself, such as `0.12.4`. */
  version: string;
  /** The program to start. */
  path: string;
  /** The emacsclient of the same Emacs. */
  client?: string;
}

const oldestUsable = { nvim: [0, 10], emacs: [30, 1] } as const;

/** The folder that holds the prepared editors of this checkout. */
export const store = join(root, ".cache/editors");

/** The editors that tests can drive: the prepared ones, else the one on PATH when it is new enough. */
export function findEditors(kinds: readonly Editor["kind"][] = ["nvim", "emacs"]): Editor[] {
  return kinds.flatMap((kind) => {
    const prepared = preparedEditors(kind);
    return prepared.length > 0 ? prepared : editorOnPath(kind);
  });
}

/** Whether the checkout has prepared editors of a kind that run at another place alone, or were made by older recipes. */
export function areOutdated(kind: Editor["kind"]): boolean {
  const ofKind = recipes.filter((recipe) => recipe.kind === kind && isStamped(recipe, store));
  return ofKind.some((recipe) => installedVersion(recipe, store) === undefined);
}

function preparedEditors(kind: Editor["kind"]): Editor[] {
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

function editorOnPath(kind: Editor["kind"]): Editor[] {
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

/** A program of which there is one version: the prepared one, else the one on PATH. */
export function findProgram(kind: "luacheck" | "bwrap"): string | undefined {
  const recipe = recipes.find((each) => each.kind === kind);
  const isPrepared = recipe !== undefined && installedVersion(recipe, store) !== undefined;
  return isPrepared ? join(store, "bin", recipe.name) : findOnPath(kind);
}

/** The full path of a program on PATH, or undefined. */
export function findOnPath(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
