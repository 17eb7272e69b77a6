/** What the client must be able to do in every Emacs that it is made for, however few versions the other tests run in. */
import { expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { demo } from "../../examples/demo/scripts/demo.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { describeContractOfConnections } from "./describe-emacs.ts";
import { chatBuffer, questionBuffer, replBuffer, reviewBuffer, waiting, Workbench } from "./workbench.ts";
import { levelHere } from "../support/level.ts";

const FIX = "Refunds lose a cent: find the bug and fix it.";
const PROPOSED = "waits for you";

const long = scriptOf("long", "evaluate, then answer", [
  reply(call("eval_form", { form: "await new Promise((go) => { globalThis.go = go; })" })),
  reply("That is all."),
]);

describeContractOfConnections((editor) => {
  let bench: Workbench;

  async function evaluate(code: string, shown: string): Promise<void> {
    await bench.command("agentq-eval", code);
    await bench.emacs.untilText(replBuffer, shown);
  }

  it("applies an accepted hunk, tells the model why another was rejected, and creates a file", async () => {
    bench = await Workbench.start(editor, demo);
    const before = await bench.file("src/allocate.ts");
    const fixed = before.replace("Math.trunc", "Math.floor");

    const transcript = await bench.ask(FIX, PROPOSED);
    expect(transcript).toContain(`> ${FIX}\n`);
    expect(transcript).toMatch(/^\+ describe_symbol symbol=allocate .* \d+ ms => src\/allocate\.ts#allocate /m);
    const shown = await bench.review("+  const shares");
    expect(shown).toContain("\n--- a/src/allocate.ts\n+++ b/src/allocate.ts\n@@ -11,7 +11,7 @@");
    expect(await bench.file("src/allocate.ts")).toBe(before);

    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await bench.untilFile("src/allocate.ts", (text) => text === fixed);
    expect(await bench.emacs.text("allocate.ts")).toBe(fixed);

    bench.emacs.type("r");
    await bench.answer("keep the loop");
    const answer = await bench.emacs.untilText(chatBuffer, "-- done");
    expect(answer).toContain("Fixed: the refund now adds up to −10.00 EUR.");
    expect(answer).toContain(`NOT applied, the person rejected it: "keep the loop"`);
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain(
      String.raw`NOT applied, the person rejected it: \"keep the loop\"`,
    );
    expect(await bench.file("src/allocate.ts")).toBe(fixed);

    await bench.emacs.evaluate(`(with-current-buffer "allocate.ts" (let ((last-command nil)) (undo)) nil)`);
    expect(await bench.emacs.text("allocate.ts")).toBe(before);

    await bench.ask("Create a test for refunds.", "Proposal: Create test/refund.test.ts");
    await bench.review("--- /dev/null");
    bench.emacs.type("a");
    await bench.untilFile("test/refund.test.ts", (text) => text.includes("shares of money given back"));
    await bench.emacs.untilText(chatBuffer, "The test is in `test/refund.test.ts`");
    expect(bench.model.mismatches).toEqual([]);
  });

  it("applies a hunk with the user's own text, and tells the model that text", async () => {
    bench = await Workbench.start(editor, proposeFix);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    bench.emacs.type("e");
    await bench.emacs.until(`(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`);
    bench.emacs.type("\u0005 // by hand\u0003\u0003");
    await bench.emacs.untilText(reviewBuffer, "[edited]");
    await bench.emacs
      .until(`(equal (buffer-name (window-buffer)) ${JSON.stringify(reviewBuffer)})`)
      .catch(async (error: unknown) => {
        const seen = `(list (mapcar (lambda (w) (buffer-name (window-buffer w))) (window-list)) (minibuffer-prompt))`;
        throw new Error(`the windows are ${await bench.emacs.evaluate(seen)}`, { cause: error });
      });
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    const line = "Math.floor((total.cents * weight) / whole)); // by hand";
    expect(await bench.file("src/allocate.ts")).toBe(
      before.replace("Math.trunc((total.cents * weight) / whole));", line),
    );
    const told = JSON.stringify(bench.model.requests.at(-1));
    expect(told).toContain("applied with the person's own text");
    expect(told).toContain(line);
  });

  it("keeps unsaved text: edits around it are not saved, edits over it are conflicts", async () => {
    bench = await Workbench.start(editor, proposeFix);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    await bench.emacs.evaluate(
      `(with-current-buffer "allocate.ts" (goto-char (point-min)) (insert "// mine\\n") (search-forward "const weights") (replace-match "const mine") nil)`,
    );
    await bench.review("+  const shares");
    bench.emacs.type("A");
    await bench.emacs.untilText(reviewBuffer, "allocate.ts:15 [accepted]");
    await bench.emacs.until(
      `(string-match-p "[[]conflict[]]" (with-current-buffer "${reviewBuffer}" (buffer-string)))`,
    );
    expect(await bench.emacs.text(reviewBuffer)).toMatch(/allocate\.ts:43 \[conflict\] these lines changed since/);
    bench.emacs.type("r");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    const text = await bench.emacs.text("allocate.ts");
    expect(text).toBe(`// mine\n${before.replace("const weights", "const mine").replace("Math.trunc", "Math.floor")}`);
    expect(await bench.file("src/allocate.ts")).toBe(before);
    expect(await bench.emacs.evaluate(`(buffer-modified-p (get-buffer "allocate.ts"))`)).toBe("t");
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain("NOT applied: the document changed at that place");
  });

  it("evaluates in the REPL and interrupts an endless loop", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.command("agentq-eval", "const kept = 20 + 1");
    await bench.emacs.untilText(replBuffer, "> const kept = 20 + 1\n");
    await bench.command("agentq-eval", "kept * 2");
    await bench.emacs.untilText(replBuffer, "= 42 : number");
    await bench.command("agentq-eval", "while (true) {}");
    await bench.emacs.untilText(replBuffer, "> while (true) {}\n");
    await bench.command("agentq-interrupt");
    await bench.emacs.untilText(replBuffer, "Interrupted: Stopped on request");
    await bench.command("agentq-eval", "kept * 4");
    await bench.emacs.untilText(replBuffer, "= 84 : number");
    await bench.command("agentq-eval", "null!.x");
    await bench.emacs.untilText(replBuffer, "TypeError: ");
  });

  it("runs a dangerous call only when it was allowed", async () => {
    const script = scriptOf("dangerous", "evaluate something", [
      reply(call("eval_form", { form: "globalThis.made = 6 * 7" })),
      (turn) => reply(`The answer is: ${turn.result("eval_form").text}`),
    ]);
    bench = await Workbench.start(editor, script, {
      setup: `(setq agentq-program (append agentq-program '(:initializationOptions (:repl (:confinement "openWithoutAsking")))))`,
    });
    await bench.ask("How much is it?", "waits for you");
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "form: globalThis.made = 6 * 7");
    bench.emacs.type("4");
    await bench.answer("not today");
    const denied = await bench.emacs.untilText(chatBuffer, "-- done");
    expect(denied).toContain("not today");
    expect(denied).not.toContain("42");

    await bench.command("agentq-prompt", "And now?");
    await bench.emacs.until(`(> ${waiting} 0)`);
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "form: globalThis.made = 6 * 7");
    bench.emacs.type("2");
    await bench.emacs.untilText(chatBuffer, "The answer is: 42");
    expect(await bench.emacs.evaluate(waiting)).toBe("0");

    await bench.command("agentq-prompt", "Once more?");
    await bench.emacs.until(
      `(= 2 (with-current-buffer ${JSON.stringify(chatBuffer)} (count-matches "The answer is: 42" (point-min))))`,
    );
  });

  it("runs a call unasked that is approved for the project, until that is taken back, and counts the calls", async () => {
    const script = scriptOf("dangerous", "evaluate something", [
      reply(call("eval_form", { form: "globalThis.made = 6 * 7" })),
      (turn) => reply(`The answer is: ${turn.result("eval_form").text}`),
    ]);
    const answers = (count: number): string =>
      `(= ${count} (with-current-buffer ${JSON.stringify(chatBuffer)} (count-matches "The answer is: 42" (point-min))))`;
    bench = await Workbench.start(editor, script, {
      setup: `(setq agentq-program (append agentq-program '(:initializationOptions (:repl (:confinement "openWithoutAsking")))))`,
    });
    await bench.ask("How much is it?", "waits for you");
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "form: globalThis.made = 6 * 7");
    bench.emacs.type("w");
    await bench.emacs.until(answers(1));
    await bench.command("agentq-prompt", "And again?");
    await bench.emacs.until(answers(2));
    await bench.command("agentq-list-tools");
    const tools = await bench.emacs.untilText("*agentq-tools*", "describe_symbol        safe       introspection");
    expect(tools).toMatch(/^write_file +dangerous +for programs; models are not told of it$/m);
    await bench.command("agentq-metrics");
    const table = await bench.emacs.untilText("*agentq-metrics*", "eval_form");
    expect(table).toMatch(/^eval_form +2 +0 +0 +[\d.]+ m?s +[\d.]+ m?s +\d+ ch$/m);
    await bench.command("agentq-remembered");
    await bench.answer("1\t");
    await bench.command("agentq-prompt", "And now?");
    await bench.emacs.until(`(> ${waiting} 0)`);
  });

  it("shows the server's status, and goes on after a reconnection", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.connect();
    await bench.command("agentq-status");
    const status = await bench.emacs.untilText("*agentq-status*", "Waiting     0 proposals");
    expect(status).toMatch(/^TypeScript {2}7\./m);
    expect(status).toMatch(/^Model .* at http:.*, ready$/m);
    const running = '(list :background [(:id "b1" :command "npm run dev" :startedAt "")])';
    const asked = "(agentq-test-driver-ask :agentq/status)";
    expect(await bench.emacs.evaluate(`(agentq-status--text (append ${running} ${asked}))`)).toContain(
      "Background  b1: npm run dev",
    );
    expect(status).toMatch(
      levelHere === "walled" ? /^Level {7}walled: Evaluations, tests and commands/m : /^Level {7}limited: /m,
    );
    const limited = '(list :wall (list :level "limited" :detail "A seat belt." :missing "Install bubblewrap."))';
    expect(await bench.emacs.evaluate(`(agentq-status--text (append ${limited} ${asked}))`)).toMatch(
      /Level {7}limited: A seat belt\.\n {12}Install bubblewrap\./,
    );
    const short = (state: string): Promise<string> =>
      bench.emacs.evaluate(
        `(cl-letf (((symbol-function 'agentq-server-repl) (lambda (_) '(${state})))) (agentq-repl-state-short nil))`,
      );
    expect(await short(':state "idle" :pid 1 :level "limited"')).toBe('"limited"');
    expect(await short(':state "idle" :pid 1 :level "walled"')).toBe("nil");
    await bench.emacs.evaluate("(agentq-test-driver-reconnect)");
    await bench.ask("Create a test for refunds.", "Proposal: Create test/refund.test.ts");
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
  });

  it("completes the code that is read from the REPL", async () => {
    bench = await Workbench.start(editor, demo);
    await evaluate("const basket = { apples: 2 }; basket", "$1 = { apples: 2 }");
    await bench.command("agentq-eval");
    await bench.untilAsked();
    bench.emacs.type("1 + basket.app\t");
    await bench.emacs.until(
      `(with-selected-window (active-minibuffer-window) (equal (minibuffer-contents) "1 + basket.apples"))`,
    );
    bench.emacs.type("\r");
    await bench.emacs.untilText(replBuffer, "$2 = 3 : number");
  });

  it("shows a prompt that was typed while the agent worked where the model got it", async () => {
    bench = await Workbench.start(editor, long);
    await bench.ask("Begin.", "eval_form");
    await bench.emacs.until(`(equal "busy" (plist-get (agentq-server-repl (car agentq--servers)) :state))`);
    await bench.command("agentq-prompt", "And look at tax.ts.");
    await bench.emacs.untilText("*Messages*", "taken up as soon as the running turn allows");
    await bench.command("agentq-eval", "globalThis.go()");
    const transcript = await bench.emacs.untilText(chatBuffer, "-- done");
    expect(transcript).toMatch(/eval_form[^]*> And look at tax\.ts\.[^]*That is all\./);
  });
});
