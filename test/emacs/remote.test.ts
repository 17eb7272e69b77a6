/**
 * A project on another machine: the server runs there, and no file of this machine is read or changed in its place. A start
 * of a far machine, an Emacs and TRAMP's shells takes more than two processor seconds.
 */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { demo } from "../../examples/demo/scripts/demo.ts";
import { fixBug } from "../../examples/demo/scripts/fix-bug.ts";
import { itAtLength, runsAll } from "../support/extent.ts";
import { modelWords } from "../support/model-words-of.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { describeWalled } from "../support/wall.ts";
import { lispString } from "./batch.ts";
import { describeEachEmacs } from "./describe-emacs.ts";
import { touchedTwins } from "./far-machine.ts";
import { chatBuffer, replBuffer, reviewBuffer, Workbench } from "./workbench.ts";

/** The shell that is to start the server is still at work then, so what is sent next is there when that shell reads. */
const slowShell = `(with-eval-after-load 'tramp-sh
  (advice-add 'tramp-send-command :before
    (lambda (vec command &rest _)
      (when (string-search "--stdio" command) (process-send-string (tramp-get-connection-process vec) "sleep 1\n")))))`;

/** The other machine takes its time to say what a file that is called slow.ts is. */
const slowAnswer = `(advice-add 'tramp-send-command :filter-args
  (lambda (arguments)
    (if (string-search "/slow.ts" (nth 1 arguments))
        (append (list (car arguments) (concat "sleep 1; " (nth 1 arguments))) (nthcdr 2 arguments))
      arguments))
  '((name . slow-answer)))`;

/** Those that are about neither share an Emacs and its far machine. */
const far = { far: true, setup: slowShell };

const FIX = "Refunds lose a cent: find the bug and fix it.";
const PROPOSED = "waits for you";

const listBuffers = scriptOf("list-buffers", "list the buffers", [
  reply(call("list_buffers", {})),
  reply("That is all."),
]);

const moveOne = scriptOf("move-one", "create, move and delete a file", [
  reply(
    call("propose_edits", {
      description: "Tidy up.",
      edits: [
        { op: "create", path: "src/rounding/modes.ts", modified: 'export const mode = "half-even";\n' },
        { op: "move", path: "test/money.test.ts", to: "test/units/money.test.ts" },
        { op: "delete", path: "test/allocate.test.ts" },
      ],
    }),
  ),
  reply("Done."),
]);

