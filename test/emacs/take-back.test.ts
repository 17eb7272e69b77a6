/** A decision about a hunk is taken back in the review. */
import { afterEach, expect, it, vi } from "vitest";
import { blocksOf, textOf } from "../../examples/demo/model/request-body.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { describeEachConnection } from "./connections.ts";
import { TERMINAL_TEST_MS } from "./emacs.ts";
import { chatBuffer, reviewBuffer, Workbench } from "./workbench.ts";

const FILE = "src/allocate.ts";

vi.setConfig({ testTimeout: TERMINAL_TEST_MS });

describeEachConnection((editor) => {
  let bench: Workbench;
  afterEach(async () => {
    await bench.dispose();
  });

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
    expect(await bench.emacs.evaluate(header)).toContain("1 of 1, 1 left");
    bench.emacs.type("a");
    await bench.untilFile(FILE, (text) => text.includes("Math.floor"));
  });
});
