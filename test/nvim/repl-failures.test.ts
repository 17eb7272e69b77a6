import { readFile, writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const FILE = "test/money.test.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  const diagnostics = (): Promise<unknown> =>
    nvim.lua(`return vim.tbl_map(function(found)
      return { vim.api.nvim_buf_get_name(found.bufnr), found.lnum + 1, found.message }
    end, vim.diagnostic.get(nil))`);

  it("lists the tests that fail, and marks their assertions until the next run", async () => {
    nvim = await startNeovim({ editor });
    const good = await readFile(nvim.path(FILE), "utf8");
    const wrong = `${good}\ntest("is wrong", () => {\n  assert.equal(1 + 1, 3);\n});\n`;
    await writeFile(nvim.path(FILE), wrong);
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    await nvim.command(`AgentQ test ${FILE}`);
    await nvim.untilEvent("ToolDone");
    const row = wrong.split("\n").indexOf("  assert.equal(1 + 1, 3);") + 1;
    expect(await diagnostics()).toEqual([[nvim.path(FILE), row, expect.stringMatching(/^is wrong\n.*Error/)]]);
    expect(
      await nvim.lua(`return vim.tbl_map(function(item)
        return { vim.api.nvim_buf_get_name(item.bufnr), item.lnum, item.text }
      end, vim.fn.getqflist())`),
    ).toEqual([[nvim.path(FILE), row, expect.stringMatching(/^is wrong: .*Error/)]]);
    expect(await nvim.notifications()).toContain("AgentQ: 1 test fails; :copen lists them");

    await nvim.command(`edit ${FILE} | %s/1 + 1, 3/1 + 1, 2/`);
    await nvim.command(`AgentQ test ${FILE}`);
    await nvim.untilEvent("ToolDone", 2);
    expect(await diagnostics()).toEqual([]);
  });
});
