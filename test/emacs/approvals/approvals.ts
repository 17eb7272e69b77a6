import { expect, it } from "vitest";
import { call, reply, scriptOf, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { askingForms, chatBuffer, questionBuffer, waiting, Workbench } from "../workbench.ts";

const evaluating = (form: string): Script =>
  scriptOf("dangerous", "evaluates something", [
    reply(call("eval_form", { form })),
    (turn) => reply(`The answer is: ${turn.result("eval_form").text}`),
  ]);

export function approvalsTests(editor: Emacs): void {
  let bench: Workbench;

  it("leaves a call open whatever is quit, and runs it with the arguments that the person wrote", async () => {
    bench = await Workbench.start(editor, evaluating("globalThis.made =\n  6 * 7"), { setup: askingForms });
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

  it("runs a dangerous call only when it was allowed", async () => {
    bench = await Workbench.start(editor, evaluating("globalThis.allowed = 6 * 7"), { setup: askingForms });
    await bench.ask("How much is it?", "waits for you");
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "form: globalThis.allowed = 6 * 7");
    bench.emacs.type("4");
    await bench.answer("not today");
    const denied = await bench.emacs.untilText(chatBuffer, "-- done");
    expect(denied).toContain("not today");
    expect(denied).not.toContain("42");

    await bench.command("agentq-prompt", "And now?");
    await bench.emacs.until(`(> ${waiting} 0)`);
    await bench.command("agentq-approve");
    await bench.emacs.untilText(questionBuffer, "form: globalThis.allowed = 6 * 7");
    bench.emacs.type("2");
    await bench.emacs.untilText(chatBuffer, "The answer is: 42");
    expect(await bench.emacs.evaluate(waiting)).toBe("0");

    await bench.command("agentq-prompt", "Once more?");
    await bench.emacs.until(
      `(= 2 (with-current-buffer ${JSON.stringify(chatBuffer)} (count-matches "The answer is: 42" (point-min))))`,
    );
  });

  it("runs a call unasked that is approved for the project, until that is taken back, and counts the calls", async () => {
    const answers = (count: number): string =>
      `(= ${count} (with-current-buffer ${JSON.stringify(chatBuffer)} (count-matches "The answer is: 42" (point-min))))`;
    bench = await Workbench.start(editor, evaluating("globalThis.made = 6 * 7"), { setup: askingForms, isAlone: true });
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
}
