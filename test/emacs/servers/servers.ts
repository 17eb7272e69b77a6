import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { itAtLength } from "../../support/extent.ts";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import { lispString } from "../batch.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, questionBuffer, replBuffer, reviewBuffer, waiting, Workbench } from "../workbench.ts";

const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

// The mode of a real installation needs a tree-sitter grammar; the servers only ask for its name.
const typescriptMode = `(progn
  (define-derived-mode typescript-mode prog-mode "TS")
  (add-to-list 'auto-mode-alist '("[.]ts\\\\'" . typescript-mode))
  (add-hook 'typescript-mode-hook #'eglot-ensure))`;

const managed = `(with-current-buffer "allocate.ts" (eglot-managed-p))`;

export function serversTests(editor: Emacs): void {
  let bench: Workbench;

  it("lives beside the TypeScript server that Eglot runs for the same buffer", async () => {
    const command = [process.execPath, compiler, "--lsp", "--stdio"].map(lispString).join(" ");
    bench = await Workbench.start(editor, proposeFix, {
      setup: `(progn ${typescriptMode}
         (setq eglot-server-programs '(((typescript-mode :language-id "typescript") ${command}))))`,
    });
    await bench.emacs.until(managed);
    await bench.ask("Refunds lose a cent: find the bug and fix it.", "waits for you");
    await bench.review("+  const shares");
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await bench.untilFile("src/allocate.ts", (text) => text.includes("Math.floor"));
    bench.emacs.type("r");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");

    const hover = await bench.emacs.evaluate(
      `(with-current-buffer "allocate.ts"
         (goto-char (point-min)) (search-forward "Math.floor")
         (list (object-of-class-p (eglot-current-server) 'agentq-server)
               (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
                                                      (eglot--TextDocumentPositionParams))
                                     :contents)
                          :value)))`,
    );
    expect(hover).toMatch(/^\(nil\s/);
    expect(hover).toContain("floor(x: number): number");
  });

  it("is Eglot's own server of a buffer when the user registers it as that", async () => {
    bench = await Workbench.start(editor, proposeFix, {
      setup: `(progn ${typescriptMode}
         (setq project-vc-extra-root-markers '("tsconfig.json"))
         (setq eglot-server-programs
               \`(((typescript-mode :language-id "typescript") agentq-server ,@agentq-program))))`,
    });
    await bench.emacs.until(managed);
    await bench.ask("Refunds lose a cent: find the bug and fix it.", "waits for you");
    expect(await bench.emacs.evaluate("(length agentq--servers)")).toBe("1");
    await bench.review("+  const shares");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(await bench.file("src/allocate.ts")).toContain("Math.floor");
    expect(await bench.emacs.evaluate(`(buffer-local-value 'agentq-sync-mode (get-buffer "allocate.ts"))`)).toBe("nil");
  });

  it("keeps two projects apart whose folders have the same name", async () => {
    bench = await Workbench.start(editor, demo);
    const other = join(dirname(bench.project), "other", "invoices");
    cpSync(bench.project, other, { recursive: true });
    await bench.command("agentq-eval", '"of the first"');
    await bench.emacs.untilText(replBuffer, "$1 = ");
    await bench.emacs.evaluate(`(progn (find-file ${lispString(join(other, "src/allocate.ts"))}) t)`);
    await bench.command("agentq-eval", '"of the second"');
    const shown = await bench.emacs.untilText(`*agentq-repl: ${other}*`, "$1 = ");
    expect(shown).not.toContain("of the first");
    const first = await bench.emacs.text(replBuffer);
    expect(first).not.toContain("of the second");
    expect(first).not.toContain("values are gone");
    expect(await bench.emacs.evaluate("(length (seq-uniq (mapcar #'jsonrpc-name agentq--servers)))")).toBe("2");
  });

  itAtLength("asks before the REPL runs with full rights, and says what a No means", async () => {
    bench = await Workbench.start(editor, demo, {
      setup: `(setq agentq-program (append agentq-program '(:initializationOptions (:repl (:confinement "open")))))`,
    });
    await bench.command("agentq-eval", "process.platform");
    await bench.emacs.untilText(replBuffer, "Run the REPL open, with all of your rights?");
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "start programs and use the network");
    bench.emacs.type("4");
    await bench.answer("not today");
    await bench.emacs.untilText(replBuffer, "who answered No (“not today”)");

    await bench.command("agentq-restart-repl");
    await bench.emacs.until(`(= ${waiting} 1)`);
    await bench.command("agentq-status");
    await bench.emacs.untilText("*agentq-status*", "it waits for the answer whether it may.");
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "until the server ends");
    bench.emacs.type("1");
    await bench.emacs.until(`(= ${waiting} 0)`);
    await bench.command("agentq-eval", `require("node:fs").writeFileSync("made.txt", "x"), 6 * 7`);
    await bench.emacs.untilText(replBuffer, "42 : number");
  });
}
