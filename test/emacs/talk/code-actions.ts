import { expect, it } from "vitest";
import { reply, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

const script: Script = { name: "answers", description: "answers", reply: () => reply("So it is.") };

/** A mode of the tests' own, so that no grammar is needed, with Agent-Q as its language server. */
const AS_SERVER = `(progn
  (define-derived-mode typescript-mode prog-mode "TS")
  (add-to-list 'auto-mode-alist '("\\\\.ts\\\\'" . typescript-mode))
  (require 'agentq)
  (setq eglot-server-programs
        (list (append '(((typescript-mode :language-id "typescript"))) '(agentq-server) agentq-program
                      '(:initializationOptions (:languageFeatures "on")))))
  (setq eglot-sync-connect 30)
  (add-hook 'typescript-mode-hook #'eglot-ensure))`;

const select = (words: string): string =>
  `(with-current-buffer "allocate.ts" (goto-char (point-min)) (search-forward "${words}")
     (set-mark (match-beginning 0)) (setq deactivate-mark nil) (activate-mark) (set-window-point (get-buffer-window) (point)) t)`;

export function codeActionsTests(editor: Emacs): void {
  let bench: Workbench;

  const told = (): string => JSON.stringify(bench.model.requests.at(-1)?.messages);
  const untilTold = (words: string): Promise<unknown> =>
    poll(() => Promise.resolve(told()?.includes(words)), `the model hears ${words}`);

  it("says what an action asks, beside another TypeScript server, with Flymake's words", async () => {
    bench = await Workbench.start(editor, script);
    await bench.emacs.evaluate(`(with-current-buffer "allocate.ts"
      (goto-char (point-min)) (search-forward "function allocate")
      (set-window-point (get-buffer-window) (point))
      (setq-local flymake-diagnostic-functions
        (list (lambda (report &rest _)
                (funcall report (list (flymake-make-diagnostic (current-buffer) (match-beginning 0) (point) :error "It is too long."))))))
      (flymake-mode 1) (flymake-start) t)`);
    await bench.emacs.until(`(with-current-buffer "allocate.ts" (flymake-diagnostics))`);
    await bench.command("agentq-code-actions");
    await bench.untilAsked();
    bench.emacs.type("1\t");
    await bench.answer("");
    await untilTold("error: It is too long.");
    const shown = await bench.emacs.untilText(chatBuffer, "-- done");
    expect(shown).toContain("> Fix this diagnostic in src/allocate.ts");
    expect(shown).toContain("(with diagnostics of src/allocate.ts, src/allocate.ts:");
  });

  it("is among Eglot's code actions where Agent-Q is the TypeScript server", async () => {
    bench = await Workbench.start(editor, script, { setup: AS_SERVER });
    await bench.emacs.until(`(with-current-buffer "allocate.ts" (eglot-managed-p))`);
    await bench.emacs.evaluate(select("allocate"));
    await bench.command("eglot-code-actions");
    await bench.untilAsked();
    await bench.answer("Agent-Q: explain the selection");
    await untilTold("Explain the selected code");
    // Eglot takes the folder for a project here.
    expect(await bench.emacs.untilText("*agentq: src*", "-- done")).toContain("> Explain the selected code");
    expect(told()).toContain("\\nallocate\\n```");
  });
}
