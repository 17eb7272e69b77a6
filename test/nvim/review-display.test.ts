import { writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const FILE = "src/count.ts";
const LONG = `export const names = [${Array.from({ length: 30 }, (_, index) => `"n${index}"`).join(", ")}];`;

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** Neovim in a file whose `before` a proposal makes `after`, with the cursor on its first hunk. */
  async function review(before: string, after: string, options: Partial<NeovimOptions> = {}): Promise<void> {
    const edit = { path: FILE, modified: after, description: "Edit it" };
    const script = scriptOf("edit", "edit a file", [reply(call("propose_file_edit", edit)), reply("Done.")]);
    nvim = await startNeovim({ editor, script, ...options });
    await writeFile(nvim.path(FILE), before);
    await nvim.open(FILE);
    await nvim.untilReady();
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
    await review("export const names = [];\n", `${LONG}\n`, { columns: 80 });
    const wide = await nvim.untilScreen('"n29"];');
    expect(wide.split("\n").filter((row) => row.startsWith("↪ "))).toHaveLength(2);
    await nvim.command("set number | vsplit");
    const narrow = await nvim.untilScreen('"n29"];');
    expect(narrow.split("\n").filter((row) => /^ +↪ /.test(row)).length).toBeGreaterThan(4);
  });

  it.each([
    { columns: 40, rows: 2 },
    { columns: 80, rows: 1 },
  ])("says on $columns columns how to answer a hunk", async ({ columns, rows }) => {
    await review("// one\n// same\n// two\n", "// 1\n// same\n// 2\n", { columns });
    const screen = await nvim.untilScreen("\\aR none", "\\an next");
    const lines = screen.split("\n");
    expect(lines.slice(1, 1 + rows).join(" · ")).toBe(
      "▎1/2 · \\aa accept · \\ar reject · \\ae edit · \\aA all · \\aR none · \\an next",
    );
  });

  it("counts the lines of a hunk that the window has no room for, and shows them on a key", async () => {
    const many = Array.from({ length: 60 }, (_, index) => `export const row${index} = ${index};`);
    await review("export {};\n", `export {};\n${many.join("\n")}\n`);
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
    const rest = Array.from({ length: 100 }, (_, index) => `// ${index}`).join("\n");
    await review(`${rest}\n`, `// above\n${rest}\n`);
    await nvim.untilScreen("// above");
    await nvim.type("G");
    await nvim.untilScreen("// 99");
    await nvim.type("gg");
    await nvim.untilScreen("// above", "▎1/1");
  });

  it("marks what differs inside a line that goes, whatever the colour scheme", async () => {
    await review("// one line\n", "// one word\n", { before: `vim.cmd("syntax off | colorscheme habamax")` });
    await nvim.untilScreen("▎1/1");
    const [same, differs, after] = await nvim.lua<number[]>(
      `vim.cmd("redraw!") return { vim.fn.screenattr(1, 4), vim.fn.screenattr(1, 8), vim.fn.screenattr(1, 40) }`,
    );
    expect(differs).not.toBe(same);
    expect(after, "the background reaches the edge").toBe(same);
  });

  it("draws the person's own text in place of the proposed one, and forgets it with :q!", async () => {
    await review("// one\n", "// two\n");
    await nvim.type("\\ae");
    await nvim.untilScreen("proposed text, change it as you like");
    await nvim.type("A of mine<Esc>:w<CR>");
    await nvim.until("it says that the text is kept", async () =>
      (await nvim.notifications()).includes("AgentQ: your text is kept; \\aa takes it"),
    );
    await nvim.type(":q<CR>");
    await nvim.untilScreen("▎1/1 · your text", "// two of mine");
    await nvim.type("\\ae");
    await nvim.untilScreen("▎1/1 · your text · \\aa accept · \\ar reject\n");
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
    await review("const a = 1;\n", "const a\u202E = \u00AD1; // 👩\u200D💻 a\u200D\n");
    const screen = await nvim.untilScreen("const a<U+202E> = <U+00AD>1;", "a<U+200D>");
    expect(screen.split("<U+200D>")).toHaveLength(2);
    await nvim.type("\\ae");
    await nvim.until("they are written out in its buffer too", async () =>
      (await nvim.screen()).split("\n").some((row) => /^const a.*<U\+202E>.* = .*<U\+00AD>.*1;/.test(row)),
    );
  });

  it("shows a carriage return where only some lines have one", async () => {
    await review("a\r\nb\n", "a\nb\n");
    await nvim.untilScreen("▎1/1");
    const rows = (await nvim.screen()).split("\n");
    expect(rows[0]).toBe("a^M");
    expect(rows).toContain("a");
  });

  it("tells what the compiler says of a proposal, first and when it is done", async () => {
    await review("// one\n", "// two\n");
    await changed({ check: { state: "running", introduced: [], resolved: [] } });
    await nvim.untilScreen("▎compiler: checking…");
    const error = {
      uri: nvim.uri("src/tax.ts"),
      range: { start: { line: 2, character: 0 }, end: { line: 2, character: 1 } },
      severity: "error",
      message: "Cannot find name 'count'.",
    };
    await changed({ check: { state: "done", introduced: [error], resolved: [] } });
    await nvim.untilScreen("▎compiler: 1 new error: src/tax.ts:3 Cannot find name 'count'.");
    await changed({ check: { state: "done", introduced: [], resolved: [error] } });
    await nvim.untilScreen("▎compiler: no new error, 1 solved");
    await changed({ check: { state: "unavailable", introduced: [], resolved: [], reason: "it is dead" } });
    await nvim.untilScreen("▎not checked: it is dead");
  });

  it("asks for no Enter when a proposal with a long name arrives", async () => {
    const path = `src/${"a-very-long-folder-name/".repeat(3)}file.ts`;
    const script = scriptOf("edit", "make a file", [
      reply(call("propose_file_edit", { path, modified: "export {};\n", description: "Make it" })),
      reply("Done."),
    ]);
    nvim = await startNeovim({ editor, script, columns: 80 });
    await nvim.lua("vim.notify = _G.test_own_notify");
    await nvim.open("src/tax.ts");
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Make it");
    await nvim.untilEvent("Proposal");
    await nvim.untilScreen("1 hunk: :AgentQ review");
  });
});
