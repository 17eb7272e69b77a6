import { afterEach, expect, it } from "vitest";
import { hello } from "../../examples/demo/scripts/small.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

/** As a linter shows what it found. */
const LINT = `
  local namespace = vim.api.nvim_create_namespace("linter")
  local severity = vim.diagnostic.severity
  vim.diagnostic.set(namespace, 0, {
    { lnum = 2, col = 0, severity = severity.HINT, message = "could be shorter" },
    { lnum = 30, col = 0, severity = severity.WARN, message = "far away", source = "eslint" },
    { lnum = 15, col = 9, severity = severity.WARN, message = "near", source = "eslint" },
    { lnum = 3, col = 1, severity = severity.ERROR, message = "no such name" },
  })
`;

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** What the model has heard, after a message that is written beside line 14. */
  async function say(before = ""): Promise<string> {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: hello, before });
    await nvim.lua(LINT);
    await nvim.command("normal! 14G3|");
    await nvim.command("AgentQ prompt What is this?");
    await nvim.untilEvent("TurnEnded");
    return JSON.stringify(nvim.model?.requests[0]?.messages);
  }

  it("tells the model the lines on the screen and the errors and warnings of the file, and shows what went along", async () => {
    const heard = await say();
    expect(heard).toMatch(
      /The person is in src\/allocate\.ts:14 \(cursor\), lines 1-\d\d in view; the editor shows in it: line 4 error \\+"no such name\\+", line 16 warning \\+"near\\+" \(eslint\), line 31 warning \\+"far away\\+" \(eslint\)/,
    );
    expect(heard).not.toContain("could be shorter");
    expect(await nvim.transcript()).toMatch(
      /❯ What is this\?\n {2}⊕ src\/allocate\.ts:14 · lines 1-\d\d · 1 error, 2 warnings\n/,
    );
  });

  it("shows where a message was said in a conversation that is kept", async () => {
    await say();
    await nvim.command("AgentQ new");
    await nvim.command("AgentQ resume");
    await nvim.until("the conversation is shown again", async () =>
      /Conversation: .*\n(.*\n)*❯ What is this\?\n {2}⊕ src\/allocate\.ts:14 · lines 1-\d\d · 1 error, 2 warnings\n/.test(
        await nvim.transcript(),
      ),
    );
  });

  it("tells nothing of that where the person has switched it off", async () => {
    const heard = await say(`vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { chat = { send_place = false } })`);
    expect(heard).not.toMatch(/The person is in|no such name/);
    expect(await nvim.transcript()).toMatch(/❯ What is this\?\n\nHello/);
  });
});
