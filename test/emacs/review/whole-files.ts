import { existsSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { itAtLength } from "../../support/extent.ts";
import { editMany } from "../../support/edit-many.ts";
import { leaveEntries } from "../../support/leave-entries.ts";
import { describeWalled } from "../../support/wall.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, reviewBuffer, Workbench } from "../workbench.ts";

export function wholeFilesTests(editor: Emacs): void {
  let bench: Workbench;
  const stands = (file: string): boolean => existsSync(join(bench.project, file));
  const told = (): string => JSON.stringify(bench.model.requests.at(-1));
  const goTo = (title: string): Promise<string> =>
    bench.emacs.evaluate(
      `(with-selected-window (get-buffer-window "${reviewBuffer}") (goto-char (point-min)) (search-forward "@@ ${title}"))`,
    );

  it("moves a file with its buffer, creates one and deletes another", async () => {
    bench = await Workbench.start(editor, editMany);
    await bench.emacs.evaluate(`(find-file-noselect "${join(bench.project, "src/money.ts")}")`);
    await bench.ask("Tidy up", "waits for you");
    const shown = await bench.review("move src/money.ts → src/cash/money.ts");
    expect(shown).toMatch(
      /--- a\/src\/credit-note\.ts\n\+\+\+ \/dev\/null\n@@ .* delete src\/credit-note\.ts\n-import/,
    );
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect([stands("src/money.ts"), stands("src/credit-note.ts")]).toEqual([false, false]);
    expect(await bench.file("src/rounding/modes.ts")).toContain("half-even");
    expect(await bench.file("src/cash/money.ts")).toMatch(/\/\/ Money moved\.\n$/);
    expect(await bench.file("src/allocate.ts")).toContain('"./cash/money.ts"');
    expect(await bench.emacs.evaluate(`(buffer-file-name (get-buffer "money.ts"))`)).toContain("src/cash/money.ts");
    expect(told()).toContain("src/cash/money.ts: moved from src/money.ts.");
    expect(told()).toContain("src/credit-note.ts: deleted.");
  });

  it("leaves a file where it is when only its move is rejected", async () => {
    bench = await Workbench.start(editor, editMany);
    await bench.ask("Tidy up", "waits for you");
    await bench.review("move src/money.ts");
    await goTo("move src/money.ts");
    bench.emacs.type("r");
    await bench.answer("it stays");
    await bench.emacs.untilText(reviewBuffer, "[rejected]");
    await goTo("delete src/credit-note.ts");
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "delete src/credit-note.ts [accepted]");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect([stands("src/cash/money.ts"), stands("src/credit-note.ts")]).toEqual([false, false]);
    expect(await bench.file("src/money.ts")).toMatch(/\/\/ Money moved\.\n$/);
    expect(told()).toContain("PARTIALLY APPLIED: 15 of 16 hunks.");
    expect(told()).toContain("it stays");
  });

  itAtLength("takes an applied proposal back, and shows it as a patch", async () => {
    // With others there, it is asked which one is meant.
    bench = await Workbench.start(editor, editMany, { isAlone: true });
    const before = await bench.file("src/money.ts");
    await bench.ask("Tidy up", "waits for you");
    await bench.review("move src/money.ts");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    await bench.command("agentq-proposal-patch");
    await bench.emacs.untilText("*agentq-patch: invoices*", "rename to src/cash/money.ts");
    await bench.command("agentq-undo-proposal");
    await bench.emacs.untilText(chatBuffer, "Proposal: Undo: ");
    await bench.review("move src/cash/money.ts → src/money.ts");
    bench.emacs.type("A");
    await vi.waitUntil(
      () => stands("src/money.ts") && stands("src/credit-note.ts") && !stands("src/rounding/modes.ts"),
      {
        timeout: 40_000,
      },
    );
    expect(await bench.file("src/money.ts")).toBe(before);
    expect(stands("src/cash/money.ts")).toBe(false);
  });

  describeWalled("a command that leaves more than text", () => {
    it("shows each item by its words, and puts there what is accepted", async () => {
      bench = await Workbench.start(editor, leaveEntries);
      await bench.ask("Go", "waits for you");
      const shown = await bench.review("create taxes (link to src/tax.ts)");
      expect(shown).toMatch(/@@ .* create go\.sh \(text, 18 bytes, executable\)\n\+#!\/bin\/sh\n\+echo go/);
      expect(shown).toContain("src/tax.ts becomes executable");
      await goTo("create logo.bin (binary, 3 bytes)");
      bench.emacs.type("r");
      await bench.answer("no bytes");
      await bench.emacs.untilText(reviewBuffer, "[rejected]");
      bench.emacs.type("A");
      await bench.emacs.untilText(chatBuffer, "-- done");
      expect([stands("logo.bin"), readlinkSync(join(bench.project, "taxes"))]).toEqual([false, "src/tax.ts"]);
      expect(statSync(join(bench.project, "src/tax.ts")).mode & 0o777).toBe(0o755);
      expect(statSync(join(bench.project, "go.sh")).mode & 0o777).toBe(0o755);
      expect(await bench.file("src/money.ts")).toMatch(/\/\/ end\n$/);
      expect(told()).toContain("NOT applied, the person rejected it");
    });
  });
}
