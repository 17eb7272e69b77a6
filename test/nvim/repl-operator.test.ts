import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  const start = async (): Promise<void> => {
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      before: `vim.keymap.set({ "n", "x" }, "gz", "<Plug>(agentq-eval)")
        vim.keymap.set({ "o", "x" }, "aF", "<Plug>(agentq-form)")`,
    });
  };

  /** What stands behind the lines of the file, by their numbers. */
  const results = (): Promise<Record<string, string>> =>
    nvim.lua(`
      local namespace = vim.api.nvim_get_namespaces()["agentq.result"]
      local found = vim.empty_dict()
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
        found[tostring(mark[2] + 1)] = mark[4].virt_text and mark[4].virt_text[1][1] or nil
      end
      return found
    `);

  it("evaluates what a motion goes over, and shows the value behind the line until the line changes", async () => {
    await start();
    await nvim.type("Go// 6 * 7 and [1, 2].map((n) => n * 2)<Esc>0wgz3w");
    await nvim.untilEvent("EvalDone");
    const { length } = await nvim.lines();
    expect(await results()).toEqual({ [length]: expect.stringMatching(/⇒ \$1 = 42 : number$/) });
    await nvim.untilScreen("n * 2)  ⇒ $1 = 42");
    await nvim.type("ggOone more line<Esc>");
    await nvim.until("the value has moved along", async () => `${length + 1}` in (await results()));
    await nvim.type("Gx");
    await nvim.until("the value is gone", async () => Object.keys(await results()).length === 0);
    expect(await nvim.events("EvalDone")).toHaveLength(1);
  });

  it("says behind a form of a file that cannot be loaded that the error is not one of the form", async () => {
    await start();
    await nvim.type("Gothrow new Error('at once');<CR>1 + 1<Esc>0gz$");
    await nvim.untilScreen("1 + 1  ⇒ src/allocate.ts could not be loaded", "Error: at once");
  });

  it("takes the form around the cursor as a text object", async () => {
    await start();
    await nvim.type("/left -= 1<CR>yaF");
    await nvim.until("the function is yanked", () =>
      nvim.lua<boolean>(`return vim.fn.getreg('"'):match("^export function allocate.*\\n}$") ~= nil`),
    );
    await nvim.type("/left -= 1<CR>gzaF");
    const done = await nvim.untilEvent<{ result: { outcome: string } }>("EvalDone");
    expect(done.result.outcome).toBe("value");
  });
});
