/** A person does not wait: a question of Emacs's own to the server is quit. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, replBuffer, Workbench } from "../workbench.ts";

/** A command that waits for what never ends, until C-g, and says which requests are still open after that. */
const command = (open: string): string => `(progn
  (defun agentq-test-wait ()
    (interactive)
    (agentq-connection-ask (agentq-running-server) :agentq/evaluate
                           '(:code "console.log('it runs'); await new Promise(() => {})") 60))
  (defun agentq-test-open () (let ((server (agentq-running-server))) ${open}))
  t)`;

const typed = `(with-selected-window (active-minibuffer-window) (minibuffer-contents-no-properties))`;

export function quitTests(editor: Emacs): void {
  let bench: Workbench;

  it("leaves no request open when the wait for its answer is quit, and tells the server", async () => {
    const open =
      editor.connection === "eglot" ? "(jsonrpc--continuations server)" : "(agentq-lsp-mode--pending server)";
    bench = await Workbench.start(editor, demo);
    await bench.connect();
    await bench.emacs.evaluate(command(open));
    await bench.emacs.until("(not (agentq-test-open))");
    await bench.command("agentq-test-wait");
    await bench.emacs.untilText(replBuffer, "it runs");
    expect(await bench.emacs.evaluate("(and (agentq-test-open) t)")).toBe("t");
    await bench.quitUntil("(not (agentq-test-open))");
    // The server heard of that: nothing runs any more.
    await bench.emacs.until(`(equal "idle" (plist-get (agentq-server-repl (agentq-running-server)) :state))`);
    await bench.command("agentq-eval", "6 * 7");
    await bench.emacs.untilText(replBuffer, "= 42 : number");
  });

  it("brings back by M-p what was typed at a prompt that was quit", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.connect();
    for (const asks of ["agentq-prompt", "agentq-eval"]) {
      await bench.command(asks);
      await bench.untilAsked();
      bench.emacs.type("a long story");
      await bench.emacs.until(`(equal ${typed} "a long story")`);
      await bench.quit();
      await bench.command(asks);
      await bench.untilAsked();
      bench.emacs.type("\u001bp");
      await bench.emacs.until(`(equal ${typed} "a long story")`);
      await bench.quit();
    }
  });

  it("starts no server when the start is quit, says no more of that, and keeps what was asked", async () => {
    // A server that needs its time.
    const slow = `(setq agentq-program (list "sh" "-c" (concat "touch began; sleep 2; exec " (mapconcat #'shell-quote-argument agentq-program " "))))`;
    bench = await Workbench.start(editor, demo, { setup: slow });
    await bench.command("agentq-prompt", "What is a share?");
    await poll(() => Promise.resolve(existsSync(join(bench.project, "began"))), "a server that begins to start");
    await bench.quitUntil(`(member (current-message) '("Quit" "Agent-Q was not started"))`);
    await bench.emacs.until(
      `(not (seq-some (lambda (each) (string-search "touch began" (format "%s" (process-command each)))) (process-list)))`,
    );
    expect(await bench.emacs.evaluate("agentq--servers")).toBe("nil");
    await bench.command("agentq-prompt");
    await bench.untilAsked();
    bench.emacs.type("\u001bp");
    await bench.emacs.until(`(equal ${typed} "What is a share?")`);
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "> What is a share?");
    expect(await bench.emacs.text("*Messages*")).not.toMatch(/error in process sentinel|No catch/);
  });
}
