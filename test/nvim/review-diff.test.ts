import { readFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { runsAll } from "../support/extent.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const FILE = "src/allocate.ts";
const FIXED = "Math.floor((total.cents";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    const error = await nvim.lua("return vim.v.errmsg");
    await nvim.dispose();
    expect(error).toBe("");
  });

  /** Neovim with a proposal of two hunks, whose file stands beside what they make of it. */
  async function withDiff(options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file: FILE, script: proposeFix, ...options });
    await nvim.lua("require('agentq').prompt(...)", "Change it");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review diff");
    await nvim.untilScreen("▎hunk 1 of 2", "allocate.ts as it is");
  }

  const side = async (name: "now" | "proposed"): Promise<string> =>
    (
      await nvim.lua<string[]>(
        "return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true)",
        `agentq://diff/${name}`,
      )
    ).join("\n");
  const text = async (): Promise<string> => (await nvim.lines(FILE)).join("\n");
  const tabs = async (): Promise<number> => await nvim.lua("return #vim.api.nvim_list_tabpages()");
  const pending = async (): Promise<number> => await nvim.lua("return require('agentq').pending()");
  const told = (): string => lastToolResult(nvim.model?.requests ?? [], "propose_file_edit");

  it("shows a whole file beside what its hunks make of it, in diff mode, and closes without a decision", async () => {
    await withDiff();
    const before = await text();
    expect(await side("now")).toBe(before);
    expect(await side("proposed")).toContain(FIXED);
    expect(
      await nvim.lua(
        "return vim.tbl_map(function(window) return vim.wo[window].diff end, vim.api.nvim_tabpage_list_wins(0))",
      ),
    ).toEqual([true, true]);
    await nvim.type("q");
    await nvim.until("the diff is closed", async () => (await tabs()) === 1);
    expect(await pending()).toBe(2);
    expect(await text()).toBe(before);
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("2 left to decide");
    await nvim.type("d");
    await nvim.untilScreen("as it is", FIXED);
    await nvim.type(":q<CR>");
    await nvim.until("one side closes with the other", async () => (await tabs()) === 1);
    expect(await pending()).toBe(2);
  });

  it("is answered by the keys of the review window on the left side, and by those of files on the right", async () => {
    await withDiff();
    await nvim.type("<C-w>ha");
    await nvim.untilEvent("Applied");
    await nvim.until("the left side has it", async () => (await side("now")).includes(FIXED));
    expect(await readFile(nvim.path(FILE), "utf8")).toContain(FIXED);
    await nvim.untilScreen("▎hunk 2 of 2");
    await nvim.type("<C-w>l\\ar");
    await nvim.answer("not this one");
    await nvim.untilEvent("TurnEnded");
    expect(told()).toContain("not this one");
    await nvim.until("both sides are the same", async () => (await side("now")) === (await side("proposed")));
  });

  it("takes what is changed on the right side as the person's text of the hunk, with the hunk alone", async () => {
    await withDiff();
    const before = await text();
    await nvim.type("A // mine<Esc>");
    await nvim.until("it is the person's text", async () => (await side("proposed")).includes("whole)); // mine"));
    await nvim.type("q");
    await nvim.untilScreen("· your text ·", "// mine");
    expect(await text()).toBe(before);
    await nvim.command("AgentQ review diff");
    await nvim.untilScreen("as it is", "// mine");
    await nvim.type("o// and a line<Esc>\\aa");
    expect(await nvim.untilEvent("HunkDecided")).toMatchObject({ decision: "edit" });
    await nvim.untilEvent("Applied");
    expect(await readFile(nvim.path(FILE), "utf8")).toMatch(/whole\)\); \/\/ mine\n *\/\/ and a line\n/);
    expect(await pending()).toBe(1);
  });

  it("changes the file, unsaved, where no hunk is", async () => {
    await withDiff();
    const disk = await readFile(nvim.path(FILE), "utf8");
    await nvim.type("ggO// above<Esc>");
    await nvim.until("the file has it", async () => (await text()).startsWith("// above\n"));
    await nvim.until("both sides have it", async () => (await side("now")).startsWith("// above\nimport"));
    expect(await side("proposed")).toMatch(/^\/\/ above\nimport/);
    expect(await readFile(nvim.path(FILE), "utf8")).toBe(disk);
    await nvim.type("u");
    await nvim.until("undo takes it from the file", async () => (await text()).startsWith("import"));
    await nvim.command("AgentQ review");
    expect(await pending()).toBe(2);
  });

  it.each(runsAll ? [80, 100, 120] : [80])("asks for no Enter on %i columns", async (columns) => {
    await withDiff({ columns });
    await nvim.lua("vim.notify = _G.test_own_notify");
    await nvim.type("\\aa");
    await nvim.untilEvent("Applied");
    await nvim.untilScreen("hunk 2 of 2");
    await nvim.type(":w<CR>");
    await nvim.type("\\aa");
    await nvim.untilEvent("TurnEnded");
    await nvim.type("q");
    await nvim.until("the diff is closed", async () => (await tabs()) === 1);
    expect((await nvim.client.mode).blocking).toBe(false);
  });
});
