import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
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
