import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  const line = (): Promise<string> => nvim.lua("return vim.api.nvim_get_current_line()");
  const untilLine = (text: string): Promise<unknown> =>
    nvim.until(`the line is ${text}`, async () => (await line()) === text);

  it("takes forms of several lines, completes from the running REPL and brings earlier forms back", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts" });
    await nvim.command("AgentQ repl type");
    await nvim.untilScreen("<C-s> evaluates");
    await nvim.type("const basket = {<CR>apples: 3 }<C-s>");
    await nvim.untilEvent("EvalDone");
    await nvim.untilScreen("… apples: 3 }");
    await untilLine("");
    await nvim.type("basket.app<C-x><C-o>");
    await untilLine("basket.apples");
    await nvim.type(" * 2<C-s>");
    await nvim.untilEvent("EvalDone", 2);
    await nvim.untilScreen("> basket.apples * 2", "$2 = 6");
    // The log is in sight: no other window tells the same.
    expect(await nvim.lua("return #vim.api.nvim_list_wins()")).toBe(3);
    await nvim.type("draft<M-p>");
    await untilLine("basket.apples * 2");
    await nvim.type("<M-p>");
    await untilLine("apples: 3 }");
    await nvim.type("<M-n><M-n>");
    await untilLine("draft");
  });
});
