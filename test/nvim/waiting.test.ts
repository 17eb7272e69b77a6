import { afterEach, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const propose = scriptOf("propose", "propose an edit", [
  reply(
    call("propose_file_edit", {
      path: "src/allocate.ts",
      original: "Math.trunc(",
      modified: "Math.floor(",
      description: "Floor",
    }),
  ),
  reply("Understood."),
]);

const FORM = `const made = [];
for (const name of ["one", "two", "three", "four", "five", "six", "seven", "eight"]) {
  made.push(name.toUpperCase());
}
globalThis.lastOfAll = made.at(-1);`;

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function send(options: Partial<NeovimOptions>): Promise<void> {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", columns: 80, ...options });
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("Go on<C-s>");
  }

  const hasWaiting = async (): Promise<boolean> => (await nvim.screen()).includes("1 hunk waits");

  it("shows how to review as long as a proposal waits, and then what became of it", async () => {
    await send({ script: propose });
    await nvim.untilEvent("Proposal");
    await nvim.untilScreen("1 hunk waits · :AgentQ review", "in the file: \\aa accept · \\ar reject");
    await nvim.type("still writing<Esc>:AgentQ review<CR>");
    await nvim.until("the cursor is in the file", async () =>
      (await nvim.lines()).includes("export function allocate(total: Money, weights: readonly number[]): Money[] {"),
    );
    expect(await hasWaiting()).toBe(true);
    await nvim.command("AgentQ reject I like it as it is");
    await nvim.untilEvent("TurnEnded");
    await nvim.untilTranscript("✓ propose_file_edit 1 hunk: 1 rejected (");
    expect(await nvim.transcript()).not.toMatch(/propose_file_edit[^(]* (?:ms|s) /);
    await nvim.untilScreen("idle", "<C-s> sends");
    expect(await hasWaiting()).toBe(false);
  });

  it("says what became of a proposal also after an undo in the file, and after a redo", async () => {
    await send({ script: propose });
    await nvim.untilEvent("Proposal");
    await nvim.type("<Esc>:AgentQ review<CR>:AgentQ accept<CR>");
    await nvim.untilEvent("TurnEnded");
    await nvim.untilTranscript("✓ propose_file_edit 1 hunk: 1 accepted (");
    await nvim.command("undo");
    await nvim.untilTranscript("✓ propose_file_edit 1 hunk: 1 taken back (");
    await nvim.command("redo");
    await nvim.untilTranscript("✓ propose_file_edit 1 hunk: 1 accepted (");
  });

  it("never stops a person for Enter when a proposal with a long name comes", async () => {
    nvim = await startNeovim({
      editor,
      columns: 80,
      script: scriptOf("propose", "propose a new file", [
        reply(
          call("propose_file_edit", {
            path: `src/${"a-long-name-".repeat(8)}.ts`,
            modified: "export {};\n",
            description: "A file",
          }),
        ),
      ]),
      before: `vim.notify = _G.test_own_notify`,
    });
    const mode = async (): Promise<string> =>
      ((await nvim.client.request("nvim_get_mode", [])) as { mode: string }).mode;
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    await nvim.command("AgentQ prompt Go on");
    await nvim.untilEvent("Proposal");
    expect(await mode()).toBe("n");
    expect(await nvim.lua("return vim.fn.execute('messages')")).toMatch(/AgentQ: .*src\/a-long-name-/);
  });

  it("asks before the key that stops the turn takes a review away, and stops nothing by Ctrl-C, which is Esc to many", async () => {
    await send({ script: propose });
    // Ctrl-C interrupts whatever Lua Neovim runs: the proposal is shown by then.
    await nvim.untilScreen(
      "1 hunk waits",
      /waits for your decision \(.* · Edit src\/allocate.ts\)/,
      "compiler: no new error",
    );
    await nvim.type("next<C-c>");
    await nvim.until("insert mode is left", () => nvim.lua<boolean>("return vim.fn.mode() == 'n'"));
    await nvim.type("a<C-x><C-x>");
    await nvim.untilScreen("1 hunk waiting for your decision: stop the turn and withdraw that?");
    await nvim.type("n");
    await nvim.untilScreen("1 hunk waits · :AgentQ review · waiting for you · ", "claude-");
    expect(await nvim.events("TurnEnded")).toEqual([]);
    await nvim.type("<Esc><C-w>k<C-x>");
    await nvim.untilScreen("stop the turn and withdraw that?");
    await nvim.type("y");
    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "cancelled" });
    await nvim.untilTranscript("propose_file_edit was withdrawn");
  });

  it("asks before an evaluation with full rights, and tells the model why it was denied", async () => {
    const script = scriptOf("danger", "evaluate with full rights", [
      reply(call("eval_form", { form: "globalThis.made = 2" })),
      reply("Understood."),
    ]);
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      script,
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.command("AgentQ prompt Evaluate");
    await nvim.untilEvent("Approval");
    await nvim.untilTranscript("eval_form asks whether it may run", ":AgentQ deny       {reason}");
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ ⏸1 REPL open");
    await nvim.command("AgentQ deny not on this machine");
    await nvim.untilEvent("TurnEnded");
    expect(lastToolResult(nvim.model?.requests ?? [], "eval_form")).toContain("not on this machine");
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ REPL open");
    await nvim.command("AgentQ prompt Evaluate again");
    await nvim.untilEvent("Approval", 2);
    await nvim.command("AgentQ approve session");
    await nvim.untilEvent("TurnEnded", 2);
    expect(lastToolResult(nvim.model?.requests ?? [], "eval_form")).toContain("2");
    await nvim.command("AgentQ prompt Once more");
    await nvim.untilEvent("TurnEnded", 3);
    expect(await nvim.events("Approval")).toHaveLength(2);
  });

  it("shows all of the code that it asks about, and answers with a key", async () => {
    await send({
      script: scriptOf("danger", "evaluate with full rights", [
        reply(call("eval_form", { form: FORM })),
        reply("Understood."),
      ]),
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
        init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.untilEvent("Approval");
    const told = await nvim.untilTranscript("eval_form asks whether it may run", ":AgentQ question");
    for (const line of FORM.split("\n")) expect(told).toContain(`  │ ${line}\n`);
    expect(told).toContain("It runs with all of your rights");
    expect(told).not.toContain("State lasts between calls");
    const listed = await nvim.lua<string[]>(`return (require("agentq.chat.question").lines({
      tool = "run_command", why = "w", risk = "r",
      arguments = { hosts = { "a.example.com", "b-c.example.com:80" }, keep = { "a, b" }, numbers = { 1, 2 } } }))`);
    const words = ["  hosts: a.example.com, b-c.example.com:80", '  keep: ["a, b"]', "  numbers: [1,2]"];
    expect(listed).toEqual(expect.arrayContaining(words));
    await nvim.untilScreen("\neval_form asks · :AgentQ question");
    await nvim.type("<Esc>:AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ", "globalThis.lastOfAll = made.at(-1);", "1 approve", "4 because …");
    await nvim.type("q");
    await nvim.until("it is closed", async () => !(await nvim.screen()).includes(" AgentQ asks "));
    expect(await nvim.events("TurnEnded")).toEqual([]);
    await nvim.type(":AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ");
    await nvim.type("4");
    await nvim.answer("", "<Esc>");
    await nvim.until("it is said that nothing is answered", async () =>
      (await nvim.notifications()).includes("AgentQ: not answered: the question still waits"),
    );
    await nvim.type(":AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ");
    await nvim.type("4");
    await nvim.answer("not with my rights");
    await nvim.untilEvent("TurnEnded");
    expect(lastToolResult(nvim.model?.requests ?? [], "eval_form")).toContain("not with my rights");

    await nvim.type(":AgentQ prompt Again<CR>");
    await nvim.untilEvent("Approval", 2);
    await nvim.type(":AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ");
    await nvim.type("1");
    await nvim.untilEvent("TurnEnded", 2);
    expect(lastToolResult(nvim.model?.requests ?? [], "eval_form")).toContain("EIGHT");
  });

  it("answers nothing by the key that rejects a hunk in a file, whose last part but one would approve", async () => {
    await send({
      script: scriptOf("danger", "evaluate with full rights", [
        reply(call("eval_form", { form: FORM })),
        reply("Understood."),
      ]),
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
        init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.untilEvent("Approval");
    await nvim.type("<Esc>:AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ");
    await nvim.type("\\ar");
    await nvim.until("it is said what the key is for", async () =>
      (await nvim.notifications()).some((text) => text.includes("that key answers hunks")),
    );
    await nvim.untilScreen(" AgentQ asks ");
    await nvim.type("3");
    await nvim.untilEvent("TurnEnded");
    expect(lastToolResult(nvim.model?.requests ?? [], "eval_form")).not.toContain("EIGHT");
  });

  it("closes the window of a question once the question is answered by a command, or waits no more", async () => {
    await send({
      script: scriptOf("danger", "evaluate with full rights", [
        reply(call("eval_form", { form: FORM })),
        reply(call("eval_form", { form: FORM })),
        reply("Understood."),
      ]),
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
        init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    const untilClosed = (): Promise<unknown> =>
      nvim.until("the window is closed", async () => !(await nvim.screen()).includes(" AgentQ asks "));
    await nvim.untilEvent("Approval");
    await nvim.type("<Esc>:AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ");
    await nvim.type(":AgentQ deny not this one<CR>");
    await nvim.untilEvent("Approval", 2);
    await untilClosed();
    await nvim.type(":AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ");
    await nvim.type(":AgentQ cancel<CR>");
    await nvim.untilEvent("TurnEnded");
    await untilClosed();
  });

  itAtLength(
    "runs a call unasked that is approved for the project, until that is taken back, and counts the calls",
    async () => {
      await send({
        columns: 80,
        script: scriptOf("danger", "evaluate with full rights", [
          reply(call("eval_form", { form: "globalThis.made = 2" })),
          reply("Understood."),
        ]),
        before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
        init_options = { repl = { confinement = "openWithoutAsking" } } })`,
      });
      await nvim.untilEvent("Approval");
      await nvim.type("<Esc>:AgentQ question<CR>");
      await nvim.untilScreen("exactly this call runs unasked", "1 approve · 2 chat · w project", "q later");
      await nvim.type("w");
      await nvim.untilEvent("TurnEnded");
      await nvim.command("AgentQ new");
      await nvim.command("AgentQ prompt Again");
      await nvim.untilEvent("TurnEnded", 2);
      expect(await nvim.events("Approval")).toHaveLength(1);

      await nvim.type(":AgentQ tools<CR>");
      await nvim.untilScreen("describe_symbol        safe       introspection");
      expect(await nvim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")).toContainEqual(
        expect.stringMatching(/^write_file +dangerous +for programs; models are not told of it$/),
      );
      await nvim.type("q");

      await nvim.type(":AgentQ metrics<CR>");
      await nvim.untilScreen("calls failed denied", "eval_form");
      expect(await nvim.screen()).toMatch(/eval_form +2 +0 +0 +[\d.]+ m?s +[\d.]+ m?s +\d+ ch/);

      // Neovim 0.10 answers no request while its own list waits for a number.
      await nvim.lua(`vim.ui.select = function(items, options, choose)
      vim.g.asked = options.prompt .. " " .. options.format_item(items[1])
      choose(items[1], 1)
    end`);
      await nvim.type(":AgentQ remembered<CR>");
      await nvim.until("the calls are listed", async () => await nvim.lua("return vim.g.asked"));
      expect(await nvim.lua("return vim.g.asked")).toMatch(
        /^Ask again about which call\? eval_form \{"form":.*\(this project, since /,
      );
      await nvim.until("it is forgotten", async () =>
        (await nvim.notifications()).join("\n").includes("you are asked again about this call of eval_form"),
      );
      await nvim.command("AgentQ prompt Once more");
      await nvim.untilEvent("Approval", 2);
      await nvim.command("AgentQ deny");
      await nvim.untilEvent("TurnEnded", 3);
    },
  );

  it("shows the code in its colours, and runs what the person makes of it", async () => {
    await send({
      script: scriptOf("danger", "evaluate with full rights", [
        reply(call("eval_form", { form: `globalThis.made = "first"\n.concat(" and more")` })),
        reply("Understood."),
      ]),
      // Neovim brings no parser for TypeScript; that of Lua colours strings too.
      before: `vim.treesitter.language.register("lua", "typescript")
        vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
          init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.untilEvent("Approval");
    await nvim.type("<Esc>:AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ", "e edit");
    const strings = await nvim.lua<string[]>(`
      local found = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })) do
        if mark[4].hl_group == "@string.lua" then
          local line = vim.api.nvim_buf_get_lines(0, mark[2], mark[2] + 1, true)[1]
          table.insert(found, line:sub(mark[3] + 1, mark[4].end_col))
        end
      end
      return found`);
    expect(strings).toEqual(['"first"', '" and more"']);
    await nvim.type("e");
    await nvim.untilScreen("form of eval_form · :w runs it so");
    expect(await nvim.lines()).toEqual(['globalThis.made = "first"', '.concat(" and more")']);
    await nvim.type(`ggcG"mine".length<Esc>:q<CR>`);
    await nvim.untilScreen("E37");
    expect(await nvim.events("TurnEnded")).toEqual([]);
    // Who asks for it again comes back to what they were writing.
    await nvim.type("<C-w>p:AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ");
    await nvim.type("e");
    await nvim.until("the text is there", async () => (await nvim.lines()).join("|") === '"mine".length');
    await nvim.type(":w<CR>");
    await nvim.untilEvent("TurnEnded");
    const heard = lastToolResult(nvim.model?.requests ?? [], "eval_form");
    expect(heard).toContain("4");
    expect(heard).not.toContain("first");
    await nvim.until("its window is closed", async () => !(await nvim.screen()).includes("runs it so"));
  });

  it("asks about one's own evaluation beside the line that is typed, never on it, until it is answered", async () => {
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      columns: 80,
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
        init_options = { repl = { confinement = "open" } } })`,
    });
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("what I write");
    await nvim.lua(`vim.schedule(function() vim.cmd("AgentQ eval 1 + 1") end)`);
    await nvim.untilEvent("Approval");
    await nvim.untilScreen(" AgentQ asks ", "what I write");
    await nvim.lua(`vim.schedule(function() vim.cmd("AgentQ deny") end)`);
    await nvim.untilEvent("EvalDone");
    await nvim.until("the question is gone", async () => !(await nvim.screen()).includes(" AgentQ asks "));
  });
});
