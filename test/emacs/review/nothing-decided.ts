/** What decides nothing: a prompt that is quit, a buffer that is killed, a file that is saved or committed. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { call, reply, scriptOf } from "../../../examples/demo/model/script.ts";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, questionBuffer, replBuffer, reviewBuffer, waiting, Workbench, askingForms } from "../workbench.ts";

const FILE = "src/allocate.ts";

const dangerous = scriptOf("dangerous", "evaluates something in a module", [
  reply(call("eval_form", { form: "globalThis.made =\n  6 * 7", path: "src/money.ts" })),
  reply("Understood."),
]);

export function nothingDecidedTests(editor: Emacs): void {
  let bench: Workbench;

  const shows = (name: string): Promise<void> => bench.emacs.until(`(string-prefix-p "${name}" (buffer-name))`);
  const header = `(with-current-buffer "${reviewBuffer}" (substring-no-properties (agentq-review--header)))`;
  const selected = `(buffer-name (window-buffer))`;
  const typed = `(with-selected-window (active-minibuffer-window) (minibuffer-contents-no-properties))`;

  it("leaves every hunk waiting whatever prompt is quit and whatever buffer of the review is killed", async () => {
    bench = await Workbench.start(editor, proposeFix);
    const before = await bench.file(FILE);
    await bench.ask("Fix it", "waits for you");
    const asked = bench.model.requests.length;
    await bench.review("+  const shares");
    for (const key of ["r", "R"]) {
      bench.emacs.type(key);
      await bench.untilAsked();
      bench.emacs.type("because");
      await bench.emacs.until(`(equal ${typed} "because")`);
      await bench.quit();
      // The reason is not lost.
      bench.emacs.type(key);
      await bench.untilAsked();
      bench.emacs.type("\u001bp");
      await bench.emacs.until(`(equal ${typed} "because")`);
      await bench.quit();
    }
    bench.emacs.type("e");
    await shows("*agentq-edit: ");
    bench.emacs.type("mine \u0018k\r");
    await bench.untilAsked();
    await bench.quit();
    await shows("*agentq-edit: ");
    bench.emacs.type("\u0018k\r");
    await bench.answer("yes");
    await bench.emacs.until(`(not (string-prefix-p "*agentq-edit: " ${selected}))`);
    await bench.emacs.evaluate(`(progn (pop-to-buffer "${reviewBuffer}") t)`);
    bench.emacs.type("E");
    await shows("*Ediff Control");
    bench.emacs.type("q");
    await bench.untilAsked();
    await bench.quit();
    bench.emacs.type("q");
    await bench.press("y");
    await shows("*agentq-edit: ");
    bench.emacs.type("\u0003\u000b");
    await bench.emacs.until(`(not (string-prefix-p "*agentq-edit: " ${selected}))`);
    await bench.emacs.evaluate(`(progn (pop-to-buffer "${reviewBuffer}") t)`);
    bench.emacs.type("\u0018k\r");
    await bench.emacs.until(`(null (get-buffer "${reviewBuffer}"))`);
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
    await bench.review("+  const shares");
    expect(await bench.emacs.evaluate(header)).toContain("1 of 2, 2 left");
    expect(await bench.emacs.text("allocate.ts")).toBe(before);
    expect(bench.model.requests).toHaveLength(asked);
  });

  it("accepts a person's own text although the review was killed while it was written", async () => {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask("Fix it", "waits for you");
    await bench.review("+  const shares");
    bench.emacs.type("e");
    await shows("*agentq-edit: ");
    await bench.emacs.evaluate(`(kill-buffer "${reviewBuffer}")`);
    bench.emacs.type("\u0005 // by hand\u0003\u0003");
    await bench.untilFile(FILE, (text) => text.includes("whole)); // by hand\n"));
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
  });

  it("takes neither a file that saves itself nor a commit for an answer", async () => {
    bench = await Workbench.start(editor, proposeFix, {
      variables: { "auto-save-visited-interval": "0.1" },
    });
    await bench.emacs.evaluate("(auto-save-visited-mode)");
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: bench.project,
        encoding: "utf8",
      });
    git("init", "-q");
    await bench.ask("Fix it", "waits for you");
    await bench.review("+  const shares");
    await bench.emacs.evaluate(`(with-current-buffer "allocate.ts" (goto-char (point-max)) (insert "// typed\\n") t)`);
    await bench.untilFile(FILE, (text) => text.includes("// typed"));
    git("add", "-A");
    git("commit", "-qm", "all");
    expect(await bench.file(FILE)).not.toContain("Math.floor");
    expect(await bench.emacs.evaluate(header)).toContain("2 left");
    bench.emacs.type("A");
    await bench.untilFile(FILE, (text) => text.includes("Math.floor") && text.includes("// typed"));
    await bench.emacs.evaluate("(auto-save-visited-mode -1)");
  });

  it("takes no window and no key from who types when the agent proposes or asks", async () => {
    bench = await Workbench.start(editor, proposeFix);
    await bench.emacs.evaluate(`(progn (goto-char (point-max)) t)`);
    await bench.command("agentq-prompt", "Fix it");
    for (const letter of "// typed meanwhile") bench.emacs.type(letter);
    await bench.emacs.untilText(chatBuffer, "waits for you");
    await bench.emacs.until(
      `(string-suffix-p "// typed meanwhile" (with-current-buffer "allocate.ts" (buffer-string)))`,
    );
    expect(await bench.emacs.evaluate(selected)).toBe('"allocate.ts"');
    expect(await bench.emacs.evaluate(`(get-buffer-window "${reviewBuffer}" t)`)).toBe("nil");
  });

  it("leaves a question open whatever prompt is quit and whatever buffer of the question is killed", async () => {
    bench = await Workbench.start(editor, dangerous, { setup: askingForms });
    await bench.ask("How much is it?", "waits for you");
    const asked = bench.model.requests.length;
    await bench.command("agentq-approve");
    await shows(questionBuffer);
    bench.emacs.type("4");
    await bench.untilAsked();
    bench.emacs.type("because");
    await bench.quit();
    // Which of the two arguments?
    bench.emacs.type("e");
    await bench.untilAsked();
    await bench.quit();
    await shows(questionBuffer);
    bench.emacs.type("e");
    await bench.answer("form");
    await shows("*agentq-argument: ");
    bench.emacs.type("1 + \u0003\u000b");
    await bench.untilAsked();
    await bench.quit();
    expect(await bench.emacs.text("*agentq-argument: form*")).toBe("1 + globalThis.made =\n  6 * 7");
    bench.emacs.type("\u0018k\r");
    await bench.answer("yes");
    await bench.emacs.until(`(null (get-buffer "*agentq-argument: form*"))`);
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
    await bench.command("agentq-approve");
    await shows(questionBuffer);
    bench.emacs.type("\u0018k\r");
    await bench.emacs.until(`(null (get-buffer "${questionBuffer}"))`);
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
    expect(bench.model.requests).toHaveLength(asked);
  });

  it("evaluates, opens and stops nothing whatever prompt of the REPL is quit", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.command("agentq-eval", "setInterval(() => {}, 1000); 6 * 7");
    await bench.emacs.untilText(replBuffer, "42");
    for (const [keys, words] of [
      ["\u001bxagentq-eval\r", "globalThis.made = 1"],
      ["\u001bxagentq-inspect\r", "$1"],
      ["\u0015\u001bxagentq-interrupt\r", "all"],
    ] as const) {
      bench.emacs.type(keys);
      await bench.untilAsked();
      bench.emacs.type(words);
      await bench.quit();
    }
    expect(await bench.emacs.evaluate(`(get-buffer "*agentq-inspect: invoices*")`)).toBe("nil");
    await bench.command("agentq-eval", "typeof globalThis.made");
    const log = await bench.emacs.untilText(replBuffer, '= "undefined"');
    expect(log).not.toContain("globalThis.made = 1");
    expect(log).not.toMatch(/ended|stopped/);
  });
}
