import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { demo } from "../../examples/demo/scripts/demo.ts";
import { describeEachEditor } from "../support/editors.ts";
import { TERMINAL_TEST_MS } from "./emacs.ts";
import { replBuffer, Workbench } from "./workbench.ts";

vi.setConfig({ testTimeout: TERMINAL_TEST_MS });

describeEachEditor("emacs", (editor) => {
  let bench: Workbench;
  afterEach(async () => {
    await bench.dispose();
  });

  it("tells which files an evaluation changed, and takes them back or keeps them", async () => {
    bench = await Workbench.start(
      editor,
      demo,
      `(setq agentq-program (append agentq-program '(:initializationOptions (:repl (:confinement "openWithoutAsking")))))`,
    );
    const file = join(bench.project, "package.json");
    const before = readFileSync(file, "utf8");
    await bench.emacs.evaluate(`(progn (find-file-noselect "${file}") t)`);
    await bench.command("agentq-eval", `require("node:fs").writeFileSync("package.json", "gone")`);
    await bench.emacs.untilText(replBuffer, "While this form ran, a file changed: package.json (modified).");
    expect(readFileSync(file, "utf8")).toBe("gone");
    // A buffer without edits follows its file.
    await bench.emacs.untilText("package.json", "gone");
    await bench.command("agentq-changes");
    await bench.emacs.untilText("*agentq-changes*", "package.json (modified)");
    bench.emacs.type("r");
    await bench.emacs.untilText(replBuffer, "reverted: 1 file");
    expect(readFileSync(file, "utf8")).toBe(before);
    await bench.emacs.untilText("package.json", before.trimEnd());

    await bench.command("agentq-eval", `require("node:fs").writeFileSync("made.txt", "made")`);
    await bench.emacs.untilText(replBuffer, "made.txt (created)");
    await bench.command("agentq-changes");
    await bench.emacs.untilText("*agentq-changes*", "made.txt (created)");
    bench.emacs.type("k");
    await bench.emacs.untilText(replBuffer, "kept: 1 file");
    expect(existsSync(join(bench.project, "made.txt"))).toBe(true);
  });
});
