import { expect, it } from "vitest";
import type { Emacs } from "../connections.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, reviewBuffer, waiting, Workbench } from "../workbench.ts";

const FIX = "Refunds lose a cent: find the bug and fix it.";
const PROPOSED = "waits for you";

export function turnTests(editor: Emacs): void {
  let bench: Workbench;

  it("leaves a proposal pending when a question is quit and when its buffer is killed", async () => {
    bench = await Workbench.replay(editor, "fix-proposed");
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    const held = await bench.emacs.evaluate("(eieio-object-class-name (car agentq--servers))");
    expect(held).toBe(editor.connection === "eglot" ? "agentq-server" : "agentq-lsp-mode-server");
    await bench.review("+  const shares");

    bench.emacs.type("r");
    await bench.untilAsked();
    await bench.quit();
    bench.emacs.type("q");
    await bench.emacs.until(`(not (equal (buffer-name (window-buffer)) ${JSON.stringify(reviewBuffer)}))`);
    await bench.emacs.evaluate(`(kill-buffer ${JSON.stringify(reviewBuffer)})`);

    expect(await bench.emacs.evaluate(waiting)).toBe("1");
    const modeLine = `(with-current-buffer "allocate.ts" (substring-no-properties (agentq-status--mode-line)))`;
    expect(await bench.emacs.evaluate(modeLine)).toBe('" AgentQ*[1]"');
    expect(await bench.review("+  const shares")).not.toMatch(/\[(accepted|rejected|deciding)\]/);
    expect(await bench.file("src/allocate.ts")).toBe(before);
  });

  it("stops a turn and withdraws what it proposed", async () => {
    bench = await Workbench.start(editor, proposeFix);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    await bench.command("agentq-cancel");
    await bench.emacs.untilText(chatBuffer, "-- cancelled");
    expect(await bench.emacs.evaluate(waiting)).toBe("0");
    expect(await bench.file("src/allocate.ts")).toBe(before);
    await bench.ask("And now?", "> And now?");
    await poll(
      () => Promise.resolve(JSON.stringify(bench.model.requests.at(-1)).includes("And now?")),
      "the next prompt at the model",
    );
  });
}
