/** The client as Emacs installs packages: from a clone of the repository, with nothing loaded before a command asks for it. */
import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { clientFolder, lispString, runBatch, temporaryFolder } from "./batch.ts";
import { itAtLength } from "../support/extent.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Whether a file was made by an Emacs that loads this checkout. */
const isMade = (name: string): boolean => /agentq-autoloads\.el$|\.elc$/.test(name);

const elisp = (folder: string): Promise<string[]> =>
  readdir(folder).then((names) => names.filter((name) => name.endsWith(".el") && !isMade(name)));

/** What is loaded and running, and what hooks have, printed as Lisp. */
const STATE = `(prin1-to-string (list features (process-list) find-file-hook after-change-functions
  post-command-hook timer-list timer-idle-list after-load-functions mode-line-misc-info))`;

describeEachEditor("emacs", (editor) => {
  let home: string;
  beforeEach(async () => {
    home = await temporaryFolder();
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  itAtLength(
    "is installed by package-vc-install, has its commands, and finds its manual",
    { timeout: 120_000 },
    async () => {
      const repository = join(home, "agent-q");
      const git = (...words: string[]): void => {
        const own = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
        execFileSync("git", [...own, ...words], { cwd: repository, stdio: "ignore" });
      };
      await mkdir(join(repository, "test/emacs"), { recursive: true });
      for (const part of ["client-emacs", "docs/emacs.md", ".elpaignore", "test/emacs/logic"]) {
        await cp(join(root, part), join(repository, part), { recursive: true, filter: (name) => !isMade(name) });
      }
      git("init", "--quiet");
      git("add", "--all");
      git("commit", "--quiet", "--message", "The client");
      const packages = `(progn (require 'package) (setq package-archives nil package-user-dir ${lispString(join(home, "elpa"))}))`;
      const url = lispString(`file://${repository}`);
      const install = `(package-vc-install '(agentq :url ${url} :lisp-dir "client-emacs"))`;
      const installed = await runBatch(editor, home, ["--eval", packages, "--eval", install]);
      expect(installed.code).toBe(0);
      const folder = join(home, "elpa/agentq/client-emacs");
      const compiled = (await readdir(folder)).filter((name) => name.endsWith(".elc"));
      expect(compiled).toEqual(expect.arrayContaining((await elisp(clientFolder)).map((name) => `${name}c`)));
      expect(installed.output).not.toMatch(/Compiling .*\/test\/|[1-9]\d* failed/);

      const use = `(princ (list (autoloadp (symbol-function 'agentq)) (autoloadp (symbol-function 'agentq-menu))
      (progn (agentq-manual) (buffer-name)) (featurep 'agentq)))`;
      const used = await runBatch(editor, home, ["--eval", packages, "--eval", "(package-initialize)", "--eval", use]);
      expect(used.output).toContain("(t t *Agent-Q manual* nil)");
    },
  );

  it("loads and changes nothing until a command of its is called", async () => {
    const autoloads = join(home, "agentq-autoloads.el");
    const make = `(progn (require 'loaddefs-gen) (loaddefs-generate ${lispString(clientFolder)} ${lispString(autoloads)}))`;
    await runBatch(editor, home, ["--eval", make]);
    expect(await readFile(autoloads, "utf8")).toContain("(autoload 'agentq-prompt ");
    const look = `(let ((before ${STATE})) (load ${lispString(autoloads)} nil t)
      (princ (if (equal before (replace-regexp-in-string "agentq-autoloads " "" ${STATE})) "nothing" ${STATE})))`;
    const result = await runBatch(editor, home, ["-L", clientFolder, "--eval", look]);
    expect(result).toEqual({ code: 0, output: "nothing" });
  });

  it("is compiled by its loader the first time and after each update, and loads nothing by that", async () => {
    const [client, autoloads] = [join(home, "client"), join(home, "client/agentq-autoloads.el")];
    await mkdir(client);
    await cp(join(clientFolder, "agentq-load.el"), join(client, "agentq-load.el"));
    const write = (answer: string): Promise<void> =>
      writeFile(
        join(client, "agentq.el"),
        `;;; -*- lexical-binding: t; -*-\n;;;###autoload\n(defun agentq () (interactive) ${answer})\n(provide 'agentq)\n`,
      );
    const use = `(princ (list (autoloadp (symbol-function 'agentq)) (featurep 'agentq) (agentq) (compiled-function-p (symbol-function 'agentq))))`;
    const start = async (): Promise<string> =>
      (await runBatch(editor, home, ["-l", join(client, "agentq-load.el"), "--eval", use])).output;
    await write("1");
    expect(await start()).toContain("(t nil 1 t)");
    expect(await start()).toBe("(t nil 1 t)");
    await write("2");
    await utimes(autoloads, 0, 0);
    expect(await start()).toContain("(t nil 2 t)");
  });

  it("is built from the recipe with every file that it needs", async () => {
    const recipe = await readFile(join(clientFolder, "recipes/agentq"), "utf8");
    const patterns = [...(/:files \(([^)]*)\)/.exec(recipe)?.[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, file]) => file);
    expect(patterns).toEqual(["client-emacs/*.el", "docs/emacs.md"]);
    for (const name of await elisp(clientFolder)) await cp(join(clientFolder, name), join(home, name));
    await cp(join(root, "docs/emacs.md"), join(home, "emacs.md"));
    const open = "(progn (require 'agentq-manual) (agentq-manual) (princ (buffer-name)))";
    expect((await runBatch(editor, home, ["-L", ".", "--eval", open])).output).toContain("*Agent-Q manual*");
  });
});
