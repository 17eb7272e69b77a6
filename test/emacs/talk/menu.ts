/** The menu: its keys, and the state that the menu shows. */
import { expect, it } from "vitest";
import type { Emacs } from "../connections.ts";
import { reviewBuffer, Workbench } from "../workbench.ts";

const MENU = " *transient*";

export function menuTests(editor: Emacs): void {
  let bench: Workbench;

  it("shows what waits, and opens the review by one key, on a small terminal", async () => {
    bench = await Workbench.replay(editor, "fix-proposed", { size: [24, 80] });
    expect(await bench.emacs.evaluate("(featurep 'transient)")).toBe("nil");
    await bench.command("agentq-menu");
    const before = await bench.emacs.untilText(MENU, "shut down");
    expect(before).toContain("Agent-Q, no server runs here");
    expect(Math.max(...before.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    bench.emacs.type("v");
    await bench.emacs.untilText("*Messages*", "Inapt command: ");
    await bench.quitUntil('(not (get-buffer-window " *transient*"))');
    await bench.ask("Refunds lose a cent: find the bug and fix it.", "waits for you");
    await bench.command("agentq-menu");
    const shown = await bench.emacs.untilText(MENU, "review [1]");
    expect(shown).toContain("a turn runs");
    expect(shown).toContain("1 decision waits for you");
    bench.emacs.type("v");
    await bench.emacs.until(`(equal (window-buffer) (get-buffer ${JSON.stringify(reviewBuffer)}))`);
    await bench.emacs.untilText(reviewBuffer, "+  const shares");
  });
}
