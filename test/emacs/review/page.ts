/** All proposals of a turn stand in one review. */
import { expect, it } from "vitest";
import { blocksOf, textOf } from "../../../examples/demo/model/request-body.ts";
import { call, reply, scriptOf, type Script } from "../../../examples/demo/model/script.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, reviewBuffer, Workbench } from "../workbench.ts";

const replace = (path: string, original: string, modified: string): object => ({
  op: "replace",
  path,
  original,
  modified,
});
const create = (path: string): object => ({ op: "create", path, modified: "export const made = 1;\n" });

const twice = scriptOf("twice", "propose two edits in one reply", [
  reply(
    call("propose_edits", {
      description: "Round down.\n@@ -1,1 +1,1 @@ a.ts [accepted]\n+evil",
      edits: [
        replace("src/allocate.ts", "=> Math.trunc((", "=> Math.floor(("),
        replace("src/money.ts", "export class Money", "/** Cents. */\nexport class Money"),
      ],
    }),
    call("propose_edits", {
      description: "Say it again.",
      edits: [replace("src/money.ts", "export class Money", "// again\nexport class Money"), create("src/made.ts")],
    }),
  ),
  reply("Understood."),
]);
const next = scriptOf("next", "propose one more", [
  reply(call("propose_edits", { description: "Of the next turn.", edits: [create("src/next.ts")] })),
]);
const writeTwo = scriptOf("write-two", "propose two files in one reply", [
  reply(
    ...["one", "two"].map((name) =>
      call("propose_file_edit", { path: `${name}.md`, modified: `${name}\n`, description: `Say ${name}.` }),
    ),
  ),
  reply("Understood."),
]);
const turns: Script = { ...twice, reply: (turn) => (turn.prompt === "Go on" ? next : twice).reply(turn) };

