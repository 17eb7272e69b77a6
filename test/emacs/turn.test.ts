import { afterEach, expect, it, vi } from "vitest";
import { demo } from "../../examples/demo/scripts/demo.ts";
import { describeEachEditor } from "../support/editors.ts";
import { poll, TERMINAL_TEST_MS } from "./emacs.ts";
import { chatBuffer, reviewBuffer, waiting, Workbench } from "./workbench.ts";

const FIX = "Refunds lose a cent: find the bug and fix it.";
const PROPOSED = "waits for you";

vi.setConfig({ testTimeout: TERMINAL_TEST_MS });

describeEachEditor("emacs", (editor) => {
  let bench: Workbench;
  afterEach(async () => {
    await bench.dispose();
  });

  it("applies an accepted hunk, tells the model why another was rejected, and creates a file", async () => {
    bench = await Workbench.start(editor, demo);
    const before = await bench.file("src/allocate.ts");
    const fixed = before.replace("Math.trunc", "Math.floor");

    const transcript = await bench.ask(FIX, PROPOSED);
    expect(transcript).toContain(`> ${FIX}\n`);
    expect(transcript).toMatch(/^\+ describe_symbol symbol=allocate .* \d+ ms$/m);
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

    await bench.ask("Create a test for refunds.", "Proposal: Create test/refund.test.ts");
    await bench.review("--- /dev/null");
    bench.emacs.type("a");
    await bench.untilFile("test/refund.test.ts", (text) => text.includes("shares of money given back"));
    await bench.emacs.untilText(chatBuffer, "The test is in `test/refund.test.ts`");
    expect(bench.model.mismatches).toEqual([]);
  });

  it("applies a hunk with the user's own text, and tells the model that text", async () => {
    bench = await Workbench.start(editor, demo);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    bench.emacs.type("e");
    await bench.emacs.until(`(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`);
    bench.emacs.type("\u0005 // by hand\u0003\u0003");
    await bench.emacs.untilText(reviewBuffer, "[edited]");
    await bench.emacs.until(`(equal (buffer-name (window-buffer)) ${JSON.stringify(reviewBuffer)})`);
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    const line = "Math.floor((total.cents * weight) / whole)); // by hand";
    expect(await bench.file("src/allocate.ts")).toBe(
      before.replace("Math.trunc((total.cents * weight) / whole));", line),
    );
    const told = JSON.stringify(bench.model.requests.at(-1));
    expect(told).toContain("applied with the person's own text");
    expect(told).toContain(line);
  });

  it("leaves a proposal pending when a question is quit and when its buffer is killed", async () => {
    bench = await Workbench.start(editor, demo);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
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
    bench = await Workbench.start(editor, demo);
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

  it("keeps unsaved text: edits around it are not saved, edits over it are conflicts", async () => {
    bench = await Workbench.start(editor, demo);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    await bench.emacs.evaluate(
      `(with-current-buffer "allocate.ts" (goto-char (point-min)) (insert "// mine\\n") (search-forward "const weights") (replace-match "const mine") nil)`,
    );
    await bench.review("+  const shares");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    const review = await bench.emacs.text(reviewBuffer);
    expect(review).toMatch(/allocate\.ts:14 \[accepted\]/);
    expect(review).toMatch(/allocate\.ts:42 \[conflict\]/);
    const text = await bench.emacs.text("allocate.ts");
    expect(text).toBe(`// mine\n${before.replace("const weights", "const mine").replace("Math.trunc", "Math.floor")}`);
    expect(await bench.file("src/allocate.ts")).toBe(before);
    expect(await bench.emacs.evaluate(`(buffer-modified-p (get-buffer "allocate.ts"))`)).toBe("t");
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain("NOT applied, the document changed at that place");
  });
});
