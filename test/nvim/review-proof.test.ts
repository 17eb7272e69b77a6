import { afterEach, expect, it } from "vitest";
import type { Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { renameHelper } from "../support/rename-helper.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const FILE = "src/allocate.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function review(script: Script): Promise<void> {
    nvim = await startNeovim({ editor, script, columns: 80 });
    await nvim.open(FILE);
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Change it");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
  }

  it("says what a rejection would break, and takes along what an accepted hunk needs", async () => {
    await review(renameHelper);
    const screen = await nvim.untilScreen("+1 error if you reject this hunk", "needs hunk 2 (src/allocate.ts:30)");
    expect(screen).toContain("src/allocate.ts:13 Cannot find name");
    await nvim.type("\\an");
    await nvim.untilScreen("needs hunk 1 (src/allocate.ts:13)");
    await nvim.type("\\aa");
    await nvim.untilScreen("accepted, and what it needs: src/allocate.ts:13");
    const text = (await nvim.lines(FILE)).join("\n");
    expect(text.match(/sumOfWeights/g)).toHaveLength(2);
    expect(text).not.toContain("totalWeight");
  });

  it("says after a decision what the compiler makes of what was accepted so far", async () => {
    await review(proposeFix);
    await nvim.untilScreen("no new error if you reject this hunk");
    await nvim.type("\\aa");
    await nvim.untilScreen("accepted so far: no new error");
  });
});
