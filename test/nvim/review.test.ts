import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { newFile } from "../../examples/demo/scripts/new-file.ts";
import { describeEachEditor } from "../support/editors.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const FILE = "src/allocate.ts";
const FIXED = "Math.floor((total.cents";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** Neovim with a proposal that waits, the cursor in `file`. */
  async function withProposal(
    options: Omit<NeovimOptions, "editor"> & { file?: string; prompt?: string } = {},
  ): Promise<void> {
    nvim = await startNeovim({
      editor,
      file: options.file ?? FILE,
      ...(options.traffic === undefined ? { script: proposeFix } : {}),
      ...options,
    });
    await nvim.lua("require('agentq').prompt(...)", options.prompt ?? "Refunds lose a cent: find the bug");
    await nvim.untilEvent("Proposal");
  }

  /** Neovim with a recorded proposal that waits: for tests that send no decision. */
  const withRecordedProposal = (before?: string): Promise<void> =>
    withProposal({ traffic: { recording: "fix-proposed" }, ...(before === undefined ? {} : { before }) });

  const text = async (file = FILE): Promise<string> => (await nvim.lines(file)).join("\n");
  const disk = async (file = FILE): Promise<string> => await readFile(nvim.path(file), "utf8");
  const pending = async (): Promise<number> => await nvim.lua("return require('agentq').pending()");
  const told = (): string => lastToolResult(nvim.model?.requests ?? [], "propose_file_edit");

  it("accepts nothing when the file is written", async () => {
    await withRecordedProposal();
    await nvim.type("ggO// mine<Esc>:write<CR>");
    await nvim.until("the file is written", async () => (await disk()).startsWith("// mine"));
    expect(await disk()).toMatch(/^\/\/ mine\n/);
    expect(await disk()).not.toContain(FIXED);
    expect(await pending()).toBe(2);
    expect(await nvim.events("HunkDecided")).toEqual([]);
  });

  it("keeps the hunks pending when the buffer is wiped, and draws them when the file comes back", async () => {
    await withProposal();
    await nvim.type(":AgentQ review<CR>");
    await nvim.untilScreen(FIXED);
    await nvim.command("bwipeout!");
    expect(await pending()).toBe(2);
    expect(await nvim.screen()).not.toContain(FIXED);
    await nvim.open(FILE);
    await nvim.untilScreen(FIXED, "▎hunk 1 of 2");
    await nvim.command("AgentQ next");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await text()).toContain(FIXED);
  });

  it("makes two decisions two undo steps, also when no key was typed between them", async () => {
    await withProposal();
    await nvim.lua(`
      for _ = 1, 2 do
        vim.cmd("AgentQ review")
        vim.cmd("AgentQ accept")
      end
    `);
    await nvim.untilEvent("Applied", 2);
    expect(await text()).toContain("Array.from");
    await nvim.type("u");
    await nvim.until("the second is undone", async () => !(await text()).includes("Array.from"));
    expect(await text()).toContain(FIXED);
    await nvim.type("u");
    await nvim.until("the first is undone", async () => !(await text()).includes(FIXED));
  });

  it("moves with the person's edits and leaves a file with unsaved changes unsaved", async () => {
    await withProposal();
    const original = await disk();
    await nvim.type('ggO"one";<CR>"two";<Esc>:AgentQ next<CR>');
    await nvim.untilScreen("▎hunk 1 of 2", FIXED);
    await nvim.until("the cursor is on the hunk", async () =>
      (await nvim.lua<string>("return vim.api.nvim_get_current_line()")).includes("Math.trunc"),
    );
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect((await text()).split("\n").slice(0, 2)).toEqual([`"one";`, `"two";`]);
    expect(await text()).toContain(FIXED);
    expect(await disk()).toBe(original);
    expect(await nvim.lua("return vim.bo.modified")).toBe(true);
  });

  it("says so when the lines of a hunk were changed, and does not overwrite them", async () => {
    await withProposal();
    await nvim.command("AgentQ next");
    await nvim.type("A // mine<Esc>");
    await nvim.untilScreen("▎hunk 1 of 2 · allocate.ts 1/2 · these lines changed: it cannot be applied", FIXED);
    await nvim.command("%!cat");
    await nvim.command("AgentQ next");
    expect(await nvim.lua("return vim.api.nvim_get_current_line()")).toContain("// mine");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("HunkDecided")).toMatchObject({ decision: "accept", conflict: true });
    expect(await text()).toContain("// mine");
    expect(await text()).not.toContain(FIXED);
    expect(await pending()).toBe(2);
  });

  it("shows the three texts of a conflict, and the hunk is as before once the person undoes their change", async () => {
    await withProposal();
    await nvim.command("AgentQ next");
    await nvim.type("A // mine<Esc>");
    await nvim.untilScreen(
      "▎hunk 1 of 2 · allocate.ts 1/2 · in conflict · these lines changed since · \\aa try again",
      "▎it was:",
      "▎proposed:",
      FIXED,
    );
    await nvim.type("u");
    await nvim.untilScreen("▎hunk 1 of 2 · allocate.ts 1/2 · \\aa accept");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await text()).toContain(FIXED);
  });

  it("merges a conflict: the person begins with their text or with the proposed one, and the model hears of it", async () => {
    await withProposal();
    await nvim.command("AgentQ next");
    await nvim.type("A // mine<Esc>");
    await nvim.untilScreen("in conflict");
    await nvim.type("\\ae");
    await nvim.untilScreen("the text as it is now · \\aa accept · \\ar reject · \\ae from the proposed text");
    expect((await nvim.lines()).join()).toContain("// mine");
    await nvim.type("\\ae");
    await nvim.until("the proposed text is there", async () => (await nvim.lines()).join().includes(FIXED));
    await nvim.type("A // mine<Esc>");
    await nvim.untilScreen("your merge");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await text()).toMatch(/Math\.floor\(\(total\.cents.* \/\/ mine/);
    await nvim.command("AgentQ rejectall no");
    await nvim.untilEvent("TurnEnded");
    expect(told()).toContain("applied, merged by the person with what came to that place since you read it");
  });

  it("merges a new file with the file that came to its place", async () => {
    await withProposal({ script: newFile, prompt: "Create a test" });
    await nvim.command("AgentQ review");
    await nvim.untilScreen("new file");
    await writeFile(nvim.path("test/refund.test.ts"), "// theirs\n");
    await nvim.type("\\aa");
    await nvim.untilScreen("in conflict · test/refund.test.ts exists by now. · proposed text · \\aa try again");
    await nvim.type("\\ae");
    await nvim.until("their text is there", async () => (await nvim.lines()).join() === "// theirs");
    await nvim.type("A and mine<Esc>\\aa");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(readFileSync(nvim.path("test/refund.test.ts"), "utf8")).toBe("// theirs and mine\n");
    await nvim.untilEvent("TurnEnded");
  });

  it("never writes a merge over text that was typed since", async () => {
    await withProposal();
    await nvim.command("AgentQ next");
    await nvim.type("A // mine<Esc>");
    await nvim.untilScreen("in conflict");
    await nvim.type("\\ae");
    await nvim.untilScreen("the text as it is now");
    await nvim.type("A merged<Esc><C-w>kA, and more<Esc><C-w>j");
    await nvim.untilScreen("your merge, of an older text");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("HunkDecided")).toMatchObject({ decision: "edit", conflict: true });
    expect(await text()).toContain("// mine, and more");
    expect(await text()).not.toContain("merged");
  });

  it("decides nothing when the question for a reason is left", async () => {
    await withRecordedProposal();
    await nvim.command("AgentQ next");
    await nvim.type("\\ar");
    await nvim.answer("<C-u><Esc>");
    await nvim.until("it says what that meant", async () =>
      (await nvim.notifications()).includes("AgentQ: still pending"),
    );
    expect(await pending()).toBe(2);
  });

  it("tells the model the reason for all hunks at once and goes on", async () => {
    await withProposal();
    await nvim.command("AgentQ rejectall not this way");
    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "endTurn" });
    expect(told()).toContain("not this way");
    expect(await text()).not.toContain(FIXED);
    expect((await nvim.events("HunkDecided")).map(({ reason }) => reason)).toEqual(["not this way", "not this way"]);
  });

  it("ends the turn when a rejection has a bang", async () => {
    await withProposal();
    await nvim.command("AgentQ! rejectall enough");
    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "stopped" });
    expect(nvim.model?.mismatches).toEqual([]);
  });

  it("applies the person's own version of a hunk", async () => {
    await withProposal();
    await nvim.command("AgentQ next");
    await nvim.type("\\ae");
    await nvim.untilScreen("proposed text");
    await nvim.type("A // checked by me<Esc>");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("HunkDecided")).toMatchObject({ decision: "edit" });
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await text()).toMatch(/Math\.floor.* \/\/ checked by me/);
    expect(await nvim.lua("return #vim.api.nvim_tabpage_list_wins(0)")).toBe(1);
    await nvim.command("AgentQ rejectall no");
    await nvim.untilEvent("TurnEnded");
    expect(told()).toContain("checked by me");
  });

  it("shows a new file before it exists and creates it when accepted", async () => {
    nvim = await startNeovim({ editor, file: FILE, script: newFile });
    await nvim.command("AgentQ prompt Create a test");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
    await nvim.untilScreen("new file", "shares of money given back add up");
    expect(existsSync(nvim.path("test/refund.test.ts"))).toBe(false);
    expect(await nvim.lua("return vim.bo.buftype")).toBe("acwrite");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await disk("test/refund.test.ts")).toContain("shares of money given back add up");
    expect(await nvim.lua("return vim.api.nvim_buf_get_name(0)")).toBe(nvim.path("test/refund.test.ts"));
    expect(await nvim.lua("return vim.bo.modified")).toBe(false);
    await nvim.untilEvent("TurnEnded");
    expect(told()).toMatch(/refund\.test\.ts/);
  });

  it("leaves no trace of a new file that was rejected", async () => {
    await withProposal({ script: newFile, prompt: "Create a test" });
    await nvim.command("AgentQ review");
    await nvim.untilScreen("new file");
    await nvim.command("AgentQ reject no tests please");
    await nvim.untilEvent("TurnEnded");
    expect(existsSync(nvim.path("test/refund.test.ts"))).toBe(false);
    expect(await nvim.lua("return vim.api.nvim_buf_get_name(0)")).toBe(nvim.path(FILE));
    expect(await nvim.screen()).not.toContain("new file");
  });

  it("changes and saves a file that was not open, with the approved text and no formatter's", async () => {
    await withProposal({
      file: "src/money.ts",
      before: `vim.api.nvim_create_autocmd("BufWritePre", { callback = function() vim.cmd("silent 1delete") end })
               vim.api.nvim_create_autocmd("BufWritePost", { callback = function() vim.g.written = true end })`,
    });
    await nvim.command("AgentQ acceptall");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await disk()).toContain(FIXED);
    expect(await disk()).toMatch(/^import \{ Money \}/);
    expect(await nvim.lua("return vim.g.written")).toBe(true);
    expect(await nvim.lua("return vim.api.nvim_buf_get_name(0)")).toBe(nvim.path("src/money.ts"));
  });

  it("leaves the cursor, the window and the mode alone when a proposal arrives", async () => {
    nvim = await startNeovim({
      editor,
      file: FILE,
      traffic: { recording: "fix-proposed", holdAt: ["agentq/proposal"] },
    });
    await nvim.lua("require('agentq').prompt(...)", "Refunds lose a cent: find the bug");
    await nvim.type("Go// typing");
    await nvim.until("it is typed", async () => (await nvim.lines(FILE)).at(-1) === "// typing");
    const place = `return { vim.fn.mode(), vim.fn.win_getid(), vim.fn.getpos("."), #vim.api.nvim_list_wins(), vim.fn.getqflist({ nr = "$" }).nr }`;
    const before = await nvim.lua(place);
    nvim.replay?.goOn();
    await nvim.untilEvent("Proposal");
    expect(await nvim.lua(place)).toEqual(before);
    expect((before as unknown[])[0]).toBe("i");
    await nvim.type(" on");
    await nvim.until("typing goes on", async () => (await nvim.lines(FILE)).at(-1) === "// typing on");
  });

  it("takes the hunks away when the turn is cancelled", async () => {
    await withProposal();
    await nvim.command("AgentQ next");
    await nvim.untilScreen(FIXED);
    await nvim.command("AgentQ cancel");
    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "cancelled" });
    await nvim.until("the hunks are gone", async () => (await pending()) === 0);
    expect(await nvim.screen()).not.toContain(FIXED);
  });

  it("writes nothing when a document is not what the edit was made for", async () => {
    nvim = await startNeovim({ editor, file: FILE });
    await nvim.type("ggOunsaved();<Esc>");
    await nvim.until("it is typed", async () => (await nvim.lines())[0] === "unsaved();");
    const before = await text();
    const refusal = async (documentChanges: readonly object[]): Promise<unknown> =>
      await nvim.lua(
        `local client = vim.lsp.get_clients({ name = "agentq" })[1]
         local targets, err = require("agentq.review.apply").apply(client, {
           documentChanges = require("agentq.wire").without_null(...),
         })
         return { targets == nil, err }`,
        documentChanges,
      );
    const insert = {
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
      newText: "wrong();\n",
    };
    const stale = { textDocument: { uri: nvim.uri(FILE), version: 1 }, edits: [insert] };
    const other = { textDocument: { uri: nvim.uri("src/money.ts"), version: null }, edits: [insert] };
    expect(await refusal([other, stale])).toEqual([true, expect.stringContaining("changed meanwhile")]);
    expect(await refusal([{ kind: "create", uri: nvim.uri(FILE) }])).toEqual([
      true,
      expect.stringContaining("exists by now"),
    ]);
    const unseen = { textDocument: { uri: nvim.uri(FILE), version: null }, edits: [insert] };
    expect(await refusal([unseen])).toEqual([true, expect.stringContaining("the server did not see")]);
    expect(await text()).toBe(before);
    expect(await text("src/money.ts")).not.toContain("wrong()");
  });

  it("gives back the maps that chosen review keys covered, and leaves those that others set since", async () => {
    await withProposal({
      before: `
        vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
          review = { keymaps = { accept = "gha", next = "]h", prev = "[h" } },
        })
        vim.api.nvim_create_autocmd("FileType", { pattern = "typescript", callback = function(args)
          vim.keymap.set("n", "gha", "<Cmd>let g:mine = 1<CR>", { buffer = args.buf })
        end })`,
    });
    const mapOf = async (lhs: string): Promise<string> =>
      await nvim.lua(`return vim.fn.maparg(..., "n", false, true).desc or vim.fn.maparg(..., "n")`, lhs);
    expect(await mapOf("gha")).toBe("AgentQ: accept");
    await nvim.lua(`vim.keymap.set("n", "]h", "<Cmd>let g:git = 1<CR>", { buffer = 0 })`);
    await nvim.type("ggO// typed<Esc>");
    await nvim.until("the key is back", async () => (await mapOf("]h")) === "AgentQ: next");
    await nvim.lua(`vim.keymap.set("n", "[h", "<Cmd>let g:git = 2<CR>", { buffer = 0 })`);
    await nvim.command("AgentQ rejectall no");
    await nvim.untilEvent("TurnEnded");
    await nvim.until("the keys are gone", async () => (await mapOf("gha")) !== "AgentQ: accept");
    expect([await mapOf("gha"), await mapOf("]h"), await mapOf("[h")]).toEqual([
      "<Cmd>let g:mine = 1<CR>",
      "<Cmd>let g:git = 1<CR>",
      "<Cmd>let g:git = 2<CR>",
    ]);
  });

  it("leaves a map that stands on a key of the review alone, and names the command instead", async () => {
    await withRecordedProposal(`vim.keymap.set("n", "<localleader>aa", "<Cmd>let g:mine = 1<CR>")`);
    await nvim.command("AgentQ review");
    await nvim.untilScreen("▎hunk 1 of 2 · allocate.ts 1/2 · :AgentQ accept · \\ar reject");
    await nvim.type("\\aa");
    await nvim.until("the own map runs", async () => (await nvim.lua("return vim.g.mine")) === 1);
    expect(await pending()).toBe(2);
  });

  it("changes no text when a review key is pressed once more than there are hunks", async () => {
    await withProposal();
    await nvim.command("AgentQ next");
    await nvim.type("\\aA");
    await nvim.untilEvent("Applied");
    const after = await text();
    await nvim.type("\\aa\\aa");
    await nvim.until("it says that nothing waits", async () =>
      (await nvim.notifications()).includes("AgentQ: no hunk waits for a decision"),
    );
    expect(await nvim.lua("return vim.fn.mode()")).toBe("n");
    expect(await text()).toBe(after);
  });

  it("keeps the keys in a file without hunks, also when the file is read again, while hunks wait in another", async () => {
    const edit = (path: string): Record<string, string> => ({
      path,
      modified: "export {};\n",
      description: `Empty ${path}`,
    });
    const script = scriptOf("two-files", "edit two files", [
      reply(call("propose_file_edit", edit("src/one.ts")), call("propose_file_edit", edit("src/two.ts"))),
      reply("Done."),
    ]);
    nvim = await startNeovim({ editor, script });
    await writeFile(nvim.path("src/one.ts"), "export const one = 1;\n");
    await writeFile(nvim.path("src/two.ts"), "export const two = 2;\n");
    await nvim.open("src/one.ts");
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Empty them");
    await nvim.untilEvent("Proposal", 2);
    await nvim.command("AgentQ review");
    await nvim.type("\\aa");
    await nvim.untilEvent("Applied");
    await nvim.until("the cursor has gone to the hunk of the other proposal", () =>
      nvim.lua<boolean>("return vim.api.nvim_buf_get_name(0):match('two.ts$') ~= nil"),
    );
    await nvim.command("buffer one.ts | edit");
    await nvim.type("\\aa");
    await nvim.until("it says where to go", async () => (await nvim.notifications()).join().includes("no hunk under"));
    expect(await text("src/one.ts")).toBe("export {};");
    await nvim.type("\\an");
    await nvim.until("the other file is shown", () =>
      nvim.lua<boolean>("return vim.api.nvim_buf_get_name(0):match('two.ts$') ~= nil"),
    );
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("Applied", 2)).toMatchObject({ verified: true });
    await nvim.untilEvent("TurnEnded");
  });

  it("has the keys wherever the person is, where none of them changes a text that no hunk is in", async () => {
    nvim = await startNeovim({ editor, file: "src/money.ts", script: proposeFix });
    await nvim.command("vsplit README.md");
    await nvim.command("tabnew src/invoice.ts");
    await nvim.command("edit src/discount.ts");
    await nvim.lua("require('agentq').prompt(...)", "The last one loses cents");
    await nvim.untilEvent("Proposal");
    const press = async (keys: string): Promise<void> => {
      const before = await nvim.lines();
      await nvim.type(keys);
      await nvim.until(`${keys} was taken`, async () => (await nvim.notifications()).length > 0);
      expect(await nvim.lua("return { vim.fn.mode(), vim.v.errmsg }")).toEqual(["n", ""]);
      expect(await nvim.lines()).toEqual(before);
      await nvim.lua("_G.test_notifications = {}");
    };
    const places = [
      "buffer discount.ts",
      "buffer invoice.ts",
      "tabnext",
      "wincmd p",
      "edit package.json",
      "edit src/app.ts",
      "edit ../elsewhere.ts",
      "enew",
      "help",
      "copen",
    ];
    for (const place of places) {
      await nvim.command(place);
      await nvim.until("the keys are there", () => nvim.lua<boolean>(`return vim.fn.maparg("\\\\an", "n") ~= ""`));
      await nvim.lua("_G.test_notifications = {}");
      for (const key of ["aa", "ar", "ae", "as", "aA", "aR"]) await press(`\\${key}`);
      expect(await nvim.events("HunkDecided")).toEqual([]);
    }
    await nvim.type("\\an");
    await nvim.until("the hunk's file is shown", async () =>
      (await nvim.lua<string>("return vim.api.nvim_buf_get_name(0)")).endsWith("allocate.ts"),
    );
    await nvim.type("\\aa");
    await nvim.untilEvent("Applied");
  });

  it("empties a file, and ends its lines again when they come back", async () => {
    const whole = "export const count = 1;\nexport const end = true;\n";
    nvim = await startNeovim({ editor, script: emptied });
    await writeFile(nvim.path("src/count.ts"), whole);
    await nvim.open("src/count.ts");
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Empty it");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ acceptall");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await disk("src/count.ts")).toBe("");
    await nvim.untilEvent("TurnEnded");
    expect(told()).not.toMatch(/not applied/i);
    await nvim.type("u");
    await nvim.until("the text is back", async () => (await text("src/count.ts")) !== "");
    await nvim.command("write");
    expect(await disk("src/count.ts")).toBe(whole);
  });

  it("leaves the complaint on the screen that an accepted edit was not saved", async () => {
    await withProposal({ before: "vim.notify = _G.test_own_notify" });
    await nvim.command("AgentQ review");
    await nvim.untilScreen("▎hunk 1 of 2");
    await nvim.command("set readonly");
    await nvim.type("\\aa");
    await nvim.untilEvent("Applied");
    await nvim.until("the decision is over", () =>
      nvim.lua<boolean>("return not require('agentq.review.decide').in_flight()"),
    );
    await nvim.untilScreen("AgentQ: applied but not saved: ");
    expect(await nvim.lua("return vim.bo.modified")).toBe(true);
  });

  it("opens a file by the name that a person would, and leaves the quickfix list to the person", async () => {
    await withProposal({ file: "src/money.ts" });
    await nvim.command("cexpr ['src/money.ts:1:mine']");
    await nvim.command("AgentQ review");
    await nvim.untilScreen("▎hunk 1 of 2");
    expect(await nvim.lua("return { vim.fn.bufname(), vim.fn.getqflist()[1].text }")).toEqual([
      "src/allocate.ts",
      "mine",
    ]);
  });

  it("shows lines that go before the first one and after the last one", async () => {
    const script = scriptOf("around", "write around a file", [
      (turn) =>
        reply(
          call("propose_file_edit", {
            path: "src/tax.ts",
            modified: `// above\n${turn.file("src/tax.ts")}// below\n`,
            description: "Write around it",
          }),
        ),
      reply("Done."),
    ]);
    await withProposal({ script, file: "src/tax.ts" });
    const before = await text("src/tax.ts");
    await nvim.command("AgentQ review");
    const screen = await nvim.untilScreen("// above", "// below", "compiler: no new error");
    expect(screen.split("\n").slice(0, 3)).toEqual([
      expect.stringMatching(/^▎hunk 1 of 2 · tax.ts 1\/2 · \\aa accept · \\ar reject · \\ae edit/),
      "// above",
      'import type { Money } from "./money.ts";',
    ]);
    await nvim.type("\\aa");
    await nvim.untilEvent("Applied");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("Applied", 2)).toMatchObject({ verified: true });
    expect(await text("src/tax.ts")).toBe(`// above\n${before}\n// below`);
    await nvim.untilEvent("TurnEnded");
  });

  it.each([
    { name: "carriage returns", first: "", ending: "\r\n", last: "\r\n" },
    { name: "no newline at its end", first: "", ending: "\n", last: "" },
    { name: "the byte order mark", first: "\uFEFF", ending: "\n", last: "\n" },
  ])("keeps $name of a file", async ({ first, ending, last }) => {
    const lines = ["export const name = 'Grüße 🙂';", "export const count = 1;", "export const end = true;"];
    nvim = await startNeovim({ editor, script: countTo(2) });
    await writeFile(nvim.path("src/count.ts"), first + lines.join(ending) + last);
    await nvim.open("src/count.ts");
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Count");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ acceptall");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await disk("src/count.ts")).toBe(first + lines.join(ending).replace("count = 1", "count = 2") + last);
  });
});

const emptied: Script = scriptOf("empty", "empty a file", [
  reply(call("propose_file_edit", { path: "src/count.ts", modified: "", description: "Empty it" })),
  reply("Emptied."),
]);

function countTo(count: number): Script {
  return scriptOf("count", "change a number", [
    reply(
      call("propose_file_edit", {
        path: "src/count.ts",
        original: "count = 1",
        modified: `count = ${count}`,
        description: "Count on",
      }),
    ),
    reply("Counted."),
  ]);
}
