import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

/** The model thinks until the turn is cancelled. */
const hang = scriptOf("hang", "never answer", [reply("Hello.")], [{ kind: "hang", afterEvents: 5 }]);

const propose = scriptOf("propose", "propose an edit", [
  reply(
    call("propose_file_edit", {
      path: "src/allocate.ts",
      original: "Math.trunc(",
      modified: "Math.floor(",
      description: "Floor",
    }),
  ),
  reply("Understood."),
]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** For how long the model has worked, as the status line and the line above the transcript say it. */
  const seconds = async (): Promise<number> => {
    const both = /working · (\d+) s[^]*\[AQ ◐\1s\]/;
    return Number(both.exec(await nvim.untilScreen(both))?.[1]);
  };
  const line = (): Promise<string> => nvim.lua("return require('agentq').statusline()");

  /** The editor with the line as a person sets it up. */
  const start = async (script: typeof hang): Promise<void> => {
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      script,
      before: `vim.o.laststatus = 3; vim.o.statusline = "[%{v:lua.require'agentq'.statusline()}]"`,
    });
  };

  it("is empty while there is nothing to say, and counts the seconds of a turn by itself", async () => {
    await start(hang);
    expect(await line()).toBe("");
    await nvim.command("AgentQ prompt Hello");
    const first = await seconds();
    await nvim.until("the seconds go on", async () => (await seconds()) > first);
    await nvim.command("AgentQ cancel");
    await nvim.untilEvent("TurnEnded");
    expect(await line()).toBe("");
  });

  it("tells how many hunks wait, and that the server died", async () => {
    await start(propose);
    await nvim.command("AgentQ prompt Refunds lose a cent");
    await nvim.untilEvent("Proposal");
    await nvim.untilScreen("[AQ ⏸1]");
    await nvim.killServer();
    await nvim.untilScreen("[AQ !]");
    await nvim.command("AgentQ restart");
    await nvim.untilScreen("[AQ ⏸1]");
  });
});
