/** Whatever a server sends, the editor stays whole: nothing throws, nothing is run, nothing drives the terminal. */
import { writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const ESCAPE = "\u001b";
/** Terminal sequences, keys, code for the command line and for the status line, a long line, characters without a shape. */
const HOSTILE = [
  `${ESCAPE}[2J${ESCAPE}]0;owned\u0007 <CR><Esc>:let g:owned = 1<CR>`,
  "%{execute('let g:owned = 1')}%!execute('let g:owned = 1') %#Error#",
  "a\u0000b\rc\r\nd \u202Ereversed\u0085 \u2028 \uD83D\uDE00",
  "x".repeat(10_000),
  "```\nan open fence",
].join("\n");

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function start(): Promise<void> {
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      columns: 80,
      traffic: { recording: "answer-after-a-look" },
      before: "vim.notify = _G.test_own_notify",
    });
    await nvim.command("AgentQ prompt Look");
    await nvim.untilEvent("TurnEnded");
  }

  /** Hands a notification to the client as its connection does, and answers what it threw. */
  const notify = (method: string, params: unknown): Promise<string> =>
    nvim.lua(
      `local method, params = ...
       local handler = require("agentq.handlers").table()[method]
       local context = { client_id = vim.lsp.get_clients({ name = "agentq" })[1].id }
       local ok, err = xpcall(handler, debug.traceback, nil, params, context)
       return ok and "" or tostring(err)`,
      method,
      params,
    );

  const sessionId = (): Promise<string> =>
    nvim.lua(`return require("agentq.chat.chats").find(vim.lsp.get_clients({ name = "agentq" })[1].id).session_id`);

  it("takes events of unknown kinds, of unknown calls and in a wrong order, and goes on with the next turn", async () => {
    await start();
    const session = await sessionId();
    const events: Record<string, unknown>[] = [
      { kind: "somethingNew", value: { deep: [1] } },
      { kind: "turnEnded", reason: "aReasonOfTomorrow" },
      { kind: "toolResult", toolCallId: "never-called", name: "nothing", result: result("late") },
      { kind: "toolCall", toolCallId: "c1", name: "eval_form", state: "aStateOfTomorrow", arguments: {} },
      { kind: "toolCall", toolCallId: "c1", name: "eval_form", state: "done", arguments: {} },
      { kind: "toolCall", toolCallId: "c1", name: "eval_form", state: "running", arguments: {} },
      { kind: "text", text: "before its turn" },
      { kind: "turnStarted", text: "Twice" },
      { kind: "turnStarted", text: "Twice" },
      { kind: "text", text: "after it began" },
      { kind: "toolResult", toolCallId: "c1", name: "eval_form", result: result("done") },
      { kind: "turnEnded", reason: "endTurn" },
      { kind: "turnEnded", reason: "endTurn" },
    ];
    const thrown: string[] = [];
    for (const [seq, event] of events.entries()) {
      thrown.push(await notify("agentq/event", { sessionId: session, turnId: "of-tomorrow", seq: seq * 2, event }));
    }
    thrown.push(
      await notify("agentq/proposalChanged", proposal(nvim.uri("src/tax.ts"), "never proposed", "withdrawn")),
    );
    thrown.push(await notify("agentq/approvalChanged", { approvalId: "never-asked", state: "answered" }));
    thrown.push(
      await notify("agentq/replOutput", { evalId: "never-run", stream: "stdout", text: "out\n", late: true }),
    );
    expect(thrown.filter((error) => error !== "")).toEqual([]);
    await nvim.untilTranscript("after it began", "events of this turn were lost");
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("");
    expect(await nvim.lua("return vim.fn.execute('messages')")).not.toMatch(/E\d+:|traceback/);
  });

  it("shows hostile text as text, everywhere that it comes to", async () => {
    await start();
    const session = await sessionId();
    const events: Record<string, unknown>[] = [
      { kind: "turnStarted", text: HOSTILE },
      { kind: "thinking", text: HOSTILE },
      { kind: "text", text: HOSTILE },
      { kind: "toolCall", toolCallId: "h1", name: HOSTILE, state: "running", arguments: { [HOSTILE]: HOSTILE } },
      { kind: "toolResult", toolCallId: "h1", name: HOSTILE, result: result(HOSTILE) },
      { kind: "turnEnded", reason: "error", message: HOSTILE },
    ];
    const thrown: string[] = [];
    for (const [seq, event] of events.entries()) {
      thrown.push(await notify("agentq/event", { sessionId: session, turnId: "hostile", seq, event }));
    }
    thrown.push(await notify("agentq/sessionChanged", { sessionId: session, name: HOSTILE }));
    thrown.push(await notify("agentq/replOutput", { evalId: "1", stream: "stderr", text: `${HOSTILE}\n` }));
    thrown.push(await notify("agentq/proposal", proposal(nvim.uri("src/tax.ts"), HOSTILE, "pending")));
    thrown.push(
      await notify("agentq/approval", {
        approvalId: "a1",
        tool: HOSTILE,
        toolCallId: "h2",
        arguments: { form: HOSTILE },
        why: HOSTILE,
        risk: HOSTILE,
      }),
    );
    expect(thrown.filter((error) => error !== "")).toEqual([]);
    await nvim.type(":AgentQ repl<CR>:AgentQ review<CR>:AgentQ question<CR>");
    await nvim.untilScreen("AgentQ asks");
    await nvim.type("q:AgentQ<CR><Esc>");
    await nvim.until("the cursor is in the message", () =>
      nvim.lua<boolean>(`return vim.bo.filetype == "agentq-message"`),
    );
    expect(await nvim.screen()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]/);
    expect(await nvim.lua("return { vim.g.owned or 'no', vim.v.errmsg }")).toEqual(["no", ""]);
    expect(await nvim.lua("return vim.fn.execute('messages')")).not.toMatch(/E\d+:|traceback/);
  });

  it("shows a very long line of minified code in each view of a hunk, to its end or with what is left out", async () => {
    await start();
    // Neovim brings the parser of Lua.
    await writeFile(nvim.path("src/min.lua"), "return 1\n");
    const long = `${"local a=b(c,1);".repeat(20_000)}the_end()`;
    const thrown = await notify("agentq/proposal", proposal(nvim.uri("src/min.lua"), "Minify", "pending", long));
    expect(thrown).toBe("");
    await nvim.type(":edit src/min.lua<CR>");
    await nvim.untilScreen("1 of 1 new lines are not shown", "local a=b(c,1);local a=b(c,1);", "… 1 more line: ");
    await nvim.type(":AgentQ reviewall<CR>");
    await nvim.untilScreen("not checked: Minify", "1 + local a=b(c,1);local a=b(c,1);");
    await nvim.type("/the_end<CR>");
    await nvim.untilScreen("the_end()");
    await nvim.type("q:AgentQ review diff<CR>");
    await nvim.untilScreen("min.lua as it is", "local a=b(c,1);local a=b(c,1);");
    await nvim.type("/the_end<CR>");
    await nvim.untilScreen("the_end()");
    expect(await nvim.lua("return vim.v.errmsg")).toBe("");
  });
});

function result(content: string): object {
  return { success: true, content, truncated: false, notes: [], metadata: { executionTimeMs: 1 } };
}

function proposal(uri: string, text: string, state: string, newText = text): object {
  const at = { line: 0, character: 0 };
  const hunk = {
    id: "h1",
    uri,
    kind: "edit",
    title: text,
    range: { start: at, end: at },
    oldText: "",
    newText: `${newText}\n`,
    state,
  };
  return {
    proposalId: "p1",
    title: text,
    why: text,
    state,
    edit: { documentChanges: [] },
    documents: [{ uri, version: null, sha256: null }],
    hunks: [hunk],
    check: { state: "unavailable", introduced: [], resolved: [], reason: text },
  };
}
