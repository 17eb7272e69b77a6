/** What the transcript shows of answers that were recorded from the server; Neovim's tests replay the same recordings. */
import { expect, it } from "vitest";
import { words } from "../../support/traffic/scenarios.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

const ENDED = "-- done";

export function answersTests(editor: Emacs): void {
  let bench: Workbench;

  /** Whether a text of the transcript can be seen. */
  const isSeen = (text: string): Promise<string> =>
    bench.emacs.evaluate(
      `(with-current-buffer ${JSON.stringify(chatBuffer)}
         (save-excursion (goto-char (point-min)) (search-forward ${JSON.stringify(text)}) (not (invisible-p (1- (point))))))`,
    );

  /** The whole buffer, hidden text too, in runs of one face; times differ from run to run. */
  async function expectLooks(recording: string): Promise<void> {
    await bench.emacs.evaluate(
      `(with-current-buffer ${JSON.stringify(chatBuffer)}
         (let ((start (point-min)) (print-escape-newlines t) (print-escape-control-characters t))
           (while (< start (point-max))
             (let* ((end (min (next-single-char-property-change start 'face nil (point-max))
                              (next-single-property-change start 'invisible nil (point-max))))
                    (run (format "%-50s %S\n" (if (get-text-property start 'invisible) "hidden"
                                                (or (get-char-property start 'face) "-"))
                                 (buffer-substring-no-properties start end))))
               (with-current-buffer (get-buffer-create "faces") (insert run))
               (setq start end)))))`,
    );
    const faces = (await bench.emacs.text("faces")).replaceAll(/\b\d+ ms/g, "N ms").replaceAll(/\b\d+\.\d s\b/g, "N s");
    await expect(faces).toMatchFileSnapshot(`faces/${recording}.txt`);
  }

  it("shows waits between attempts", async () => {
    bench = await Workbench.replay(editor, "answer-after-retries");
    const shown = await bench.ask("Go on", ENDED);
    expect(shown).toMatch(/\nRetry 2 in 0\.5 s: 529: .*\nRetry 3 in 0\.5 s: .*\nHello from the scripted model/);
    await expectLooks("answer-after-retries");
  });

  it("tells the beginning of an answer that broke off from the answer that comes again", async () => {
    bench = await Workbench.replay(editor, "answer-cut-once");
    const shown = await bench.ask("Go on", ENDED);
    expect(shown).toMatch(/\nHalf of this .*\nRetry 1 in .*\nHalf of this \*\*answer\*\* comes twice\.\n/);
    await expectLooks("answer-cut-once");
  });

  it("folds what the model thought", async () => {
    bench = await Workbench.replay(editor, "answer-after-a-thought");
    expect(await bench.ask("Go on", ENDED)).toMatch(/\n\+ Thought for [^]*\nIt \*\*divides\*\* a total\.\n-- done/);
    expect(await isSeen("so I look there first")).toBe("nil");
    await expectLooks("answer-after-a-thought");
  });

  it("shows what a command answers without the model", async () => {
    bench = await Workbench.replay(editor, "command-without-the-model");
    expect(await bench.ask("/describe splitEvenly", ENDED)).toMatch(
      /\n> \/describe splitEvenly\n[^]*src\/allocate\.ts#splitEvenly — [^]*-- done/,
    );
    await expectLooks("command-without-the-model");
  });

  it("shows Markdown in its faces, and code in those of its language", async () => {
    bench = await Workbench.replay(editor, "answer-in-markdown");
    await bench.ask("Go on", ENDED);
    await expectLooks("answer-in-markdown");
  });

  it("shows a question that another conversation answered", async () => {
    bench = await Workbench.replay(editor, {
      recording: "question-of-a-question",
      holdAt: [`"reason":"endTurn"},"parent"`],
    });
    await bench.ask("Go on", "delegate Where is splitEvenly?  writes ...");
    bench.goOn();
    expect(await bench.emacs.untilText(chatBuffer, ENDED)).toMatch(
      /\n\+ delegate Where is splitEvenly\? {2}12 ms => .*\n[^]*\*\*found\*\* it\./,
    );
    await expectLooks("question-of-a-question");
  });

  it("shows where the model heard what waited, as the server tells it", async () => {
    bench = await Workbench.replay(editor, "prompt-that-waits");
    await bench.ask("Go on", "eval_form");
    expect(await bench.ask("And be brief.", ENDED)).toMatch(
      /\n\+ eval_form [^]*\n> And be brief\.\n[^]*\nI heard \*\*both\*\*\./,
    );
    await expectLooks("prompt-that-waits");
  });

  it("shows why a tool failed, in one line", async () => {
    bench = await Workbench.replay(editor, "tool-that-is-unknown");
    expect(await bench.ask("Go on", ENDED)).toMatch(/^\+ read_minds you {2}failed: Unknown tool "read_minds"/m);
    expect(await isSeen("+ read_minds you  failed")).toBe("t");
    expect(await isSeen("=> Unknown tool")).toBe("nil");
    await expectLooks("tool-that-is-unknown");
  });

  it("shows the details of a call that is opened while the answer goes on, and leaves the answer whole", async () => {
    bench = await Workbench.replay(editor, { recording: "answer-after-a-look", holdAt: ["word9 "] });
    expect(await bench.ask("Go on", "word4 ")).not.toContain(ENDED);
    expect(await isSeen("Passed on by src/index.ts")).toBe("nil");
    await bench.emacs.evaluate(
      `(with-current-buffer ${JSON.stringify(chatBuffer)}
         (save-excursion (goto-char (point-min)) (search-forward "+ describe_symbol") (agentq-transcript-toggle)))`,
    );
    expect(await isSeen("Passed on by src/index.ts")).toBe("t");
    bench.goOn();
    expect(await bench.emacs.untilText(chatBuffer, ENDED)).toContain(`\n\`\`\`ts\n${words}\n\`\`\`\n`);
    expect(await isSeen("Passed on by src/index.ts")).toBe("t");
    await expectLooks("answer-after-a-look");
  });
}
