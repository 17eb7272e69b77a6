import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, questionBuffer, reviewBuffer, Workbench } from "../workbench.ts";

const FIX = "Refunds lose a cent: find the bug and fix it.";
const PROPOSED = "waits for you";

export function conversationTests(editor: Emacs): void {
  let bench: Workbench;

  const lastLineIsSeen = `(progn (redisplay t)
    (let ((window (get-buffer-window ${JSON.stringify(chatBuffer)})))
      (with-current-buffer (window-buffer window) (pos-visible-in-window-p (point-max) window))))`;

  it("shows the end of the conversation through calls, a review and later prompts", async () => {
    bench = await Workbench.start(editor, demo, { size: [24, 80] });
    await bench.command("agentq");
    await bench.emacs.until(`(equal (buffer-name (window-buffer)) ${JSON.stringify(chatBuffer)})`);
    bench.emacs.type(`${FIX}\r`);
    await bench.emacs.untilText(chatBuffer, PROPOSED);
    await bench.emacs.until(lastLineIsSeen);
    bench.emacs.type("\u0003\u0016");
    await bench.emacs.untilText(reviewBuffer, "+  const shares");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    bench.emacs.type("q");
    await bench.emacs.until(lastLineIsSeen);
    await bench.emacs.evaluate(`(progn (select-window (get-buffer-window "allocate.ts")) t)`);
    await bench.ask("Tell me what you know.", "> Tell me what you know.");
    await poll(async () => (await bench.emacs.text(chatBuffer)).split("-- done").length === 3, "the second answer");
    expect(await bench.emacs.evaluate(lastLineIsSeen)).toBe("t");
  });

  it("withdraws a proposal whose server ended", async () => {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    await bench.command("agentq-shutdown");
    await bench.press("y");
    const transcript = await bench.emacs.untilText(chatBuffer, "The server ended");
    expect(transcript).not.toContain(PROPOSED);
    await bench.emacs.until("(null agentq--servers)");
    bench.emacs.type("a");
    await bench.emacs.untilText("*Messages*", "No Agent-Q server runs here; M-x agentq starts one");
  });

  it("tells the model the line of point and not the whole file, and the transcript what went along", async () => {
    bench = await Workbench.start(editor, demo);
    bench.emacs.type("\u001bg\u001bg14\r");
    const shown = await bench.ask("Hello?", "  (with ");
    expect(shown).toMatch(/\n> Hello\?\n {2}\(with src\/allocate\.ts:14; in view: lines 1-\d\d\)\n/);
    await poll(() => Promise.resolve(bench.model.requests.length > 0), "the prompt at the model");
    const told = JSON.stringify(bench.model.requests[0]?.messages);
    expect(told).toMatch(/src\/allocate\.ts:14(-14)?\\n```\\n {2}const shares = weights\.map\(/);
    expect(told).not.toContain("splitEvenly");
  });

  it("asks whether the agent follows the project's instructions, shows them, and remembers a yes for good", async () => {
    bench = await Workbench.start(editor, demo);
    await writeFile(join(bench.project, "AGENTS.md"), "Use tabs.\n\nNever touch src/tax.ts.\n");
    await bench.ask("Hello?", "> Hello?");
    await bench.emacs.until("(= 1 (length (agentq-server-approvals (car agentq--servers))))");
    await bench.emacs.untilText("*Messages*", "Agent-Q asks: Shall the agent follow AGENTS.md?");
    await bench.command("agentq-approve");
    const shown = await bench.emacs.untilText(questionBuffer, "Shall the agent follow AGENTS.md?");
    expect(shown).toContain("path: AGENTS.md\n");
    expect(shown).toContain("text:\n  | Use tabs.\n  | \n  | Never touch src/tax.ts.\n");
    expect(shown).toContain("Risk: Whoever can change the file");
    bench.emacs.type("w");
    await bench.emacs.untilText(chatBuffer, "The agent follows AGENTS.md.");
    await poll(() => Promise.resolve(bench.model.requests.length > 0), "the prompt at the model");
    expect(JSON.stringify(bench.model.requests[0]?.messages)).toContain("who trusts AGENTS.md:\\n```\\nUse tabs.");
    await bench.command("agentq-remembered");
    await bench.untilAsked();
    bench.emacs.type("\t\r");
    await bench.emacs.untilText("*Messages*", "Agent-Q asks again about this call of follow-instructions");
  });

  it("asks before the transcript of a conversation is killed", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.ask("Hello?", "-- done");
    await bench.command("kill-buffer");
    await bench.untilAsked();
    bench.emacs.type(`${chatBuffer}\r`);
    await bench.emacs.until(
      `(and (active-minibuffer-window) (with-selected-window (active-minibuffer-window) (string-search "transcript" (minibuffer-prompt))))`,
    );
    await bench.answer("no");
    expect(await bench.emacs.text(chatBuffer)).toContain("> Hello?");
  });

  it("starts no server for a command that has nothing to start one for", async () => {
    bench = await Workbench.start(editor, demo, { isAlone: true });
    await bench.command("agentq-cancel");
    await bench.emacs.untilText("*Messages*", "No Agent-Q server runs here; M-x agentq starts one");
    await bench.emacs.evaluate(`(progn (switch-to-buffer "*scratch*") (cd "/") t)`);
    await bench.command("agentq");
    await bench.press("n");
    await bench.emacs.untilText("*Messages*", "Agent-Q was not started");
    expect(await bench.emacs.evaluate("agentq--servers")).toBe("nil");
  });
}
