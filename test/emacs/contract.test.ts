/**
 * What the client must be able to do in every Emacs that it is made for, however few versions the other tests run in. In the first test
 * Emacs starts the server itself.
 */
import { expect, it } from "vitest";
import { demo } from "../../examples/demo/scripts/demo.ts";
import { describeContractOfConnections } from "./describe-emacs.ts";
import { chatBuffer, replBuffer, reviewBuffer, waiting, Workbench } from "./workbench.ts";
import { levelHere } from "../support/level.ts";

const FIX = "Refunds lose a cent: find the bug and fix it.";
const PROPOSED = "waits for you";

describeContractOfConnections((editor) => {
  let bench: Workbench;

  it("applies an accepted hunk, tells the model why another was rejected, and creates a file", async () => {
    bench = await Workbench.start(editor, demo, { startsServer: true });
    const before = await bench.file("src/allocate.ts");
    const fixed = before.replace("Math.trunc", "Math.floor");

    const transcript = await bench.ask(FIX, PROPOSED);
    expect(transcript).toContain(`> ${FIX}\n`);
    expect(transcript).toMatch(/^\+ describe_symbol allocate .* [\d.]+ m?s => src\/allocate\.ts#allocate /m);
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

    await bench.ask("Create a test for refunds.", "Create test/refund.test.ts (1 hunk)  waits for you");
    await bench.review("--- /dev/null");
    bench.emacs.type("a");
    await bench.untilFile("test/refund.test.ts", (text) => text.includes("shares of money given back"));
    await bench.emacs.untilText(chatBuffer, "The test is in `test/refund.test.ts`");
    expect(bench.model.mismatches).toEqual([]);
  });

  it("evaluates and interrupts, shows the server's status, and goes on after a reconnection", async () => {
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
    await bench.ask("Create a test for refunds.", "Create test/refund.test.ts (1 hunk)  waits for you");
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
  });
});
