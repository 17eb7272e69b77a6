import { expect, it } from "vitest";
import { itAtLength } from "../../support/extent.ts";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import { evaluated } from "../../support/traffic/scenarios.ts";
import { lispString } from "../batch.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, replBuffer, Workbench, type WorkbenchOptions } from "../workbench.ts";
import { levelHere } from "../../support/level.ts";

export function runningTests(editor: Emacs): void {
  let bench: Workbench;

  const log = (...texts: string[]): Promise<string> =>
    Promise.all(texts.map((text) => bench.emacs.untilText(replBuffer, text))).then((all) => all.at(-1) ?? "");
  const start = async (options: WorkbenchOptions = {}): Promise<void> => {
    bench = await Workbench.start(editor, demo, options);
    await bench.connect();
  };
  const lisp = (code: string): Promise<string> => bench.emacs.evaluate(code);
  const untilSaid = (text: string): Promise<string> => bench.emacs.untilText("*Messages*", text);
  const header = `(with-current-buffer ${JSON.stringify(replBuffer)} (substring-no-properties (agentq-repl-state-header)))`;
  const waits = "await new Promise((go) => setTimeout(go, 1e6))";

  it("shows what an interrupt ended and what a form left open, stops the newest of several, and names the rest", async () => {
    // Forms are told apart by their numbers, and are counted.
    await start({ isAlone: true });
    await bench.command("agentq-interrupt");
    await untilSaid("nothing is being evaluated");
    await bench.command("agentq-eval", `setInterval(() => {}, 1e6); console.log("be" + "gun"); ${waits}`);
    await log("\nbegun\n");
    await bench.emacs.until(`(equal "busy" (plist-get (agentq-server-repl (car agentq--servers)) :state))`);
    expect(await lisp(header)).toBe(`" REPL busy · ${levelHere} · evaluating"`);
    await bench.command("agentq-interrupt");
    // Its text comes a moment before it waits: it may be stopped while it still runs, which is told in other words.
    await log("hat it had open was ended: 2 timers");

    await bench.command("agentq-eval", `setInterval(() => {}, 1e6); "up"`);
    await log("Still open: 1 timer. Interrupting form 2 by its id ends that. (C-u M-x agentq-interrupt)");
    await bench.command("agentq-interrupt");
    // On a busy machine the REPL may be stopped first, which is told before.
    await log('; form 2 (setInterval(() => {}, 1e6); "up") left open: 1 timer.');
    bench.emacs.type("\u0015");
    await bench.command("agentq-interrupt", "");
    await log("What form 2 had left open was ended: 1 timer");

    await bench.command("agentq-eval", `console.log("one runs"); ${waits}; "one"`);
    await log("one runs\n");
    await bench.command("agentq-eval", `console.log("two runs"); ${waits}; "two"`);
    await log("form 4:\ntwo runs\n");
    await bench.command("agentq-interrupt");
    await log(`form 4 (console.log("two runs"); await new `, "still running: form 3 (console.log(");
    await bench.command("agentq-interrupt");
    expect((await log(`\nform 3 > console.log("one runs")`)).match(/^form 3 > /gm)).toHaveLength(1);
  });

  it("keeps an outcome in sight that comes while M-x shows its hint about keys", async () => {
    await start();
    // The outcome comes at the first moment of the hint; at its end nothing is put in its place.
    await lisp(`(progn
      (defvar agentq-test-said nil)
      (defvar agentq-test-taken nil)
      (defun agentq-test-command () (interactive))
      (advice-add 'sit-for :before
        (lambda (&rest _)
          (when (string-prefix-p "You can run the command" (or (current-message) ""))
            (setq agentq-test-said t)
            (agentq-say "the outcome"))))
      (advice-add 'message :after
        (lambda (format &rest _) (when (and agentq-test-said (null format)) (setq agentq-test-taken t))))
      t)`);
    await bench.command("agentq-test-command");
    await bench.emacs.until(`(and agentq-test-taken (equal (current-message) "the outcome"))`);
    await lisp(`(dolist (each '(sit-for message))
      (advice-mapc (lambda (advice _) (advice-remove each advice)) each))`);
  });

  it("locks the REPL for the agent and unlocks it, and shows that it is", async () => {
    await start();
    const modeLine = `(with-current-buffer "allocate.ts" (substring-no-properties (agentq-status--mode-line)))`;
    await bench.command("agentq-eval", "6 * 7");
    await log(" = 42 : number");
    await bench.command("agentq-lock-repl");
    await log("the REPL is locked: the agent runs nothing in it until C-u M-x agentq-lock-repl");
    expect(await lisp(header)).toBe(`" REPL idle · ${levelHere} · locked for the agent"`);
    expect(await lisp(modeLine)).toContain(" REPL:locked");
    await bench.command("agentq-status");
    await bench.emacs.until(
      `(save-current-buffer (seq-some (lambda (b) (set-buffer b) (string-search "idle, ${levelHere}, locked for the agent" (buffer-string))) (buffer-list)))`,
    );
    bench.emacs.type("\u0015");
    await bench.emacs.until("prefix-arg");
    await bench.command("agentq-lock-repl");
    await log("the REPL is unlocked: the agent may run forms in it again");
    expect(await lisp(header)).toBe(`" REPL idle · ${levelHere}"`);
    expect(await lisp(modeLine)).not.toContain("REPL:");
  });

  it("keeps the lock over a restart of the REPL and of the server, which says so", async () => {
    await start({ isAlone: true });
    await bench.command("agentq-lock-repl");
    await log("the REPL is locked");
    await bench.command("agentq-restart-repl");
    await log("the REPL is idle");
    expect(await lisp(header)).toBe(`" REPL idle · ${levelHere} · locked for the agent"`);
    await lisp(`(with-current-buffer "allocate.ts" (agentq-eval ${lispString(waits)}) nil)`);
    await bench.emacs.until(`(equal "busy" (plist-get (agentq-server-repl (car agentq--servers)) :state))`);
    await lisp("(agentq-test-driver-reconnect)");
    await log(
      "await new Promise((go) => setTimeout(go, 1e6)): the server ended before it answered",
      "The server ended, and the REPL with it: definitions and values are gone.",
    );
    await log("the server is a new one: the REPL is locked again, as it was; C-u M-x agentq-lock-repl ends that");
    await bench.emacs.until("(equal t (plist-get (agentq-server-repl (car agentq--servers)) :locked))");
    expect(await lisp(header)).toBe(`" REPL not started · ${levelHere} · locked for the agent"`);
  });

  it("stops an evaluation after the time that is configured, and ends what it had open", async () => {
    await start({ variables: { "agentq-eval-timeout": "3" } });
    await bench.command("agentq-eval", "setInterval(() => {}, 1e6); const spin = () => { for (;;) {} }; spin()");
    const shown = await log("Timeout: Stopped after 3000 ms while it ran here; state is kept.");
    expect(shown).toContain("What it had open was ended: 1 timer.\n  at spin ");
  });

  it("shows the agent's forms with their outcome, and late notes of the compiler as notes of their form", async () => {
    bench = await Workbench.replay(editor, "evaluations-of-the-agent");
    await bench.command("agentq-prompt", "Evaluate.");
    const told = "agent > const n = 6 console.log('of the agent') n * 7\nof the agent\n$1 = 42 : number\n";
    await bench.emacs.untilText(replBuffer, told);
    await lisp(`(agentq-connection-receive (car agentq--servers) 'agentq/lateNotes
      '(:evalId "1" :notes [(:uri "repl:1" :severity "error" :message "TS1: no such n"
        :range (:start (:line 2 :character 0) :end (:line 2 :character 1)))]))`);
    await bench.emacs.untilText(replBuffer, `${told}error: 3:1 TS1: no such n`);
    await bench.emacs.untilText(chatBuffer, "-- done");
    await bench.ask("Trace it.", "+ trace_function");
    const traced = "agent in src/allocate.ts > trace_function src/allocate.ts#totalWeight\n";
    expect(await log(traced, "#totalWeight is traced")).not.toContain("undefined");
  });

  it("evaluates the definition at point, and the importer sees it", async () => {
    await start();
    const importer = "import { splitEvenly } from './src/allocate.ts'; import { money } from './src/money.ts'; String";
    await lisp(
      `(with-current-buffer "allocate.ts" (agentq-eval ${JSON.stringify(`${importer}(splitEvenly(money("3.00 EUR"), 3)[0])`)}) nil)`,
    );
    await log(' = "1.00 EUR" : string');
    await lisp(
      `(with-current-buffer "allocate.ts"
         (goto-char (point-min)) (search-forward "allocate(total, weights);")
         (replace-match "allocate(total.plus(total), weights);" t t) (call-interactively 'agentq-eval-form) nil)`,
    );
    await log("redefined: function splitEvenly in src/allocate.ts");
    await lisp(
      `(with-current-buffer "allocate.ts" (agentq-eval ${JSON.stringify('String(splitEvenly(money("3.00 EUR"), 3)[0])')}) nil)`,
    );
    await log('"2.00 EUR"');
    expect(await bench.file("src/allocate.ts")).not.toContain("plus(total)");
  });

  it("shows output in its colours", async () => {
    bench = await Workbench.replay(editor, "evaluation-in-colours");
    await bench.command("agentq-eval", evaluated["evaluation-in-colours"]);
    const shown = await log("$1 = 0 : number");
    expect(shown).toMatch(/^src\/allocate\.ts > console/);
    expect(shown).toContain("red plain green\nstill\n2%\n");
    const colour = `(with-current-buffer ${JSON.stringify(replBuffer)}
      (goto-char (point-min)) (search-forward "\\nred") (format "%S" (get-text-property (1- (point)) 'font-lock-face)))`;
    expect(await lisp(colour)).toMatch(/ansi-color-red|red/);
  });

  it("shows an error with a way to its place", async () => {
    bench = await Workbench.replay(editor, "evaluation-that-throws");
    await bench.command("agentq-eval", evaluated["evaluation-that-throws"]);
    const shown = await log("RangeError: there is nothing to divide by");
    expect(shown).toMatch(/\n {2}at totalWeight src\/allocate\.ts:\d+:\d+\n {5}if \(whole === 0\) throw/);
    await lisp(
      `(with-current-buffer ${JSON.stringify(replBuffer)}
         (goto-char (point-min)) (search-forward "allocate.ts:") (agentq-repl-go) nil)`,
    );
    await bench.emacs.until(
      `(with-current-buffer "allocate.ts" (save-excursion (beginning-of-line) (looking-at-p "  if (whole === 0)")))`,
    );
  });

  it("tells of a form that was taken from a file where it stands there", async () => {
    await start();
    await lisp(
      `(with-current-buffer "allocate.ts"
         (goto-char (point-min)) (insert ${lispString('/*\n  "€"; totalWeight.no.way */\n')})
         (goto-char (point-min)) (search-forward "  ")
         (agentq-eval-region (point) (- (pos-eol) 3) (agentq-eval--module)) nil)`,
    );
    expect(await log("TypeError: ")).toMatch(
      /src\/allocate\.ts > "€"; totalWeight\.no\.way\nTypeError: .*\n {2}at src\/allocate\.ts:2:2\d\n/,
    );
  });

  itAtLength("leads from what was installed from a file, and from tests that fail, to their places", async () => {
    // A module that another test has changed is loaded anew, without what is installed here.
    await start({ isAlone: true });
    const cursor = `(with-current-buffer (window-buffer) (format "%s:%d:%d" (buffer-name) (line-number-at-pos) (current-column)))`;
    /** Where the line of the log leads that begins with a text. */
    const goFrom = (line: string): Promise<string> =>
      lisp(
        `(progn (pop-to-buffer ${JSON.stringify(replBuffer)}) (goto-char (point-max))
           (search-backward ${lispString(`\n${line}`)}) (forward-line) (agentq-repl-go) ${cursor})`,
      );
    await lisp(
      `(with-current-buffer "allocate.ts"
         (goto-char (point-min)) (search-forward "function totalWeight") (agentq-eval-form) nil)`,
    );
    await log("redefined: function totalWeight");
    await bench.command("agentq-eval", "totalWeight([0])");
    expect(await log("RangeError: ")).toMatch(/\n {2}at totalWeight src\/allocate\.ts:\d+:\d+\n/);
    const thrown = await goFrom("  at totalWeight");
    expect(thrown).toMatch(/^"allocate.ts:\d+:\d+"$/);
    // A stack that the code prints names the form.
    await bench.command("agentq-eval", "try { totalWeight([0]) } catch (error) { console.log(error.stack) }");
    await log("    at totalWeight (repl:");
    expect(await goFrom("    at totalWeight (repl:")).toBe(thrown);
    await bench.command("agentq-inspect", "totalWeight");
    await bench.emacs.untilText("*agentq-inspect: invoices*", "written at src/allocate.ts:");

    await lisp(`(with-current-buffer "allocate.ts" (agentq-run-tests "test/money.test.ts") nil)`);
    await log("test/money.test.ts:9:1 rounds half");
    expect(await goFrom("  test/money.test.ts:9:1")).toBe('"money.test.ts:9:0"');
  });

  it("says that the process died, shows its state, and runs forms again", async () => {
    await start({ isAlone: true });
    await bench.command("agentq-eval", "let kept = 1; kept");
    await log("= 1 : number");
    await bench.command("agentq-eval", "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})");
    await log("it was ended by SIGKILL.", "C-u M-x agentq-restart-repl runs again what built its state.");
    expect(await lisp(header)).toContain(` REPL dead · ${levelHere} · `);
    expect(await lisp(`(with-current-buffer "allocate.ts" (agentq-status--mode-line))`)).toContain(" REPL:dead");
    bench.emacs.type("\u0015");
    await bench.command("agentq-restart-repl");
    await log("the REPL is idle, 1 form run again");
    await bench.command("agentq-eval", "kept");
    await log("= 1 : number");
    await poll(async () => (await lisp(header)) === `" REPL idle · ${levelHere}"`, "an idle REPL");
  });

  it("traces a function and runs the tests", async () => {
    await start();
    await bench.command("agentq-trace", "allocate");
    const traced = await log("src/allocate.ts#allocate is traced");
    expect(traced.match(/is traced/g)).toHaveLength(1);
    // It is not the agent's.
    expect(traced).toMatch(/^trace allocate\nsrc\/allocate\.ts#allocate is traced/);
    await bench.command("agentq-eval", "prorate(new Money(900, 'EUR'), 1, 3).cents");
    await log("from prorate (src/allocate.ts:", "= 300 : number");
    await bench.command("agentq-run-tests");
    await log("16 passed in 3 files", "test/money.test.ts 4");
  });
}
