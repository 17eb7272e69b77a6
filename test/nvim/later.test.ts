import { readFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const FILE = "src/allocate.ts";
const FIXED = "Math.floor((total.cents";
const PROMPT = "Refunds lose a cent: find the bug and fix it, please, in the file where shares are made";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function withProposal(): Promise<void> {
    nvim = await startNeovim({ editor, server: "new", file: FILE, script: proposeFix, columns: 80 });
    await nvim.lua("require('agentq').prompt(...)", PROMPT);
    await nvim.untilEvent("Proposal");
  }

  const disk = async (): Promise<string> => await readFile(nvim.path(FILE), "utf8");

  it("shows a proposal again whose server was killed, and applies what is accepted of it", async () => {
    await withProposal();
    await nvim.killServer();
    await nvim.until("nothing waits", async () => !(await nvim.screen()).includes("hunks wait · :AgentQ review"));
    await nvim.until("the hunks are gone", async () => (await nvim.lua("return require('agentq').pending()")) === 0);
    await nvim.until("nobody says that nothing waits", async () => {
      await nvim.command("AgentQ review");
      const words = "AgentQ: a server has ended; :AgentQ restart brings its hunks back";
      return (await nvim.notifications()).at(-1) === words;
    });
    await nvim.command("AgentQ restart");
    await nvim.untilEvent("Proposal", 2);
    await nvim.command("AgentQ");
    await nvim.untilScreen("2 hunks wait · :AgentQ review");
    await nvim.type("<Esc>:AgentQ review<CR>");
    await nvim.untilScreen("▎hunk 1 of 2", "1/2 kept: Make the shares");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect((await nvim.lines(FILE)).join("\n")).toContain(FIXED);
  });

  it("lists what can be proposed again with the time, the reason and what became of it, also what was taken back by hand", async () => {
    await withProposal();
    await nvim.type(":AgentQ review<CR>");
    await nvim.untilScreen("▎hunk 1 of 2");
    await nvim.type("\\aA");
    await nvim.untilEvent("TurnEnded");
    await nvim.command("AgentQ reopen");
    await nvim.until("nothing is to be reopened", async () =>
      (await nvim.notifications()).includes("AgentQ: no proposal was rejected"),
    );
    await nvim.type("u");
    await nvim.untilTranscript("2 hunks: 2 taken back");
    await nvim.lua("require('agentq').prompt(...)", "Again");
    await nvim.untilEvent("TurnEnded", 2);
    await nvim.command("AgentQ reopen");
    await nvim.untilEvent("Proposal", 2);
    await nvim.lua(
      `vim.ui.select = function(items, options) vim.g.asked = vim.tbl_map(options.format_item, items) end`,
    );
    await nvim.command("AgentQ patch");
    await nvim.until("the proposals are listed", async () => await nvim.lua("return vim.g.asked"));
    const [newest, oldest] = await nvim.lua<string[]>("return vim.g.asked");
    expect(newest).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d .* · .*src\/allocate\.ts \(2 hunks: 2 waiting\)$/);
    expect(oldest).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d Make the .* · Edit src\/allocate\.ts \(2 hunks: 2 taken back\)$/,
    );
  });

  it("brings the files back to before a message that is chosen from a list", async () => {
    await withProposal();
    const before = await disk();
    await nvim.type(":AgentQ review<CR>");
    await nvim.untilScreen("▎hunk 1 of 2");
    await nvim.type("\\aA");
    await nvim.untilEvent("Applied");
    await nvim.untilTranscript("Understood.");
    await nvim.command("write");
    expect(await disk()).toContain(FIXED);
    // Neovim 0.10 answers no request while its own list waits for a number.
    await nvim.lua(`vim.ui.select = function(items, options, choose)
      vim.g.asked = options.prompt .. " " .. options.format_item(items[1])
      choose(items[1], 1)
    end`);
    await nvim.type(":AgentQ rewind<CR>");
    await nvim.until("the messages are listed", async () => await nvim.lua("return vim.g.asked"));
    expect(await nvim.lua("return vim.g.asked")).toMatch(
      /^Back to before which message\? Refunds lose a cent.*… \(2 hunks applied\)$/,
    );
    await nvim.untilEvent("Proposal", 2);
    // The answer to the request comes after the proposal.
    await nvim.until("the note is told", async () =>
      (await nvim.notifications()).some((message) => message.includes("the REPL's state is as it was")),
    );
    await nvim.type("\\aA");
    await nvim.untilEvent("Applied", 2);
    await nvim.command("write");
    expect(await disk()).toBe(before);
  });
});
