import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const words = scriptOf("words", "look, then answer in words", [
  reply("I look first.", call("describe_symbol", { symbol: "allocate" })),
  reply("It divides an amount."),
]);

const edit = scriptOf("edit", "propose an edit", [
  reply(
    call("propose_file_edit", {
      path: "src/allocate.ts",
      original: "Math.trunc(",
      modified: "Math.floor(",
      description: "Floor",
    }),
  ),
  reply("Done."),
]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  const start = async (options: Partial<NeovimOptions>): Promise<void> => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", ...options });
  };

  const windows = (): Promise<number> => nvim.lua("return #vim.api.nvim_list_wins()");

  it("sends exactly what is selected, and shows the answer in words beside the cursor", async () => {
    await start({ script: words });
    await nvim.type("gg/Math.trunc<CR>ve:AgentQ ask What is this?<CR>");
    const screen = await nvim.untilScreen("AgentQ answers", "It divides an amount.", "AgentQ: asked,");
    expect(screen).not.toContain("I look first.");
    const sent = JSON.stringify(nvim.model?.requests[0]?.messages);
    expect(sent).toMatch(/from character 42, exactly[^`]*```[a-z]*\\nMath\\n```/);
    // Only the answer's own window came.
    expect(await windows()).toBe(2);
    await nvim.type("j");
    await nvim.until("it is closed", async () => (await windows()) === 1);
  });

  it("says of a long answer that there is more, which is read in its window, and refuses a second question in one message", async () => {
    const rows = Array.from({ length: 40 }, (_row, index) => `row ${index}`).join("\n\n");
    const long = scriptOf("long", "answer at length", [{ ...reply(rows), delayMs: 1500 }]);
    await start({ script: long, before: "vim.notify = _G.test_own_notify" });
    await nvim.type(":AgentQ ask What is this?<CR>");
    await nvim.untilEvent("TurnStarted");
    await nvim.type(":AgentQ ask And that?<CR>");
    await nvim.untilScreen("AgentQ: a turn runs; :AgentQ prompt sends this along");
    await nvim.untilScreen("row 0", / \d+ of 79 rows · <C-w>w enters, q closes /);
    await nvim.type("<C-w>wG");
    await nvim.untilScreen("row 39");
    await nvim.type("q");
    await nvim.until("it is closed", async () => (await windows()) === 1);
  });

  it("asks for the words on a key, and lets the edit be reviewed where it belongs", async () => {
    await start({ script: edit, before: `vim.keymap.set("x", "gA", "<Plug>(agentq-ask)")` });
    await nvim.type("gg/Math.trunc<CR>VgA");
    await nvim.answer("Round down");
    await nvim.untilEvent("Proposal");
    await nvim.untilScreen("accept");
    expect(await windows()).toBe(1);
    expect(JSON.stringify(nvim.model?.requests[0]?.messages)).toContain("Round down");
    await nvim.command("AgentQ accept");
    await nvim.untilEvent("TurnEnded");
    expect((await nvim.lines()).join("\n")).toContain("Math.floor(");
  });
});
