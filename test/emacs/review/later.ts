import { expect, it } from "vitest";
import { proposeFix } from "../../support/propose-fix.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, reviewBuffer, Workbench } from "../workbench.ts";

const FILE = "src/allocate.ts";
const PROMPT = "Refunds lose a cent: find the bug and fix it, please, in the file where shares are made";

export function laterTests(editor: Emacs): void {
  let bench: Workbench;

  it("brings the files back to before a message that is chosen from a list", async () => {
    bench = await Workbench.start(editor, proposeFix, { isAlone: true });
    const before = await bench.file(FILE);
    await bench.ask(PROMPT, "waits for you");
    await bench.review("+  const shares");
    bench.emacs.type("A");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(await bench.file(FILE)).not.toBe(before);
    await bench.command("agentq-rewind");
    await bench.untilAsked();
    bench.emacs.type("1\t");
    const asked = `(with-selected-window (active-minibuffer-window) (buffer-substring-no-properties (point-min) (point-max)))`;
    await bench.emacs.until(`(string-match-p "): 1 Refunds .*… (2 hunks applied)" ${asked})`);
    await bench.answer("");
    await bench.emacs.untilText("*Messages*", "the REPL's state is as it was");
    await bench.review("+  const shares");
    await bench.emacs.untilText(reviewBuffer, "Rewind to before");
    bench.emacs.type("A");
    await bench.untilFile(FILE, (text) => text === before);
  });
}
