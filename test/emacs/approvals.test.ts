import { expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEmacs } from "./describe-emacs.ts";
import { chatBuffer, questionBuffer, Workbench } from "./workbench.ts";

const script = scriptOf("dangerous", "evaluates something", [
  reply(call("eval_form", { form: "globalThis.made =\n  6 * 7" })),
  (turn) => reply(`The answer is: ${turn.result("eval_form").text}`),
]);

describeEachEmacs((editor) => {
  let bench: Workbench;

  it("leaves a call open whatever is quit, and runs it with the arguments that the person wrote", async () => {
    bench = await Workbench.start(editor, script, {
      setup: `(setq agentq-program (append agentq-program '(:initializationOptions (:repl (:confinement "openWithoutAsking")))))`,
    });
    await bench.ask("How much is it?", "waits for you");
    expect(await bench.emacs.evaluate("(buffer-name)")).toBe('"allocate.ts"');
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "form:\n  | globalThis.made =\n  |   6 * 7\n");
    bench.emacs.type("4");
    await bench.untilAsked();
    await bench.quit();
    bench.emacs.type("e");
    await bench.emacs.until(`(equal (buffer-name) "*agentq-argument: form*")`);
    bench.emacs.type("1 + \u0003\u000b");
    await bench.press("y");
    await bench.emacs.until(`(equal (buffer-name) "${questionBuffer}")`);
    bench.emacs.type("q");
    await bench.emacs.until(`(equal (buffer-name) "allocate.ts")`);
    expect(await bench.emacs.evaluate("(length (agentq-server-approvals (car agentq--servers)))")).toBe("1");
    await bench.command("agentq-approve");
    await bench.emacs.until(`(equal (buffer-name) "${questionBuffer}")`);
    bench.emacs.type("e");
    await bench.emacs.until(`(equal (buffer-name) "*agentq-argument: form*")`);
    bench.emacs.type("\u001b>+ 1\u0003\u0003");
    const shown = await bench.emacs.untilText(chatBuffer, "The answer is: ");
    expect(shown).toContain("43");
    await bench.emacs.until(`(equal (buffer-name) "allocate.ts")`);
  });
});