describeWalled("with a project on another machine", () => {
  describeEachEmacs((editor) => {
    let bench: Workbench;
    afterEach(async () => {
      expect(await touchedTwins(bench.here)).toEqual([]);
    });

    it("asks, reviews, saves and evaluates there, where the shell that starts the server is slow to read", async () => {
      bench = await Workbench.start(editor, fixBug, far);
      await bench.ask(FIX, PROPOSED);
      await bench.review("+  const shares");
      bench.emacs.type("a");
      await bench.untilFile("src/allocate.ts", (text) => text.includes("Math.floor"));
      await bench.emacs.untilText(reviewBuffer, "[accepted]");
      bench.emacs.type("R");
      await bench.answer("keep the loop");
      await bench.emacs.untilText(chatBuffer, "Fixed");
      expect(await bench.file("src/allocate.ts")).toContain("weights.push(1)");
      await bench.emacs.evaluate(
        `(with-current-buffer "allocate.ts" (agentq-eval "process.env.MACHINE + splitEvenly.name" (agentq-path-to-uri buffer-file-name)) t)`,
      );
      // Only the other machine has a splitEvenly.
      await bench.emacs.untilText(replBuffer, "splitEvenly");
    });
  });

  describeEachEmacs((editor) => {
    let bench: Workbench;
    afterEach(async () => {
      expect(await touchedTwins(bench.here)).toEqual([]);
    });

    const stands = (file: string): boolean => existsSync(join(bench.project, file));

    itAtLength("moves, creates and deletes files there", async () => {
      bench = await Workbench.start(editor, moveOne, far);
      await bench.emacs.evaluate(`(progn (find-file-noselect "../test/money.test.ts") t)`);
      await bench.ask("Tidy up", PROPOSED);
      await bench.review("move test/money.test.ts → test/units/money.test.ts");
      bench.emacs.type("A");
      await bench.emacs.untilText(chatBuffer, "-- done");
      expect([stands("test/money.test.ts"), stands("test/allocate.test.ts")]).toEqual([false, false]);
      expect(await bench.file("src/rounding/modes.ts")).toContain("half-even");
      expect(stands("test/units/money.test.ts")).toBe(true);
      expect(existsSync(join(bench.here, "test/units"))).toBe(false);
      expect(await bench.emacs.evaluate(`(buffer-file-name (get-buffer "money.test.ts"))`)).toMatch(
        /^"\/view:far:.*\/test\/units\/money\.test\.ts"$/,
      );
    });

    itAtLength("finds code and failed tests there", async () => {
      bench = await Workbench.start(editor, demo, far);
      const right = await bench.file("test/allocate.test.ts");
      await writeFile(join(bench.project, "test/allocate.test.ts"), right.replace(`"3.34 EUR"`, `"9.99 EUR"`));
      await bench.connect();
      await bench.command("agentq-run-tests");
      await bench.emacs.untilText("*agentq-tests: invoices*", "Tests, all: 1 of ");
      await bench.command("next-error");
      await bench.emacs.until(
        `(and (equal (buffer-name) "allocate.test.ts") (file-remote-p buffer-file-name) (= (line-number-at-pos) 7))`,
      );
      await bench.emacs.evaluate(`(progn (agentq-callers "allocate") nil)`);
      await bench.emacs.untilText("*xref*", "billOrder");
      await bench.emacs.evaluate(
        `(with-current-buffer "*xref*" (search-forward "billOrder") (call-interactively 'xref-goto-xref) nil)`,
      );
      expect(await bench.emacs.evaluate("(file-remote-p buffer-file-name)")).toBe('"/view:far:"');
    });

    itAtLength("takes no buffer of this machine for one of the project", async () => {
      bench = await Workbench.start(editor, listBuffers, far);
      await bench.emacs.evaluate(
        `(progn (find-file-noselect ${lispString(join(bench.here, "src/invoice.ts"))}) (find-file-noselect "money.ts") t)`,
      );
      await bench.ask("What is open?", "-- done");
      const words = modelWords(bench.model.requests.at(-1));
      expect(words).toContain("src/allocate.ts (");
      expect(words).toContain("src/money.ts (");
      expect(words).not.toContain("src/invoice.ts");
    });

    it("has a timer that is due while TRAMP waits ask that machine afterwards", async () => {
      bench = await Workbench.start(editor, listBuffers, far);
      await bench.emacs.evaluate(`(progn (require 'tramp-sh) ${slowAnswer} t)`);
      const there = `(let ((file (expand-file-name "money.ts")))
        (agentq-tramp-run-at-time 0.1 (lambda () (push (file-exists-p file) asked))))`;
      await bench.emacs.evaluate(`(progn (defvar asked nil) ${there} (push (file-exists-p "slow.ts") asked))`);
      await bench.emacs.until("(cdr asked)");
      expect(await bench.emacs.evaluate("asked")).toBe("(t nil)");
      await bench.emacs.evaluate("(advice-remove 'tramp-send-command 'slow-answer)");
    });

    // Which client it is, a logic test asks everywhere.
    if (runsAll) {
      it("has Eglot hold the connection beside lsp-mode", async () => {
        bench = await Workbench.start({ ...editor, connection: "lsp-mode" }, listBuffers, { far: true });
        await bench.ask("What is open?", "-- done");
        expect(await bench.emacs.evaluate("(type-of (car agentq--servers))")).toBe("agentq-server");
        expect(modelWords(bench.model.requests.at(-1))).toContain("src/allocate.ts (");
      });
    }

    itAtLength(
      "awaits a server that Eglot itself starts there for a buffer, and applies what the server proposes",
      async () => {
        const asServer = `(progn ${slowShell}
        (define-derived-mode typescript-mode prog-mode "TS")
        (add-to-list 'auto-mode-alist '("[.]ts\\\\'" . typescript-mode))
        (setq project-vc-extra-root-markers '("tsconfig.json")
              eglot-server-programs \`(((typescript-mode :language-id "typescript") agentq-server ,@agentq-program))))`;
        bench = await Workbench.start(editor, proposeFix, { far: true, setup: asServer });
        await bench.command("eglot");
        await bench.emacs.until(`(with-current-buffer "allocate.ts" (eglot-managed-p))`);
        await bench.ask(FIX, PROPOSED);
        expect(await bench.emacs.evaluate("(length agentq--servers)")).toBe("1");
        await bench.review("+  const shares");
        bench.emacs.type("A");
        await bench.untilFile("src/allocate.ts", (text) => text.includes("Math.floor"));
      },
    );

    it("goes on after the line broke in the middle of a turn, with what was not decided", async () => {
      bench = await Workbench.start(editor, proposeFix, far);
      await bench.ask(FIX, PROPOSED);
      await bench.review("+  const shares");
      bench.emacs.type("a");
      await bench.untilFile("src/allocate.ts", (text) => text.includes("Math.floor"));
      await bench.emacs.untilText(reviewBuffer, "[accepted]");
      // The program on this machine through which TRAMP reaches the other one.
      await bench.emacs.evaluate(`(signal-process (process-id (jsonrpc--process (car agentq--servers))) 'SIGKILL)`);
      await bench.emacs.untilText(chatBuffer, "The server ended.");
      await bench.command("agentq");
      await bench.emacs.until("(agentq-pending-proposals (car agentq--servers))");
      await bench.review("-  const weights");
      bench.emacs.type("A");
      // An editor empties a file before it writes the new text.
      await bench.untilFile("src/allocate.ts", (text) => text !== "" && !text.includes("weights.push(1)"));
      expect(await bench.file("src/allocate.ts")).toContain("Math.floor");
    });
  });
});
