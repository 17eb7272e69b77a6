import { readFile, writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { runsAll } from "../support/extent.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { editedFile, proposedEdits } from "../support/traffic/scenarios.ts";
import { lastToolResult, toolResults } from "./model-words.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const FILE = "src/allocate.ts";
const FIXED = "Math.floor((total.cents";

const renameInAllFiles = scriptOf("rename-in-all-files", "rename a function that several files use", [
  reply(call("rename_symbol", { symbol: "src/allocate.ts#allocate", new_name: "apportion" })),
  reply("Understood."),
]);

const writeLua = scriptOf("write-lua", "change a file whose parser every Neovim has", [
  reply(call("propose_file_edit", { path: "tool.lua", modified: "local text = 'one'\n", description: "Say one" })),
  reply("Understood."),
]);

const writeTwo = scriptOf("write-two", "propose two files in one reply", [
  reply(
    ...["one", "two"].map((name) =>
      call("propose_file_edit", { path: `${name}.md`, modified: `${name}\n`, description: `Say ${name}` }),
    ),
  ),
  reply("Understood."),
]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** Neovim with a proposal that waits. */
  async function withProposal(script: Script, options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file: FILE, script, ...options });
    await nvim.lua("require('agentq').prompt(...)", "Change it");
    await nvim.untilEvent("Proposal");
  }

  const tabs = async (): Promise<number> => await nvim.lua("return #vim.api.nvim_list_tabpages()");
  const told = (): string => lastToolResult(nvim.model?.requests ?? [], "propose_file_edit");

  it("shows the hunks of all files with counts, and goes from one to the next", async () => {
    await withProposal(renameInAllFiles);
    await nvim.command("AgentQ reviewall");
    const screen = await nvim.untilScreen("left to decide", "hunk 1 of ");
    expect(screen).toMatch(/ {2}src\/allocate\.ts {2}\+\d+ −\d+ {2}\d+ left/);
    const lines = await nvim.lines();
    expect(lines.filter((line) => line.startsWith("▎hunk ")).length).toBeGreaterThan(2);
    const row = async (): Promise<number> => await nvim.lua("return vim.fn.line('.')");
    const first = await row();
    await nvim.type("]c");
    await nvim.until("the cursor is on the next hunk", async () => (await row()) > first);
    await nvim.type("[c");
    await nvim.until("the cursor is back", async () => (await row()) === first);
  });

  it("is in Normal mode, also for who comes from the message that they write", async () => {
    await withProposal(proposeFix);
    await nvim.command("AgentQ chat");
    await nvim.type("A not yet <C-o>:AgentQ reviewall<CR>");
    await nvim.untilScreen("hunk 1 of 2", "a accept  r reject");
    await nvim.type("a");
    await nvim.untilScreen("✓ accepted");
  });

  it("shows the proposals of one reply together, and decides them in any order", async () => {
    await withProposal(writeTwo);
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("one.md", "hunk 1 of 2", "two.md", "hunk 2 of 2");
    await nvim.type("gg]c]ca");
    await nvim.untilScreen("hunk 2 of 2 · two.md 1/1 · ✓ accepted", "AgentQ: accepted, 1 left");
    await nvim.type("r");
    await nvim.answer("one is enough");
    await nvim.untilEvent("TurnEnded");
    expect(await readFile(nvim.path("two.md"), "utf8")).toBe("two\n");
    const answers = toolResults(nvim.model?.requests ?? [], "propose_file_edit");
    expect(answers).toEqual([expect.stringContaining("one is enough"), expect.stringMatching(/^APPLIED: /)]);
  });

  it("decides by plain keys, and closes with hunks that go on waiting", async () => {
    await withProposal(proposeFix);
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("hunk 1 of 2", "a accept  r reject  e edit");
    await nvim.type("a");
    await nvim.untilScreen("▎hunk 1 of 2 · allocate.ts 1/2 · ✓ accepted", "1 left to decide");
    await nvim.type("q");
    await nvim.until("the review is closed", async () => (await tabs()) === 1);
    expect(await nvim.lua("return require('agentq').pending()")).toBe(1);
    await nvim.type("\\av");
    await nvim.untilScreen("1 left to decide");
    await nvim.type("r");
    await nvim.answer("not this one");
    await nvim.untilEvent("TurnEnded");
    expect(told()).toContain("not this one");
  });

  it("lists its keys, and is still there when the list is closed", async () => {
    await withProposal(proposeFix);
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("hunk 1 of 2");
    await nvim.type("?");
    await nvim.untilScreen(" Keys of the review ", "u     take the decision under the cursor back");
    await nvim.type("qa");
    await nvim.untilScreen("✓ accepted", "1 left to decide");
  });

  it("rejects by the key that rejects in a file, whose last part would accept", async () => {
    await withProposal(proposeFix);
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("hunk 1 of 2");
    await nvim.type("\\ar");
    await nvim.answer("not by halves");
    await nvim.untilScreen("▎hunk 1 of 2 · allocate.ts 1/2 · ✗ rejected", "1 left to decide");
    await nvim.type("\\aR");
    await nvim.answer("nor the rest");
    await nvim.untilEvent("TurnEnded");
    expect(told()).toContain("not by halves");
    expect(told()).toContain("NOT APPLIED: none of 2 hunks");
  });

  it("takes a decision back by u, and the model hears of that", async () => {
    await withProposal(proposeFix);
    const before = await nvim.lines(FILE);
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("hunk 1 of 2");
    await nvim.type("a");
    await nvim.untilScreen("✓ accepted", "AgentQ: accepted, 1 left");
    await nvim.lua("vim.fn.search('✓ accepted', 'w')");
    await nvim.type("u");
    await nvim.untilScreen("allocate.ts 1/2 · ↶ taken back", "AgentQ: taken back, 1 left");
    expect(await nvim.screen()).not.toContain("✓ 1 ·");
    expect(await nvim.lines(FILE)).toEqual(before);
    expect(await readFile(nvim.path(FILE), "utf8")).toBe(`${before.join("\n")}\n`);
    await nvim.type("]ca");
    await nvim.untilEvent("TurnEnded");
    expect(told()).toContain("undone");
    await nvim.untilTranscript("2 hunks: 1 accepted, 1 taken back");

    await nvim.lua("vim.fn.search('↶ taken back', 'w')");
    await nvim.type("a");
    await nvim.until("it says what the key is", async () =>
      (await nvim.notifications()).includes("AgentQ: this hunk was taken back; u lets it wait again"),
    );
    await nvim.type("u");
    await nvim.untilScreen("1 left to decide");
    await nvim.type("a");
    await nvim.until("it is in the file again", async () => (await nvim.lines(FILE)).join("\n").includes("Math.floor"));
  });

  it("lets a rejected hunk wait again by u", async () => {
    await withProposal(proposeFix);
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("hunk 1 of 2");
    await nvim.type("r");
    await nvim.answer("no");
    await nvim.untilScreen("✗ rejected", "AgentQ: rejected, 1 left");
    await nvim.lua("vim.fn.search('✗ rejected', 'w')");
    await nvim.type("u");
    await nvim.untilScreen("2 left to decide");
  });

  it("takes the person's own text, written in the window below", async () => {
    await withProposal(proposeFix);
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("hunk 1 of 2");
    await nvim.type("e");
    await nvim.untilScreen("proposed text, change it as you like");
    await nvim.type("ggO// mine<Esc>");
    await nvim.untilScreen("· your text");
    await nvim.type("\\aa");
    await nvim.untilScreen("✓ accepted with your text");
    await nvim.until("it is applied", async () => (await nvim.lines(FILE)).join("\n").includes("// mine"));
  });

  it("goes to the hunk's place in the file, where it can be decided too", async () => {
    await withProposal(proposeFix);
    await nvim.command("enew");
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("hunk 1 of 2");
    await nvim.type("<CR>");
    await nvim.until("the cursor is in the file", () =>
      nvim.lua<boolean>("return vim.fn.expand('%:t') == 'allocate.ts'"),
    );
    await nvim.untilScreen("▎hunk 1 of 2");
    await nvim.type("\\aa");
    await nvim.until("it is applied", async () => (await readFile(nvim.path(FILE), "utf8")).includes(FIXED));
  });

  it("opens by itself where the file's window has no room for the lines that go and those that come together", async () => {
    const lines = (await readFile(new URL("../../examples/invoices/src/allocate.ts", import.meta.url), "utf8")).split(
      "\n",
    );
    const first = lines.indexOf("function totalWeight(weights: readonly number[]): number {");
    const original = lines.slice(first + 1, first + 8).join("\n");
    const shorter = call("propose_file_edit", {
      path: FILE,
      original,
      modified: "  return 1;",
      description: "Shorten",
    });
    await withProposal(scriptOf("shorten", "one line for seven", [reply(shorter), reply("Understood.")]));
    await nvim.command("botright new | wincmd p | resize 8");
    await nvim.command("AgentQ review");
    const shown = await nvim.untilScreen("left to decide", "return 1;");
    expect(shown).toContain(original.split("\n").at(-1));
    await nvim.type("q");
    await nvim.until("the review is closed", async () => (await tabs()) === 1);
    await nvim.command("resize 30");
    await nvim.command("AgentQ next");
    await nvim.untilScreen("hunk 1 of 1", "return 1;");
    expect(await tabs()).toBe(1);
  });

  it("opens by itself where the file's window cannot show all of a hunk, which it shows to the last line", async () => {
    const many = proposedEdits["edit-many-lines"].after.split("\n").slice(1, -1);
    nvim = await startNeovim({ editor, file: editedFile, traffic: { recording: "edit-many-lines" } });
    await nvim.lua("require('agentq').prompt(...)", "Edit it");
    await nvim.untilEvent("Proposal");
    expect(await tabs(), "a proposal that arrives opens nothing").toBe(1);
    await nvim.command("AgentQ review");
    await nvim.untilScreen("hunk 1 of 1");
    expect(await nvim.lines()).toEqual(expect.arrayContaining(many));
    await nvim.type("G");
    await nvim.untilScreen("row59 ");
    await nvim.type("q");
    await nvim.untilScreen("more lines: ");
    expect(await tabs()).toBe(1);
  });

  it("colours the code that is proposed, in the file and in the review window", async () => {
    nvim = await startNeovim({ editor, script: writeLua });
    await writeFile(nvim.path("tool.lua"), "local text = 'two'\n");
    await nvim.open(FILE);
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Change it");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
    await nvim.untilScreen("local text = 'one'");
    const groups = await nvim.lua<string[]>(
      `local found = {}
       local namespace = vim.api.nvim_get_namespaces()["agentq.hunks"]
       for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
         for _, row in ipairs(mark[4].virt_lines or {}) do
           for _, chunk in ipairs(row) do
             vim.list_extend(found, type(chunk[2]) == "table" and chunk[2] or {})
           end
         end
       end
       return found`,
    );
    expect(groups).toEqual(expect.arrayContaining(["AgentqAdd", "@keyword.lua", "AgentqAddText"]));
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("hunk 1 of 1");
    const marked = await nvim.lua<string[]>(
      `return vim.tbl_map(function(mark) return mark[4].hl_group or "" end,
         vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()["agentq.review.window"], 0, -1, { details = true }))`,
    );
    expect(marked).toEqual(expect.arrayContaining(["AgentqAdd", "@keyword.lua", "AgentqAddText", "AgentqDeleteText"]));
  });

  it.each(runsAll ? [80, 100, 120] : [80])(
    "asks for no Enter on %i columns from the proposal to the last decision",
    async (columns) => {
      await withProposal(proposeFix, { columns, before: "vim.notify = _G.test_own_notify" });
      await nvim.command("AgentQ review");
      await nvim.untilScreen("▎hunk 1 of 2");
      await nvim.command("AgentQ reviewall");
      await nvim.untilScreen("hunk 1 of 2");
      await nvim.type("a");
      await nvim.untilScreen("✓ accepted", "AgentQ: accepted, 1 left");
      await nvim.type("a");
      await nvim.untilEvent("TurnEnded");
      await nvim.untilScreen("nothing left to decide");
      expect((await nvim.client.mode).blocking).toBe(false);
    },
  );
});
