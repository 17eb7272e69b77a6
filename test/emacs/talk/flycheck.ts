/** What Flycheck shows in a file is told to the model, where it stands. */
import { expect, it } from "vitest";
import { reply, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

const script: Script = { name: "answers", description: "answers", reply: () => reply("So it is.") };

/** A checker that finds three things: without a column, with a name, and of a level that is its own. */
const setup = `(progn
  (setq load-path agentq-test-driver-load-path)
  (require 'flycheck)
  (flycheck-define-error-level 'unused :severity 10 :compilation-level 1 :overlay-category 'flycheck-warning-overlay)
  (flycheck-define-generic-checker 'of-this-test "Finds what the test says."
    :modes '(fundamental-mode)
    :start (lambda (checker callback)
             (funcall callback 'finished
                      (list (flycheck-error-new-at 14 nil 'error "It rounds the wrong way." :id "no-trunc" :checker checker)
                            (flycheck-error-new-at 13 9 'unused "Nobody needs that." :checker checker)
                            (flycheck-error-new-at 1 1 'info "An import." :checker checker)))))
  (setq flycheck-checkers '(of-this-test) flycheck-check-syntax-automatically nil)
  (require 'agentq))`;

export function flycheckTests(editor: Emacs): void {
  let bench: Workbench;

  const told = (): string => JSON.stringify(bench.model.requests.at(-1)?.messages);

  it("says errors and warnings with a prompt, and fixes the one at point, on the lines to which typing has moved them", async () => {
    bench = await Workbench.start(editor, script);
    await bench.emacs.evaluate(setup);
    await bench.emacs.evaluate(`(with-current-buffer "allocate.ts" (flycheck-mode 1) (flycheck-buffer) t)`);
    await bench.emacs.until(`(= 3 (length (with-current-buffer "allocate.ts" flycheck-current-errors)))`);
    await bench.emacs.evaluate(
      `(with-current-buffer "allocate.ts" (goto-char (point-min)) (insert "// mine\n") (forward-line 13)
         (set-window-point (get-buffer-window) (point)) t)`,
    );
    const shown = await bench.ask("What is wrong?", "-- done");
    expect(shown).toMatch(/\(with src\/allocate\.ts:15; in view: lines 1-\d\d, 1 error, 1 warning\)/);
    expect(told()).toContain('line 15 error \\"It rounds the wrong way.\\" (of-this-test)');
    expect(told()).toContain('line 14 warning \\"Nobody needs that.\\" (of-this-test)');
    expect(told()).not.toContain("An import.");
    await bench.command("agentq-code-actions");
    await bench.untilAsked();
    bench.emacs.type("1\t");
    await bench.answer("");
    await poll(() => Promise.resolve(told().includes("Fix this diagnostic")), "the question at the model");
    await bench.emacs.untilText(chatBuffer, "> Fix this diagnostic in src/allocate.ts");
    expect(told()).toMatch(/src\/allocate\.ts:15.*error.*no-trunc.*It rounds the wrong way\./);
  });
}
