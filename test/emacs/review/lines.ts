/** Some lines of a hunk are accepted by a region, and a hunk is split. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { blocksOf, textOf } from "../../../examples/demo/model/request-body.ts";
import { linesBefore, linesFile, proposeLines } from "../../support/propose-lines.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, reviewBuffer, Workbench } from "../workbench.ts";

export function linesTests(editor: Emacs): void {
  let bench: Workbench;

  async function withReview(): Promise<void> {
    bench = await Workbench.start(editor, proposeLines, { size: [40, 80] });
    await writeFile(join(bench.project, linesFile), linesBefore);
    await bench.ask("Ten times the size", "waits for you");
    await bench.review("+export const f = 6;");
  }

  /** Types keys with an active region over the lines from the one to the other. */
  async function select(first: string, last: string, keys: string): Promise<void> {
    const [line, count] = (
      await bench.emacs.evaluate(
        `(with-selected-window (get-buffer-window ${JSON.stringify(reviewBuffer)})
          (goto-char (point-min)) (search-forward ${JSON.stringify(first)}) (beginning-of-line)
          (let ((line (line-number-at-pos)))
            (save-excursion (search-forward ${JSON.stringify(last)})
              (format "%d %d" line (1+ (- (line-number-at-pos) line))))))`,
      )
    ).match(/\d+/g) ?? ["0", "0"];
    bench.emacs.type(`\u001bgg${line}\r\u0000${"\u000e".repeat(Number(count))}${keys}`);
  }

  const untilSizes = (wanted: string): Promise<void> =>
    bench.untilFile(linesFile, (text) => text.replaceAll("export const ", "").replaceAll("\n", " ").trim() === wanted);
  const told = (): string =>
    textOf(
      (bench.model.requests.at(-1)?.messages ?? [])
        .flatMap(blocksOf)
        .findLast((block) => block.type === "tool_result")?.["content"],
    );

  it("takes exactly the lines of the region, leaves the rest waiting, and tells the model which", async () => {
    await withReview();
    await select("+export const d", "+export const e", "a");
    await untilSizes("// sizes a = 1; b = 2; c = 3; // end d = 4; e = 5;");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await bench.emacs.until("(null agentq-decide--queue)");
    await select("-export const c", "-export const c", "a");
    await untilSizes("// sizes a = 1; b = 2; // end d = 4; e = 5;");
    await bench.emacs.until("(null agentq-decide--queue)");
    bench.emacs.type("R");
    await bench.answer("enough");
    await bench.emacs.untilText(chatBuffer, "Understood.");
    expect(told()).toContain("applied\n    -export const c = 3;\n");
    expect(told()).toContain('NOT applied, the person rejected it: "enough"\n    +export const f = 6;\n');
  });

  it("takes whole hunks of a region whole, and refuses a region without a line", async () => {
    await withReview();
    await select("// sizes", "// sizes", "a");
    await bench.emacs.untilText("*Messages*", "No line of an undecided hunk in the region");
    await select("-export const a", "+export const f", "a");
    await bench.emacs.untilText(chatBuffer, "Understood.");
    await untilSizes("// sizes a = 10; b = 20; c = 30; // end d = 4; e = 5; f = 6;");
    expect(told()).toContain("APPLIED: all 2 of 2 hunks.");
  });

  it("keeps the region where the review is written anew", async () => {
    await withReview();
    await select("-export const b", "-export const c", "");
    const region = `(with-current-buffer ${JSON.stringify(reviewBuffer)}
      (and (region-active-p) (buffer-substring-no-properties (region-beginning) (region-end))))`;
    await bench.emacs.until(`(equal ${region} "-export const b = 2;\n-export const c = 3;\n")`);
    await bench.emacs.evaluate(
      `(with-current-buffer ${JSON.stringify(reviewBuffer)} (agentq-review--note (agentq-running-server) (agentq-review--proposal)) t)`,
    );
    await bench.emacs.until(`(equal ${region} "-export const b = 2;\n-export const c = 3;\n")`);
  });

  it("keeps a region that reaches to the end of the review, and takes its lines", async () => {
    await withReview();
    await select("+export const f", "+export const f", "");
    const region = `(with-current-buffer ${JSON.stringify(reviewBuffer)}
      (and (region-active-p) (buffer-substring-no-properties (region-beginning) (region-end))))`;
    await bench.emacs.until(`(equal ${region} "+export const f = 6;\n")`);
    await bench.emacs.evaluate(
      `(with-current-buffer ${JSON.stringify(reviewBuffer)} (agentq-review--note (agentq-running-server) (agentq-review--proposal)) t)`,
    );
    await bench.emacs.until(`(equal ${region} "+export const f = 6;\n")`);
    bench.emacs.type("a");
    await untilSizes("// sizes a = 1; b = 2; c = 3; // end f = 6;");
  });

  it("splits a hunk into its lines, each decided by itself", async () => {
    await withReview();
    bench.emacs.type("s");
    await bench.emacs.untilText("*Messages*", "3 hunks in the place of one");
    await bench.emacs.untilText(reviewBuffer, "src/sizes.ts:3\n");
    bench.emacs.type("s");
    await bench.emacs.untilText("*Messages*", "this hunk stays whole");
    bench.emacs.type("na");
    await untilSizes("// sizes a = 1; b = 20; c = 3; // end");
    await bench.emacs.until("(null agentq-decide--queue)");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "Understood.");
    await untilSizes("// sizes a = 10; b = 20; c = 30; // end d = 4; e = 5; f = 6;");
  });
}
