import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { editedFile, proposedEdits, type ProposedEdit } from "../support/traffic/scenarios.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** Neovim in a file for which a recorded proposal comes, with the cursor on its first hunk. */
  async function review(recording: ProposedEdit, options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file: editedFile, traffic: { recording }, ...options });
    await nvim.lua("require('agentq').prompt(...)", "Edit it");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
  }

  /** The proposal that waits, told anew by the server with other facts. */
  async function changed(facts: object): Promise<void> {
    const [event] = await nvim.events<{ proposal: object }>("Proposal");
    await nvim.lua(
      `local client = vim.lsp.get_clients({ name = "agentq" })[1]
       client.handlers["agentq/proposalChanged"](nil, ..., { client_id = client.id })`,
      { ...event?.proposal, ...facts },
    );
  }

  it("wraps a proposed line to its window, also when the window becomes another", async () => {
    await review("edit-long-line", { columns: 80 });
    const wide = await nvim.untilScreen('"n29"];');
    expect(wide.split("\n").filter((row) => row.startsWith("↪ "))).toHaveLength(2);
    await nvim.command("set number | vsplit");
    // The line is wrapped anew after the screen has shown the window's other size.
    await nvim.until("the line is wrapped to the narrow window", async () => {
      const screen = await nvim.screen();
      return screen.includes('"n29"];') && screen.split("\n").filter((row) => /^ +↪ /.test(row)).length > 4;
    });
  });

  it.each([
    { columns: 40, rows: 4 },
    { columns: 80, rows: 2 },
  ])("says on $columns columns how to answer the hunk under the cursor", async ({ columns, rows }) => {
    await review("edit-two-places", { columns });
    const screen = await nvim.untilScreen("\\aR none", "\\an next");
    const lines = screen.split("\n");
    expect(lines.slice(0, rows).join(" · ")).toBe(
      "▎hunk 1 of 2 · count.ts 1/2 · \\aa accept · \\ar reject · \\ae edit · \\aA all · \\aR none · \\an next · compiler: no new error",
    );
    await nvim.untilScreen(/▎hunk 2 of 2 · count.ts 2\/2[ ·\n]+compiler: no/);
    await nvim.type("\\an");
    await nvim.untilScreen(
      /▎hunk 1 of 2 · count.ts 1\/2[ ·\n]+compiler: no/,
      /▎hunk 2 of 2 · count.ts 2\/2[ ·\n]+\\aa acc/,
    );
  });

  it("counts the lines of a hunk that the window has no room for, and shows them on a key", async () => {
    const many = proposedEdits["edit-many-lines"].after.split("\n").slice(1, -1);
    await review("edit-many-lines");
    await nvim.untilScreen("hunk 1 of 1");
    await nvim.type("q");
    const screen = await nvim.untilScreen("more lines: \\ae shows them", "row0 ");
    const [, left] = /… (\d+) more lines/.exec(screen) ?? [];
    const shown = many.filter((line) => screen.includes(line));
    expect(shown).toEqual(many.slice(0, 60 - Number(left)));
    expect(screen).toContain(`${left} of 60 new lines are not shown`);
    await nvim.type("\\ae");
    await nvim.until("all lines can be read", async () => (await nvim.lines()).join() === many.join());
    await nvim.type("G");
    await nvim.untilScreen("row59 ");
  });

  it("keeps lines above the first one in sight when the cursor comes back to it", async () => {
    await review("edit-above-all");
    await nvim.untilScreen("// above");
    await nvim.type("G");
    await nvim.untilScreen("// 99");
    await nvim.type("gg");
    await nvim.untilScreen("// above", "▎hunk 1 of 1");
  });

  it("draws the person's own text in place of the proposed one, and forgets it with :q!", async () => {
    await review("edit-one-line");
    await nvim.type("\\ae");
    await nvim.untilScreen("proposed text, change it as you like");
    await nvim.type("A of mine<Esc>:w<CR>");
    await nvim.until("it says that the text is kept", async () =>
      (await nvim.notifications()).includes("AgentQ: your text is kept; \\aa takes it"),
    );
    await nvim.type(":q<CR>");
    await nvim.untilScreen("▎hunk 1 of 1 · count.ts 1/1 · your text", "// two of mine");
    await nvim.type("\\ae");
    await nvim.untilScreen("▎hunk 1 of 1 · count.ts 1/1 · your text · \\aa accept · \\ar reject · compiler");
    await nvim.command("wincmd k");
    await nvim.type("\\ae");
    await nvim.until("the window that shows it is entered", () =>
      nvim.lua<boolean>("return vim.fn.winnr() == 2 and vim.fn.winnr('$') == 2"),
    );
    await nvim.type(":q!<CR>");
    await nvim.until("the proposed text is back", async () => !(await nvim.screen()).includes("of mine"));
    await nvim.type("\\ae");
    await nvim.until("its buffer is filled anew", async () => (await nvim.lines()).join() === "// two");
  });

  it("writes out characters that cannot be seen in what is proposed", async () => {
    await review("edit-unseen-characters");
    const screen = await nvim.untilScreen("const a<U+202E> = <U+00AD>1;", "a<U+200D>");
    expect(screen.split("<U+200D>")).toHaveLength(2);
    await nvim.type("\\ae");
    await nvim.until("they are written out in its buffer too", async () =>
      (await nvim.screen()).split("\n").some((row) => /^const a.*<U\+202E>.* = .*<U\+00AD>.*1;/.test(row)),
    );
  });

  it("shows a carriage return where only some lines have one", async () => {
    await review("edit-carriage-return");
    await nvim.untilScreen("▎hunk 1 of 1");
    const rows = (await nvim.screen()).split("\n");
    expect(rows).toEqual(expect.arrayContaining(["a^M", "a"]));
  });

  it("tells what the compiler says of a proposal, first and when it is done", async () => {
    await review("edit-one-line");
    await changed({ check: { state: "running", introduced: [], resolved: [] } });
    await nvim.untilScreen(" · compiler: checking…");
    const error = {
      uri: nvim.uri("src/tax.ts"),
      range: { start: { line: 2, character: 0 }, end: { line: 2, character: 1 } },
      severity: "error",
      message: "Cannot find name 'count'.",
    };
    await changed({ check: { state: "done", introduced: [error], resolved: [] } });
    await nvim.untilScreen("▎compiler: 1 new error: src/tax.ts:3 Cannot find name 'count'.");
    await changed({ check: { state: "done", introduced: [], resolved: [error] } });
    await nvim.untilScreen(" · compiler: no new error, 1 gone with all");
    await changed({ check: { state: "unavailable", introduced: [], resolved: [], reason: "it is dead" } });
    await nvim.untilScreen(" · not checked: it is dead");
  });

  it("tells what tests that ran by themselves say of a proposal", async () => {
    await review("edit-one-line");
    const none = { passed: 0, failed: 0, skipped: 0, failures: [], files: [] };
    await changed({ tests: { ...none, state: "running" } });
    await nvim.untilScreen("tests, all: running…");
    await changed({
      tests: { ...none, state: "done", passed: 15, failed: 1, reason: "1 more test file was not run." },
    });
    await nvim.untilScreen("tests, all: 1 of 16 fails (1 more test file was not run)");
    await changed({ tests: { ...none, state: "unavailable", reason: "no test file imports a file of the proposal." } });
    await nvim.untilScreen("tests, all: none was run: no test file imports a file of the proposal.");
  });

  it("asks for no Enter when a proposal with a long name arrives", async () => {
    nvim = await startNeovim({ editor, traffic: { recording: "file-with-a-long-name" }, columns: 80 });
    await nvim.lua("vim.notify = _G.test_own_notify");
    await nvim.open("src/tax.ts");
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Make it");
    await nvim.untilEvent("Proposal");
    await nvim.untilScreen("1 hunk: :AgentQ review");
  });

  it("has a plugin show one message about proposals that arrive one after the other", async () => {
    await review("edit-one-line");
    await nvim.until("the first one is told", async () => (await nvim.notifications()).length > 0);
    const before = (await nvim.notifications()).length;
    await nvim.lua(`
      local entry = require("agentq.review.store").all()[1]
      for _, id in ipairs({ "one", "other" }) do
        local proposal = vim.tbl_extend("force", entry.proposal, { proposalId = id })
        require("agentq.review.arrivals").on_proposal(entry.client_id, proposal)
      end
    `);
    const told = async (): Promise<string[]> => (await nvim.notifications()).slice(before);
    await nvim.until("it is told", async () => (await told()).length > 0);
    expect(await told()).toEqual(["AgentQ: 2 hunks: :AgentQ review. 2 proposals"]);
  });
});
