/** Nothing that Agent-Q says stops a person with "Press ENTER": every wait of `Neovim.until` fails where Neovim asks for it. */
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { runsAll } from "../support/extent.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

/** 66 characters. */
const PATH = "src/a-folder-with-a-name/another-folder-below-it/and-a-long-name.ts";

const propose = scriptOf("propose", "propose a file with a long path", [
  reply(call("propose_file_edit", { path: PATH, modified: "export {};\n", description: "So that ".repeat(30) })),
  reply("Understood."),
]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** The whole way of a proposal and an evaluation, with commands that are typed. */
  async function goThrough(round: number, end: string): Promise<void> {
    await nvim.type(":AgentQ prompt Make it<CR>");
    await nvim.type("ostill typing");
    await nvim.untilEvent("Proposal", round);
    await nvim.until("insert mode goes on", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("<Esc>:AgentQ review<CR>");
    await nvim.until("the new file is shown", async () => (await nvim.lines()).includes("export {};"));
    await nvim.type(end);
    await nvim.untilEvent("TurnEnded", round);
    await nvim.type(":AgentQ review<CR>:AgentQ approve<CR>:AgentQ eval 'x'.repeat(300)<CR>");
    await nvim.untilEvent("EvalDone", round);
    await nvim.type(":AgentQ inspect nowhere<CR>:AgentQ interrupt<CR>:AgentQ undone<CR>");
    await nvim.type(":edit! src/allocate.ts<CR>");
    await nvim.until("the file is shown again", async () => (await nvim.lines())[0]?.startsWith("import"));
  }

  it.each(runsAll ? [80, 100, 120] : [80])(
    "asks for no Enter at %i columns, with a command line and without one",
    async (columns) => {
      nvim = await startNeovim({
        editor,
        file: "src/allocate.ts",
        script: propose,
        columns,
        before: "vim.notify = _G.test_own_notify",
      });
      await goThrough(1, ":AgentQ reject no file of this name<CR>");
      await nvim.command("set cmdheight=0");
      await goThrough(2, ":AgentQ reject no file of this name<CR>");
      await goThrough(3, ":AgentQ acceptall<CR>");
      const messages = await nvim.lua<string>("return vim.fn.execute('messages')");
      expect(messages).toContain("AgentQ: 1 hunk: :AgentQ review.");
      expect(messages.replaceAll("\n", ""), "the end of what the screen has no room for").toContain(PATH);
      await nvim.lua(`require("agentq.say").warn(("row\\n"):rep(80) .. "the end of a long message")`);
      await nvim.until("the whole of a long message is kept", async () =>
        (await nvim.lua<string>("return vim.fn.execute('messages')")).includes("the end of a long message"),
      );
    },
  );
});
