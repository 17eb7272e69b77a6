/** Some lines of a hunk are accepted by a selection, and a hunk is split. */
import { writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { linesBefore, linesFile, proposeLines } from "../support/propose-lines.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function withProposal(): Promise<void> {
    nvim = await startNeovim({ editor, script: proposeLines });
    await writeFile(nvim.path(linesFile), linesBefore);
    await nvim.open(linesFile);
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Ten times the size");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
  }

  const sizes = async (): Promise<string> => (await nvim.lines(linesFile)).join(" ").replaceAll("export const ", "");
  const told = (): string => lastToolResult(nvim.model?.requests ?? [], "propose_edits");
  const untilPending = (count: number): Promise<true> =>
    nvim.until(`${count} hunks wait`, async () => (await nvim.lua("return require('agentq').pending()")) === count);

  it("takes the selected lines with the lines that stand for them, and tells the model the rest", async () => {
    await withProposal();
    await nvim.untilScreen(
      "▎hunk 1 of 2 · sizes.ts 1/2 · \\aa accept · \\ar reject · \\ae edit · \\as split · \\aA all · \\aR none",
    );
    await nvim.command("3");
    await nvim.type("V\\aa");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await sizes()).toBe("// sizes a = 1; b = 20; c = 3; // end");
    await untilPending(3);
    await nvim.command("1");
    await nvim.command("AgentQ next");
    await nvim.command("AgentQ reject a stays");
    await nvim.command("AgentQ next");
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    expect(await sizes()).toBe("// sizes a = 1; b = 20; c = 30; // end d = 4; e = 5; f = 6;");
    expect(told()).toContain(
      'NOT applied, the person rejected it: "a stays"\n    -export const a = 1;\n    +export const a = 10;\n',
    );
    expect(told()).toContain("a part of h1: applied\n    -export const b = 2;\n    +export const b = 20;\n");
  });

  it("takes the lines of a range, whole hunks among them", async () => {
    await withProposal();
    await nvim.command("4,5AgentQ accept");
    await nvim.untilEvent("Applied");
    expect(await sizes()).toBe("// sizes a = 1; b = 2; c = 30; // end");
    await nvim.command("1,$AgentQ accept");
    await nvim.untilEvent("Applied", 2);
    await untilPending(1);
    expect(await sizes()).toBe("// sizes a = 10; b = 20; c = 30; // end");
  });

  it("takes some of the lines that a hunk brings from its text", async () => {
    await withProposal();
    await nvim.command("5");
    await nvim.type("V\\aa");
    await nvim.until("it says where such lines are selected", async () =>
      (await nvim.notifications()).some((words) => words.includes("selected in its text: \\ae opens it")),
    );
    await nvim.type("\\ae");
    await nvim.untilScreen("proposed text");
    await nvim.command("2");
    await nvim.type("V\\aa");
    await nvim.untilEvent("Applied");
    expect(await sizes()).toBe("// sizes a = 1; b = 2; c = 3; // end e = 5;");
    await untilPending(3);
    await nvim.until("what is left stands above and below that line", async () =>
      /d = 4;[^]*e = 5;[^]*▎hunk 4 of 4[^]*f = 6;/.test(await nvim.screen()),
    );
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    expect(await sizes()).toBe("// sizes a = 10; b = 20; c = 30; // end d = 4; e = 5; f = 6;");
  });

  it("splits a hunk into its lines, each decided by itself, in any order", async () => {
    await withProposal();
    await nvim.type("\\as");
    await untilPending(4);
    await nvim.untilScreen("▎hunk 1 of 4", "▎hunk 2 of 4", "▎hunk 3 of 4");
    await nvim.command("AgentQ next");
    await nvim.type("\\as");
    await nvim.until("a line is not split", async () =>
      (await nvim.notifications()).some((text) => text.includes("this hunk stays whole")),
    );
    await nvim.type("\\aa");
    await nvim.untilEvent("Applied");
    expect(await sizes()).toBe("// sizes a = 1; b = 20; c = 3; // end");
    await nvim.command("2");
    await nvim.type("\\aa");
    await nvim.untilEvent("Applied", 2);
    expect(await sizes()).toBe("// sizes a = 10; b = 20; c = 3; // end");
    await nvim.command("5");
    await nvim.command("AgentQ split");
    await untilPending(4);
    await nvim.until("each line is a hunk", async () =>
      /4\/6[^]*d = 4;[^]*5\/6[^]*e = 5;[^]*6\/6[^]*f = 6;/.test(await nvim.screen()),
    );
    // All three stand on the same row: the first is under the cursor.
    await nvim.command("5");
    await nvim.command("AgentQ next");
    await nvim.command("AgentQ reject no e");
    await untilPending(3);
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    expect(await sizes()).toBe("// sizes a = 10; b = 20; c = 30; // end d = 4; f = 6;");
    expect(told()).toContain('NOT applied, the person rejected it: "no e"\n    +export const e = 5;\n');
  });

  it("has no key of the visual mode once nothing waits", async () => {
    await withProposal();
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    await nvim.until("the keys are gone", async () => (await nvim.lua("return vim.fn.maparg('\\\\aa', 'x')")) === "");
  });
});
