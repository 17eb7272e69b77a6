import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { editedFile } from "../support/traffic/scenarios.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

/** Schemes that every Neovim brings, dark and light ones. */
const SCHEMES = [
  "default",
  "habamax",
  "retrobox",
  "quiet",
  "morning",
  "desert",
  "slate",
  "lunaperche",
  "wildcharm",
  "peachpuff",
  "zaibatsu",
  "sorbet",
];

/** Columns, counted from 1, of "// one line" and "// one word": text that stays, text that differs, and no text. */
const COLUMNS = { stays: 4, differs: 8, edge: 40 };

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** How cells of each row with a text are drawn: numbers that are equal for equal colours. */
  const drawn = (text: string): Promise<(typeof COLUMNS)[]> =>
    nvim.lua(
      `local text, columns = ...
       vim.cmd("redraw!")
       local found = {}
       for row = 1, vim.o.lines - 2 do
         local cells = {}
         for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
         local at = table.concat(cells):find(text, 1, true)
         if at then
           found[#found + 1] = vim.tbl_map(function(column) return vim.fn.screenattr(row, at - 1 + column) end, columns)
         end
       end
       return found`,
      text,
      COLUMNS,
    );

  /** Fails with the names of the schemes in which a line that goes or comes looks the same all over. */
  async function expectVisible(): Promise<void> {
    const hidden: string[] = [];
    for (const scheme of SCHEMES) {
      for (const background of ["dark", "light"]) {
        await nvim.command(`set background=${background} | colorscheme ${scheme}`);
        for (const text of ["// one line", "// one word"]) {
          const rows = await drawn(text);
          expect(rows, `${text} is on the screen`).toHaveLength(1);
          for (const { stays, differs, edge } of rows) {
            if (stays === differs) hidden.push(`${scheme}, ${background}: ${text}`);
            expect(edge, `the background of ${text} reaches the edge in ${scheme}`).toBe(stays);
          }
        }
      }
    }
    expect(hidden).toEqual([]);
  }

  it("shows what differs inside of a line in every colour scheme, in the file, the review window and the diff", async () => {
    nvim = await startNeovim({
      editor,
      file: editedFile,
      traffic: { recording: "edit-one-word" },
      before: `vim.cmd("syntax off")`,
    });
    await nvim.lua("require('agentq').prompt(...)", "Edit it");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
    await nvim.untilScreen("▎hunk 1 of 1", "// one word");
    await expectVisible();
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("1 left to decide");
    await expectVisible();
    await nvim.type("d");
    await nvim.untilScreen("count.ts as it is", "// one word");
    await expectVisible();
  });
});
