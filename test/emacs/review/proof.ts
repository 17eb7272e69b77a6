import { expect, it } from "vitest";
import { renameHelper } from "../../support/rename-helper.ts";
import type { Emacs } from "../connections.ts";
import { reviewBuffer, Workbench } from "../workbench.ts";

const HEADER = `(with-current-buffer "${reviewBuffer}" (format-mode-line header-line-format nil nil (current-buffer)))`;

export function proofTests(editor: Emacs): void {
  let bench: Workbench;

  it("says what a rejection would break, and takes along what an accepted hunk needs", async () => {
    bench = await Workbench.start(editor, renameHelper);
    await bench.ask("Change it", "waits for you");
    await bench.review("+  const whole = sumOfWeights(weights);");
    await bench.emacs.until(`(string-search "+1 error if you reject this hunk" ${HEADER})`);
    await bench.emacs.untilText(reviewBuffer, "[needs src/allocate.ts:30]");
    // Every redisplay makes the header again: looking for a project would read folders each time.
    const looking = `(cl-letf (((symbol-function 'project-current) (lambda (&rest _) (error "looked")))) ${HEADER})`;
    expect(await bench.emacs.evaluate(looking)).toContain("+1 error if you reject this hunk");
    bench.emacs.type("a");
    // An editor that saves begins with an empty file.
    const isChanged = (now: string): boolean =>
      now.match(/sumOfWeights/g)?.length === 2 && !now.includes("totalWeight");
    await bench.untilFile("src/allocate.ts", isChanged);
  });
}
