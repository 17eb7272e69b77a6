import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { fixBug } from "../../examples/demo/scripts/fix-bug.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const look = (symbol: string): ReturnType<typeof call> => call("describe_symbol", { symbol });

const looks = scriptOf("looks", "look at many things, and fail and run in between", [
  reply("I look.", look("allocate"), look("splitEvenly"), call("read_file", { path: "src/money.ts" })),
  reply(look("Money"), call("read_file", { path: "src/none.ts" }), look("prorate")),
  reply(call("document_outline", { path: "src/tax.ts" }), "Now I run.", call("eval_form", { form: "6 * 7" })),
  reply(look("Invoice")),
  reply("Seen."),
]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** The lines of the transcript after a turn, without the time that calls took. */
  const turn = async (script: Script): Promise<string[]> => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script });
    await nvim.command("AgentQ prompt Look around");
    await nvim.untilEvent("TurnEnded");
    return await heads();
  };

  const heads = async (): Promise<string[]> =>
    (await nvim.transcript())
      .split("\n")
      .filter((line) => /^[✓✗●?] /.test(line))
      .map((line) => line.replace(/\b[\d.]+ m?s\b/, "…").replace(/ → .*/, ""));

  it("joins neighbouring calls that only looked to one line, and leaves those that failed or ran code their own", async () => {
    expect(await turn(looks)).toEqual([
      "✓ 4 calls … describe_symbol allocate · describe_symbol splitEvenly · read_file src/money.ts · describe_symbol Money",
      "✗ read_file …",
      "✓ 2 calls … describe_symbol prorate · document_outline src/tax.ts",
      "✓ eval_form …",
      "✓ describe_symbol … (symbol: Invoice)",
    ]);
  });

  it("shows what each call of a line was given and answered, and takes that away again", async () => {
    const before = await turn(looks);
    await nvim.type("<C-w>l:silent call search('4 calls', 'b')<CR><CR>");
    const opened = await nvim.untilTranscript("│ ✓ read_file");
    for (const words of ["│ symbol = allocate", "│ symbol = splitEvenly", "│ path = src/money.ts", "│ symbol = Money"])
      expect(opened).toContain(words);
    expect(opened.match(/│ → result/g)).toHaveLength(4);
    await nvim.type("<CR>");
    await nvim.until("they are closed", async () => !(await nvim.transcript()).includes("│ ✓ read_file"));
    expect(await heads()).toEqual(before);
    await nvim.type("zR");
    expect(await nvim.untilTranscript("│ form = 6 * 7")).toContain("│ symbol = Invoice");
  });

  it("shows edits that came to no proposal as lines that go and come, with the model's reason", async () => {
    const edits = [{ op: "replace", path: "src/tax.ts", original: "no such\ntext", modified: "a text" }];
    const refused = scriptOf("refused", "propose what cannot be made", [
      reply(call("propose_edits", { description: "Round the tax", edits })),
      reply("So not."),
    ]);
    await turn(refused);
    expect(await nvim.transcript()).toMatch(/^✗ propose_edits .*\(Round the tax\)$/m);
    await nvim.type("<C-w>l:silent call search('propose_edits', 'b')<CR><CR>");
    await nvim.untilTranscript("│ replace src/tax.ts\n│ - no such\n│ - text\n│ + a text\n");
  });

  it("shows the hunks of a proposal on its line with what became of each, also when the conversation is shown again", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: fixBug });
    await nvim.command("AgentQ prompt Find the bug and fix it");
    await nvim.untilScreen("hunks wait", "propose_file_edit waits for your decision");
    const open = async (): Promise<string> => {
      await nvim.lua(`
        vim.api.nvim_set_current_win(vim.fn.win_findbuf(vim.fn.bufnr("agentq://chat/invoices"))[1])
        vim.fn.search("propose_file_edit", "b")
      `);
      await nvim.type("<CR>");
      const shown = await nvim.untilTranscript("│ -   const shares", "│ +   const shares");
      return shown.slice(shown.lastIndexOf("propose_file_edit"));
    };
    expect(await open()).toMatch(
      /^propose_file_edit waits .*\n│ Make the shares .*\n│ src\/allocate\.ts:14 · waits for your/,
    );
    await nvim.command("AgentQ next");
    await nvim.command("AgentQ accept");
    await nvim.untilTranscript("src/allocate.ts:14 · ✓ accepted");
    await nvim.untilScreen("hunk 2 of 2", "accepted, 1 left");
    await nvim.command("AgentQ next");
    await nvim.command("AgentQ! reject not asked for");
    const first = await nvim.untilTranscript("2 hunks: 1 accepted, 1 rejected", "src/allocate.ts:14 · ✓ accepted");
    expect(first).toMatch(/│ src\/allocate\.ts:\d+ · ✗ rejected/);
    await nvim.untilEvent("TurnEnded");
    await nvim.command("AgentQ new");
    await nvim.command("AgentQ resume");
    await nvim.until("the outcome stands there once more", async () =>
      /· Conversation: [^]*✓ propose_file_edit 2 hunks: 1 accepted, 1 rejected \(Make the/.test(
        await nvim.transcript(),
      ),
    );
    await nvim.type("<Esc>");
    expect(await open()).toMatch(/│ src\/allocate\.ts:14 · ✓ accepted\n│ - {3}const shares/);
  });

  it("keeps details open that the person opened before their call joined another", async () => {
    const slow = scriptOf("slow", "look, and look again after a while", [
      reply(look("allocate")),
      { ...reply(look("Money")), delayMs: 3000 },
      reply("Seen."),
    ]);
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: slow });
    await nvim.command("AgentQ prompt Look around");
    await nvim.untilTranscript("✓ describe_symbol");
    await nvim.type("<C-w>l:silent call search('✓ describe_symbol', 'b')<CR><CR>");
    await nvim.untilTranscript("│ symbol = allocate");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toMatch(
      /✓ 2 calls .*\n│ ✓ describe_symbol [^]*│ symbol = allocate\n[^]*│ symbol = Money\n/,
    );
  });
});
