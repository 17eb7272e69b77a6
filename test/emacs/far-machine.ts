/**
 * Another machine for Emacs to reach through TRAMP: a shell that sees another project where this machine has one. Under
 * the same absolute names both machines have different files, as with a checkout on two machines.
 */
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../../scripts/editors/find.ts";
import { lispString } from "./batch.ts";

export interface FarMachine {
  /** Where this process finds the files that the other machine has under the name of the project. */
  readonly project: string;
  /** Lisp that makes the machine known to TRAMP, and the project there the folder of Emacs. */
  readonly setup: string;
}

/** Moves the project to another machine, and leaves files of the same names with another text. */
export async function farMachine(folder: string, project: string): Promise<FarMachine> {
  const far = join(folder, "far");
  await cp(project, far, { recursive: true });
  for (const path of await readdir(project, { recursive: true, withFileTypes: true })) {
    if (path.isFile() && path.name.endsWith(".ts")) await writeFile(join(path.parentPath, path.name), TWIN);
  }
  const view = [
    "--setenv",
    "MACHINE",
    "%h",
    "--bind",
    "/",
    "/",
    "--dev-bind",
    "/dev",
    "/dev",
    "--bind",
    far,
    project,
    "sh",
  ];
  const words = view.map((word) => `(${lispString(word)})`).join(" ");
  const setup = `(progn
    (require 'tramp)
    ;; The superuser is asked before text of a file there is kept here.
    (setq tramp-allow-unsafe-temporary-files t
          ;; Each asks the other machine many times for a file, and is no concern of these tests.
          vc-handled-backends nil make-backup-files nil auto-save-default nil)
    (add-to-list 'tramp-methods
                 '("view" (tramp-login-program ${lispString(findProgram("bwrap") ?? "bwrap")})
                   (tramp-login-args (${words}))
                   (tramp-remote-shell "/bin/sh") (tramp-remote-shell-login ("-l")) (tramp-remote-shell-args ("-c"))))
    (setq default-directory ${lispString(`/view:far:${project}/`)}))`;
  return { project: far, setup };
}

/** What each TypeScript file of the project holds on this machine. */
export const TWIN = "// This file is on the wrong machine.\n";

/** The TypeScript files of a project on this machine that no longer hold what they held. */
export async function touchedTwins(project: string): Promise<string[]> {
  const touched: string[] = [];
  for (const entry of await readdir(project, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name.endsWith(".ts") && (await readFile(path, "utf8")) !== TWIN) touched.push(path);
  }
  return touched;
}
