import { readdirSync, symlinkSync, writeFileSync, mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "../run.ts";
import { shellQuote } from "./launcher.ts";
import type { Recipe } from "./recipe.ts";

/** Emacs without a display, with lsp-mode, Flycheck and package-lint. */
export function emacsRecipe(version: string, suite: string): Recipe {
  return {
    name: `emacs-${version}`,
    kind: "emacs",
    suite,
    packages: ["emacs-nox", "elpa-lsp-mode", "elpa-flycheck", "elpa-package-lint", "patchelf"],
    revision: 1,
    programs: ["usr/bin/emacs-nox", "usr/bin/emacsclient.emacs"],
    finish(home) {
      linkDump(home);
      writeSiteFiles(home);
      byteCompilePackages(home);
    },
    launchers: (home) => ({
      [`emacs-${version}`]: emacsScript(home),
      [`emacsclient-${version}`]: `exec ${shellQuote(`${home}/usr/bin/emacsclient.emacs`)} "$@"\n`,
    }),
  };
}

// Emacs looks for its dumped image beside the executable before it looks where the package would have put it.
function linkDump(home: string): void {
  const libexec = execFolder(home);
  const dump = readdirSync(libexec).find((name) => name.endsWith(".pdmp"));
  if (dump === undefined) throw new Error(`${libexec} holds no dumped Emacs`);
  symlinkSync(relative(join(home, "usr/bin"), join(libexec, dump)), join(home, "usr/bin/emacs-nox.pdmp"));
}

// Native compilation is switched off because it calls a compiler and finds its own files by absolute path. The two
// lsp-mode settings keep it from loading clients whose dependencies are not there. site-start.el serves an ordinary
// start; the launcher loads the same file under `-Q`, which skips site-start.el.
function writeSiteFiles(home: string): void {
  const folder = join(home, "site");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "unpacked.el"),
    `;;; unpacked.el --- an Emacs that runs from a folder  -*- lexical-binding: t; -*-
(setq native-comp-jit-compilation nil
      native-comp-enable-subr-trampolines nil
      lsp-modeline-workspace-status-enable nil
      lsp-client-packages nil)
(unless (featurep 'unpacked)
  (dolist (folder (directory-files ${JSON.stringify(packageFolder(home))} t "\\\\\`[a-z]"))
    (add-to-list 'load-path folder)
    (dolist (file (directory-files folder t "-autoloads\\\\.el\\\\'"))
      (load file t t t))))
(provide 'unpacked)
`,
  );
  writeFileSync(
    join(folder, "site-start.el"),
    `;;; site-start.el --- load the same file at an ordinary start  -*- lexical-binding: t; -*-
(load ${JSON.stringify(join(folder, "unpacked.el"))} nil t t)
`,
  );
}

// Unpacking runs no package script, and the scripts are what byte-compiles the packages.
function byteCompilePackages(home: string): void {
  const form = `(dolist (folder (directory-files ${JSON.stringify(packageFolder(home))} t "\\\\\`[a-z]"))
    (byte-recompile-directory folder 0 t))`;
  run("sh", ["-c", emacsScript(home), "emacs", "-Q", "--batch", "--eval", form], {
    env: { ...process.env, HOME: join(home, "site") },
  });
}

function emacsScript(home: string): string {
  const share = join(home, "usr/share/emacs");
  const version = emacsVersion(home);
  const data = join(share, version, "etc");
  const loadPath = [join(home, "site"), join(share, version, "lisp"), join(share, "site-lisp")].join(":");
  return [
    `export EMACSLOADPATH=${shellQuote(loadPath)}`,
    `export EMACSDATA=${shellQuote(data)}`,
    `export EMACSDOC=${shellQuote(data)}`,
    `export EMACSPATH=${shellQuote(execFolder(home))}`,
    `exec ${shellQuote(join(home, "usr/bin/emacs-nox"))} -l ${shellQuote(join(home, "site/unpacked.el"))} "$@"`,
    "",
  ].join("\n");
}

function emacsVersion(home: string): string {
  const names = readdirSync(join(home, "usr/share/emacs")).filter((name) => /^\d/.test(name));
  if (names[0] === undefined) throw new Error(`${home} holds no Emacs`);
  return names[0];
}

function execFolder(home: string): string {
  const folder = join(home, "usr/libexec/emacs", emacsVersion(home));
  const [triplet] = readdirSync(folder);
  if (triplet === undefined) throw new Error(`${folder} is empty`);
  return join(folder, triplet);
}

function packageFolder(home: string): string {
  return join(home, "usr/share/emacs/site-lisp/elpa-src");
}
