/** Agent-Q where lsp-mode is the person's client for language servers, set up as docs/emacs.md says. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { proposeFix } from "../../support/propose-fix.ts";
import { elispBlocks, lispString } from "../batch.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, reviewBuffer, Workbench } from "../workbench.ts";
import { itAtLength } from "../../support/extent.ts";

const FIX = "Refunds lose a cent: find the bug and fix it.";
const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

const recipes = elispBlocks(await readFile(new URL("../../../docs/emacs.md", import.meta.url), "utf8")).filter((code) =>
  code.includes("use-package lsp-mode"),
);

// The mode of a real installation needs a tree-sitter grammar; lsp-mode asks for its name. Without the rest lsp-mode
// would ask which folder is the project, and warn that a package for snippets is missing.
const typescriptMode = `(progn
  (define-derived-mode typescript-ts-base-mode prog-mode "TS")
  (define-derived-mode typescript-ts-mode typescript-ts-base-mode "TS")
  (add-to-list 'auto-mode-alist '("[.]ts\\\\'" . typescript-ts-mode))
  (setq project-vc-extra-root-markers '("tsconfig.json")
        lsp-auto-guess-root t lsp-enable-snippet nil lsp-headerline-breadcrumb-enable nil))`;

// lsp-mode 10 says null where lsp-mode cannot do something, and TypeScript 7 itself ends at that.
const withoutNull = `(advice-add 'lsp--client-capabilities :filter-return
  (lambda (all) (let ((all (copy-tree all)))
    (setf (alist-get 'inlineCompletion (alist-get 'textDocument all) nil t) nil)
    all)))`;

const managers = `(with-current-buffer "allocate.ts"
  (mapcar (lambda (each) (lsp--client-server-id (lsp--workspace-client each))) lsp--buffer-workspaces))`;

const initialized = `(with-current-buffer "allocate.ts"
  (and lsp--buffer-workspaces
       (seq-every-p (lambda (each) (eq 'initialized (lsp--workspace-status each))) lsp--buffer-workspaces)))`;

const hover = `(with-current-buffer "allocate.ts"
  (goto-char (point-min)) (search-forward "Math.floor")
  (format "%s" (lsp-get (lsp-get (lsp-request "textDocument/hover" (lsp--text-document-position-params))
                                 :contents)
                        :value)))`;

export function lspModeTests(editor: Emacs): void {
  const emacs = { ...editor, connection: "lsp-mode" } as const;
  let bench: Workbench;

  async function startWith(recipe: string | undefined, more = ""): Promise<void> {
    const setup = `(progn ${typescriptMode} ${recipe ?? ""} ${more} t)`;
    bench = await Workbench.start(emacs, proposeFix, { setup, startsServer: true });
    await bench.emacs.until(initialized);
  }

  async function fix(): Promise<void> {
    await bench.ask(FIX, "waits for you");
    await bench.review("+  const shares");
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await bench.untilFile("src/allocate.ts", (text) => text.includes("Math.floor"));
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(await bench.emacs.evaluate("(length agentq--servers)")).toBe("1");
    expect(await bench.emacs.text("*Warnings*")).toBe("");
  }

  itAtLength("lives beside the TypeScript server that lsp-mode runs for the same buffer", async () => {
    const command = [process.execPath, compiler, "--lsp", "--stdio"].map(lispString).join(" ");
    await startWith(
      recipes[0],
      `${withoutNull}
       (lsp-register-client (make-lsp-client :server-id 'native-ts :major-modes '(typescript-ts-mode)
                                             :new-connection (lsp-stdio-connection '(${command}))))`,
    );
    await fix();
    expect(await bench.emacs.evaluate(managers)).toBe("(native-ts)");
    expect(await bench.emacs.evaluate(`(buffer-local-value 'agentq-sync-mode (get-buffer "allocate.ts"))`)).toBe("t");
    expect(await bench.emacs.evaluate(hover)).toContain("floor(x: number): number");
    await bench.killServer();
    await bench.emacs.untilText(chatBuffer, "The server ended");
    // Nobody is asked whether the server is to be started again: a person may be typing.
    expect(await bench.emacs.evaluate("(active-minibuffer-window)")).toBe("nil");
    expect(await bench.emacs.evaluate(managers)).toBe("(native-ts)");
  });

  it("is the only server of a buffer where the person says so", async () => {
    await startWith(recipes[1]);
    await fix();
    expect(await bench.emacs.evaluate(managers)).toBe("(agentq-ts)");
    expect(await bench.emacs.evaluate(`(buffer-local-value 'agentq-sync-mode (get-buffer "allocate.ts"))`)).toBe("nil");
    expect(await bench.emacs.evaluate(hover)).toContain("floor(x: number): number");
  });
}
