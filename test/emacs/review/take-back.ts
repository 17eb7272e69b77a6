/** A decision about a hunk is taken back in the review. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { blocksOf, textOf } from "../../../examples/demo/model/request-body.ts";
import { call, reply, scriptOf } from "../../../examples/demo/model/script.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, reviewBuffer, waiting, Workbench } from "../workbench.ts";

const FILE = "src/allocate.ts";

/** Proposes a new file. */
const proposeFile = scriptOf("propose-file", "propose a new file", [
  reply(
    call("propose_edits", {
      description: "A fresh file",
      edits: [{ op: "create", path: "src/fresh.ts", modified: "export const fresh = 1;\n" }],
    }),
  ),
  reply("Understood."),
]);

export function takeBackTests(editor: Emacs): void {
  let bench: Workbench;

  async function withReview(): Promise<void> {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask("Fix it.", "waits for you");
    await bench.review("+  const shares");
  }

  const told = (): string =>
    textOf(
      (bench.model.requests.at(-1)?.messages ?? [])
        .flatMap(blocksOf)
        .findLast((block) => block.type === "tool_result")?.["content"],
    );

  it("takes an accepted hunk out of its file by u, keeps what was typed since, and the model hears of that", async () => {
    await withReview();
    const before = await bench.file(FILE);
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await bench.untilFile(FILE, (text) => text.includes("Math.floor"));
    await bench.emacs.until("(null agentq-decide--queue)");
    await bench.emacs.evaluate(
      `(with-current-buffer "allocate.ts" (goto-char (point-min)) (insert "// mine\\n") (save-buffer) t)`,
    );
    bench.emacs.type("pu");
    await bench.emacs.untilText(reviewBuffer, "[taken back]");
    await bench.untilFile(FILE, (text) => text === `// mine\n${before}`);
    expect(await bench.emacs.text("allocate.ts")).toBe(`// mine\n${before}`);
    await bench.emacs.until("(null agentq-decide--queue)");
    bench.emacs.type("u");
    await bench.emacs.untilText("*Messages*", "This decision is taken back already");
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(told()).toContain("undone");
  });

  it("counts a hunk that is taken back as applied no more, in the review and in the transcript", async () => {
    await withReview();
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(await bench.emacs.text(chatBuffer)).toContain("APPLIED: all 2 of 2 hunks.\n");
    await bench.emacs.until(`(equal (window-buffer) (get-buffer ${JSON.stringify(reviewBuffer)}))`);
    bench.emacs.type("u");
    const words = "1 of 2 hunks applied, 1 taken back";
    const shown = await bench.emacs.untilText(reviewBuffer, `(Decided: ${words})\n`);
    expect(shown.match(/\[(accepted|taken back)\]/g)).toEqual(["[taken back]", "[accepted]"]);
    const chat = await bench.emacs.untilText(chatBuffer, `  Now: ${words}.\n`);
    // Nobody has to review what the key has decided already.
    expect(chat).not.toContain("Proposal: Undo");
    expect(await bench.emacs.text("*Messages*")).not.toContain("which stands in the review");
  });

  it("takes an accepted hunk back by one undo in its file, and the model hears that it is not applied any more", async () => {
    await withReview();
    const before = await bench.file(FILE);
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await bench.untilFile(FILE, (text) => text.includes("Math.floor"));
    await bench.emacs.until("(null agentq-decide--queue)");
    await bench.emacs.evaluate(`(progn (pop-to-buffer "allocate.ts") t)`);
    bench.emacs.type("\u001f");
    await bench.emacs.until(`(not (string-search "Math.floor" (with-current-buffer "allocate.ts" (buffer-string))))`);
    expect(await bench.emacs.text("allocate.ts")).toBe(before);
    await bench.emacs.evaluate(`(progn (pop-to-buffer ${JSON.stringify(reviewBuffer)}) t)`);
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(told()).toContain("NOT applied any more: it was accepted and applied, then undone");
  });

  it("lets a rejected hunk wait again by u, and refuses u on a hunk that waits", async () => {
    await withReview();
    bench.emacs.type("u");
    await bench.emacs.untilText("*Messages*", "This hunk is not decided yet");
    bench.emacs.type("R");
    await bench.answer("no");
    await bench.emacs.untilText(chatBuffer, "-- done");
    await bench.emacs.until(`(equal (window-buffer) (get-buffer ${JSON.stringify(reviewBuffer)}))`);
    bench.emacs.type("u");
    await bench.emacs.untilText("*Messages*", "the hunk waits again");
    const header = `(with-current-buffer ${JSON.stringify(reviewBuffer)} (substring-no-properties (agentq-review--header)))`;
    expect(await bench.emacs.evaluate(header)).toContain("1 of 2, 1 left");
    bench.emacs.type("a");
    await bench.untilFile(FILE, (text) => text.includes("Math.floor"));
  });

  it("leaves the way back of a new file that was never saved in the review, which takes it once it is saved", async () => {
    bench = await Workbench.start(editor, proposeFile, { variables: { "agentq-save-after-apply": "nil" } });
    await bench.ask("A file.", "waits for you");
    await bench.review("+export const fresh");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    await bench.emacs.until(`(equal (window-buffer) (get-buffer ${JSON.stringify(reviewBuffer)}))`);
    await bench.emacs.until("(null agentq-decide--queue)");
    bench.emacs.type("u");
    await bench.emacs.untilText("*Messages*", "not applied: fresh.ts has unsaved changes");
    await bench.emacs.untilText(reviewBuffer, "delete src/fresh.ts");
    await bench.emacs.evaluate(`(with-current-buffer "fresh.ts" (save-buffer) t)`);
    await bench.emacs.evaluate(
      `(with-selected-window (get-buffer-window ${JSON.stringify(reviewBuffer)}) (goto-char (point-min)) (search-forward "delete src/fresh.ts") t)`,
    );
    bench.emacs.type("a");
    await poll(() => Promise.resolve(!existsSync(join(bench.project, "src/fresh.ts"))), "a file that is gone");
    await bench.emacs.until(`(= 0 ${waiting})`);
  });
}