export function pageTests(editor: Emacs): void {
  let bench: Workbench;

  const header = `(with-current-buffer "${reviewBuffer}" (substring-no-properties (agentq-review--header)))`;
  const untilHeader = (words: string): Promise<void> => bench.emacs.until(`(string-search "${words}" ${header})`);
  const seen = `(with-current-buffer "${reviewBuffer}"
    (let ((text "")) (save-excursion (goto-char (point-min))
      (while (not (eobp)) (unless (invisible-p (point)) (setq text (concat text (string (char-after))))) (forward-char)))
      (substring-no-properties text)))`;
  const told = (): string[] =>
    (bench.model.requests.at(-1)?.messages ?? [])
      .flatMap(blocksOf)
      .filter((block) => block.type === "tool_result")
      .map((block) => textOf(block["content"]));

  it("shows the proposals of a turn below each other, folds what is decided, and begins anew with the next turn", async () => {
    bench = await Workbench.start(editor, turns, { size: [24, 80], variables: { "agentq-review--pause": "0" } });
    await bench.ask("Change it", "waits for you");
    const first = await bench.review("Math.floor");
    expect(first).toMatch(/^ {2}src\/allocate\.ts {2}\+1 -1 {2}1 left\n {2}src\/money\.ts {2}\+1 -0 {2}1 left$/m);
    // What a model says of its edit passes for no hunk.
    expect(first).not.toMatch(/^(@@.*\[accepted\]|\+evil)/m);
    await untilHeader("1 of 2, 2 left");
    bench.emacs.type("r");
    await bench.answer("it rounds well");
    await untilHeader("2 of 2, 1 left");
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "+// again");
    await untilHeader("3 of 4, 2 left");
    const page = await bench.emacs.evaluate(seen);
    expect(page).toMatch(
      /^@@ -11,7 \+11,7 @@ ✗ src\/allocate\.ts:14 \[rejected\] it rounds well\n\n--- a\/src\/money\.ts$/m,
    );
    expect(page).toMatch(/^@@ .* ✓ src\/money\.ts:\d+ \[accepted\]\n\nProposal: /m);
    expect(page).not.toContain("Math.floor");
    bench.emacs.type("pp\t");
    await bench.emacs.until(`(string-search "+  const shares" ${seen})`);
    bench.emacs.type("nn");
    await untilHeader("3 of 4, 2 left");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    const shown = `(with-selected-window (get-buffer-window "${reviewBuffer}") (list (window-start) (point)))`;
    expect(await bench.emacs.evaluate(shown)).toBe("(1 1)");
    expect(told().at(-2)).toMatch(/PARTIALLY APPLIED: 1 of 2 hunks[^]*it rounds well/);
    expect(told().at(-1)).toContain("APPLIED: all 2 of 2 hunks.");
    expect(await bench.emacs.evaluate(header)).toContain("Decided: 1 of 2 hunks applied");
    await bench.ask("Go on", "Create src/next.ts (1 hunk)  waits for you");
    await bench.emacs.until(`(string-prefix-p "Proposal: " (with-current-buffer "${reviewBuffer}" (buffer-string)))`);
    const after = await bench.emacs.untilText(reviewBuffer, "src/next.ts");
    expect(after).not.toContain("src/allocate.ts");
    expect(after).not.toContain("src/made.ts");
  });

  it("shows the proposals of one reply together, and decides them in any order", async () => {
    bench = await Workbench.start(editor, writeTwo);
    await bench.ask("Write them", "waits for you");
    await bench.review("+two");
    await untilHeader("1 of 2, 2 left");
    bench.emacs.type("na");
    await bench.emacs.untilText(reviewBuffer, "✓ create two.md [accepted]");
    await untilHeader("1 left");
    bench.emacs.type("r");
    await bench.answer("one is enough");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(await bench.file("two.md")).toBe("two\n");
    expect(told()).toEqual([expect.stringContaining("one is enough"), expect.stringMatching(/^APPLIED: /)]);
  });

  it("takes the decisions about several proposals in any order, and leaves point where it is while they change", async () => {
    bench = await Workbench.start(editor, proposeFix);
    const before = await bench.file("src/allocate.ts");
    await bench.ask("Fix it", "waits for you");
    await bench.review("+  const shares");
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    // All of it is in sight, so point is still where the last decision can be taken back.
    const shown = `(with-selected-window (get-buffer-window "${reviewBuffer}") (list (window-start) (pos-visible-in-window-p (point-max))))`;
    expect(await bench.emacs.evaluate(shown)).toBe("(1 t)");
    bench.emacs.type("u");
    // Each waits again in its place.
    await untilHeader("1 of 2, 1 left");
    bench.emacs.type("nu");
    await untilHeader("2 of 2, 2 left");
    const where = `(with-current-buffer "${reviewBuffer}" (with-selected-window (get-buffer-window) (list (get-text-property (point) 'agentq-hunk) (buffer-substring-no-properties (pos-bol) (pos-eol)))))`;
    bench.emacs.type("\u000e\u000e\u000e");
    await bench.emacs.until(`(not (string-prefix-p "@@" (cadr ${where})))`);
    const there = await bench.emacs.evaluate(where);
    await bench.emacs.evaluate(
      `(with-current-buffer "${reviewBuffer}" (agentq-note-proposal (agentq-running-server) (car (agentq-pending-proposals (agentq-running-server)))) t)`,
    );
    expect(await bench.emacs.evaluate(where)).toBe(there);
    bench.emacs.type("a");
    await bench.untilFile("src/allocate.ts", (text) => text !== before && text !== "");
    await untilHeader("1 left");
    bench.emacs.type("a");
    await untilHeader("Decided: 1 of 1 hunk applied");
    await bench.emacs.until("(null agentq-decide--queue)");
    expect(await bench.file("src/allocate.ts")).toBe(await bench.emacs.text("allocate.ts"));
    expect(await bench.file("src/allocate.ts")).toContain("Math.floor");
  });
}
