import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf, think, type Reply, type Script } from "../../examples/demo/model/script.ts";
import type { Turn } from "../../examples/demo/model/turn.ts";
import { smallScripts } from "../../examples/demo/scripts/small.ts";
import { describeEachEditor } from "../support/editors.ts";
import { words } from "../support/traffic/scenarios.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const FILE = "src/allocate.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function start(script: Script | undefined, options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file: FILE, ...(script === undefined ? {} : { script }), ...options });
  }

  /** Neovim with a recording in place of a server, which stops at each of the texts until `goOn`. */
  const replay = (recording: string, ...holdAt: string[]): Promise<void> =>
    start(undefined, { traffic: { recording, holdAt } });
  const goOn = (): void => nvim.replay?.goOn();

  it("shows an answer while it is still being written, by adding to the end only", async () => {
    await replay("answer-in-words", "word0 ", "word9 ");
    await nvim.command("AgentQ prompt Talk");
    await nvim.lua(`
      for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
        if vim.api.nvim_buf_get_name(bufnr):match("^agentq://chat") then
          _G.test_changes = {}
          vim.api.nvim_buf_attach(bufnr, false, {
            on_bytes = function(_, _, _, _, _, _, _, _, old_bytes)
              table.insert(_G.test_changes, old_bytes)
            end,
          })
        end
      end
    `);
    goOn();
    await nvim.untilTranscript("word3 ");
    expect(await nvim.transcript()).not.toContain("word59");
    expect(await nvim.events("TurnEnded")).toEqual([]);
    goOn();
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toContain(words);
    const removedBytes = await nvim.lua<number[]>("return _G.test_changes");
    expect(removedBytes.length).toBeGreaterThan(5);
    // The empty line of the new buffer, one byte, is the only text that is ever replaced.
    expect(Math.max(...removedBytes)).toBeLessThanOrEqual(1);
  });

  const openChat = async (): Promise<void> => {
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
  };

  it("shows the details of a call that is opened while the answer goes on, and leaves the answer whole", async () => {
    await replay("answer-after-a-look", "word9 ");
    await openChat();
    await nvim.type("Look<C-s><Esc><C-w>k");
    await nvim.untilTranscript("word3 ");
    await nvim.type(":silent call search('describe_symbol', 'b')<CR>za");
    await nvim.untilTranscript("│ → result");
    expect(await nvim.events("TurnEnded")).toEqual([]);
    goOn();
    await nvim.untilEvent("TurnEnded");
    const lines = (await nvim.transcript()).split("\n");
    expect(lines.slice(lines.indexOf("```ts"), lines.indexOf("```ts") + 3)).toEqual(["```ts", words, "```"]);
  });

  it("keeps what tools answered and the model thought out of sight of one who types on, until it is opened", async () => {
    await start(
      scriptOf("look", "look once", [
        reply(think("First\nsecond."), "I will look.", call("describe_symbol", { symbol: "splitEvenly" })),
        reply("It divides **evenly**."),
      ]),
    );
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("Look<C-s>typing on");
    await nvim.untilEvent("TurnEnded");
    const screen = await nvim.untilScreen("✓ describe_symbol", "It divides evenly.", "── done");
    expect(await nvim.lua("return vim.fn.mode()")).toBe("i");
    expect(screen).not.toContain("→ result");
    expect(screen).not.toContain("second.");
    const closed = await nvim.transcript();
    expect(closed).toMatch(/^✓ describe_symbol [\d.]+ m?s \(symbol: splitEvenly\)$/m);
    expect(closed.split("\n").at(-1)).toMatch(/^── done · [\d.]+ s · \d+ tokens in, \d+ out$/);

    await nvim.type("<Esc><C-w>kgg/✓ describe_symbol<CR><CR>");
    const opened = await nvim.untilTranscript("│ → result");
    const lines = opened.split("\n");
    const head = lines.findIndex((line) => line.startsWith("✓ describe_symbol"));
    expect(lines.slice(head + 1, head + 3)).toEqual(["│ symbol = splitEvenly", "│ → result"]);
    expect(lines[head + 3]).toMatch(/^│ .*splitEvenly/);
    await nvim.type("zR");
    await nvim.untilTranscript("✻ Thought for", "│ First\n│ second.\n");
    await nvim.type("zM");
    await nvim.until("all is closed", async () => (await nvim.transcript()) === closed);
  });

  it("folds what the model thought", async () => {
    await replay("answer-after-a-thought");
    await nvim.command("AgentQ prompt Go on");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toMatch(/✻ Thought for [\d.]+ s\n[^]*\nIt \*\*divides\*\* a total\.\n\n── done/);
  });

  it("shows what a command answers without the model", async () => {
    await replay("command-without-the-model");
    await nvim.command("AgentQ prompt /describe splitEvenly");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toMatch(
      /❯ \/describe splitEvenly\n[^]*src\/allocate\.ts#splitEvenly — [^]*── done/,
    );
  });

  it("shows a question that another conversation answered", async () => {
    await replay("question-of-a-question", `"reason":"endTurn"},"parent"`);
    await nvim.command("AgentQ prompt Go on");
    await nvim.untilTranscript("● delegate writes … (task: Where is splitEvenly?)");
    goOn();
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toMatch(
      /✓ delegate 12 ms \(task: Where is splitEvenly\?\)\n[^]*\*\*found\*\* it\./,
    );
  });

  it("shows where the model heard what waited, as the server tells it", async () => {
    await replay("prompt-that-waits");
    await nvim.command("AgentQ prompt Go on");
    await nvim.untilTranscript("● eval_form");
    await nvim.command("AgentQ prompt And be brief.");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toMatch(/✓ eval_form [^]*❯ And be brief\.\n[^]*\nI heard \*\*both\*\*\./);
  });

  it("shows why a tool failed and goes on", async () => {
    await replay("tool-that-is-unknown");
    await nvim.command("AgentQ prompt Read my mind");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toMatch(/✗ read_minds [\d.]+ m?s → Unknown tool "read_minds".* \(person: you\)/);
    await nvim.type("<C-w>lzR");
    await nvim.untilTranscript("│ → error\n│ Unknown tool");
  });

  it("cancels a turn that hangs and takes the next prompt", async () => {
    const script = scriptOf(
      "hang-once",
      "hang, then answer",
      [reply("Hello again.")],
      [{ kind: "hang", afterEvents: 5 }],
    );
    await start(script);
    await nvim.command("AgentQ prompt Hello");
    await nvim.untilScreen("working");
    await nvim.until("the model hangs", () => nvim.model?.requests.length === 1);
    await nvim.command("AgentQ cancel");
    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "cancelled" });
    await nvim.untilTranscript("── cancelled");
    await nvim.command("AgentQ prompt Once more");
    expect(await nvim.untilEvent("TurnEnded", 2)).toMatchObject({ reason: "endTurn" });
    expect(await nvim.transcript()).toContain("Hello again.");
  });

  it("queues a message that is sent while a turn runs, and writes nothing into the middle of the answer", async () => {
    const answer = reply("Here is the answer.");
    const slow = ({ prompt }: { readonly prompt: string }): Reply =>
      prompt.includes("First") ? { ...answer, paceMs: 200, chunkSize: 4 } : answer;
    await start(scriptOf("slow", "answer slowly at first", [slow]));
    await nvim.command("AgentQ prompt First");
    await nvim.untilTranscript("Here");
    await nvim.command("AgentQ prompt Second");
    await nvim.untilScreen("working · 1 queued");
    expect(await nvim.events("TurnEnded")).toEqual([]);
    await nvim.until("the queue is empty", async () => (await nvim.events("TurnStarted")).length === 2);
    await nvim.untilEvent("TurnEnded", 2);
    expect(await nvim.transcript()).toMatch(/\n\nHere is the answer\.\n\n── done[^]*❯ Second/);
  });

  it("shows where the model heard a message that was sent while a tool ran", async () => {
    const waits = "await new Promise((go) => setTimeout(go, 1500)); 7";
    await start(
      scriptOf("wait", "evaluate, then answer", [reply(call("eval_form", { form: waits })), reply("Heard both.")]),
    );
    await nvim.command("AgentQ prompt First");
    await nvim.untilTranscript("● eval_form");
    await nvim.command("AgentQ prompt Second");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toMatch(/❯ First\n[^]*✓ eval_form [^]*\n❯ Second\n {2}⊕ .*\n\nHeard both\./);
    expect(await nvim.events("TurnStarted")).toHaveLength(1);
    await nvim.until("nothing is queued", async () => !/\d queued/.test(await nvim.screen()));
  });

  it("dims the beginning of an answer that broke off and comes again", async () => {
    await replay("answer-cut-once");
    await nvim.command("AgentQ prompt Talk");
    await nvim.untilEvent("TurnEnded");
    const dimmed = await nvim.lua<string>(`
      local bufnr = vim.fn.bufnr("^agentq://chat")
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { details = true })) do
        local last = mark[4]
        if last.hl_group == "AgentqVoid" then
          return table.concat(vim.api.nvim_buf_get_text(bufnr, mark[2], mark[3], last.end_row, last.end_col, {}), "\\n")
        end
      end
    `);
    expect(dimmed.trim()).toMatch(/^Half of/);
    expect(dimmed).not.toContain("twice");
    expect(await nvim.transcript()).toContain("Half of this **answer** comes twice.");
  });

  it("shows waits between attempts", async () => {
    await replay("answer-after-retries");
    await nvim.command("AgentQ prompt Hello");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toMatch(/↻ attempt 2 failed \(529: .*\), again in [\d.]+ s/);
    expect(await nvim.transcript()).toContain("Hello from the scripted model");
  });

  it("says what to type when no model is configured", async () => {
    await start(undefined);
    await nvim.command("AgentQ prompt Hello");
    await nvim.untilTranscript("ANTHROPIC_API_KEY");
  });

  it("gives a message back that the server refused", async () => {
    await start(undefined);
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("line one<CR>line two<C-s>");
    await nvim.untilTranscript("ANTHROPIC_API_KEY");
    await nvim.until("the message is back", async () => (await nvim.lines()).join("|") === "line one|line two");
    await nvim.type("!");
    await nvim.until("the key is there", async () => (await nvim.lines()).at(-1)?.endsWith("!"));
    expect(await nvim.lines()).toEqual(["line one", "line two!"]);
  });

  it("stops the turn by <C-x> in insert mode and stays there, where <C-x><C-o> still completes", async () => {
    await start(scriptOf("hang", "hang", [reply("Never.")], [{ kind: "hang", afterEvents: 5 }]));
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("Hello<C-s>");
    await nvim.untilScreen("working");
    await nvim.type("/descr<C-x><C-o>");
    await nvim.until("the word is completed", async () => (await nvim.lines())[0] === "/describe");
    expect(await nvim.events("TurnEnded")).toEqual([]);
    await nvim.type("<C-x>");
    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "cancelled" });
    expect(await nvim.lua("return vim.fn.mode()")).toBe("i");
    expect(await nvim.lines()).toEqual(["/describe"]);
  });

  it("opens without entering for a prompt, and in the message for the chat", async () => {
    await start(smallScripts.find(({ name }) => name === "hello"));
    const window = await nvim.lua("return vim.fn.win_getid()");
    await nvim.command("AgentQ prompt Hello");
    await nvim.untilScreen("Hello from the scripted model");
    expect(await nvim.lua("return vim.fn.win_getid()")).toBe(window);
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () =>
      nvim.lua<boolean>(
        "return vim.fn.mode() == 'i' and vim.api.nvim_buf_get_name(0):match('^agentq://message') ~= nil",
      ),
    );
    await nvim.type("line one<CR>line two<C-s>");
    await nvim.untilTranscript("❯ line one\n  line two");
    await nvim.type("<Esc>:quit<CR>");
    await nvim.until("both windows are closed", () => nvim.lua<boolean>("return #vim.api.nvim_list_wins() == 1"));
  });

  it("gives the model the lines of a range", async () => {
    await start(smallScripts.find(({ name }) => name === "hello"));
    await nvim.command("12,14AgentQ prompt Explain");
    await nvim.untilEvent("TurnEnded");
    const sent = JSON.stringify(nvim.model?.requests[0]?.messages);
    const lines = await nvim.lines();
    expect(sent).toContain(lines[13]);
    expect(sent).not.toContain(lines[14]);
    expect(await nvim.transcript()).toContain("❯ Explain\n  ⊕ src/allocate.ts:12–14\n");
  });

  it("tells the model which file and line the message was written beside", async () => {
    await start(smallScripts.find(({ name }) => name === "hello"));
    await nvim.command("normal! 14G3|");
    await openChat();
    await nvim.type("What is this?<C-s>");
    await nvim.untilEvent("TurnEnded");
    expect(JSON.stringify(nvim.model?.requests[0]?.messages)).toContain("The person is in src/allocate.ts:14 (cursor)");
  });

  const LONG = `Amounts are ${"always ".repeat(12)}in cents.\n`;

  it("asks whether the agent follows the project's instructions, shows them, and remembers a yes for good", async () => {
    await start(
      smallScripts.find(({ name }) => name === "hello"),
      { columns: 80 },
    );
    writeFileSync(path.join(nvim.project, "AGENTS.md"), "Use tabs.\n\nNever touch \u202Esrc/tax.ts.\n" + LONG);
    await nvim.command("AgentQ prompt Hello");
    await nvim.untilEvent("Approval");
    const told = await nvim.untilTranscript(
      "Shall the agent follow AGENTS.md?",
      "  :AgentQ approve    In this conversation\n",
    );
    expect(told).toContain("  │ Use tabs.\n  │ \n  │ Never touch <U+202E>src/tax.ts.\n");
    await nvim.type(":AgentQ question<CR>");
    await nvim.untilScreen(" AgentQ asks ", "1 In this conversation · w Always · 3 No · 4 because …");
    expect(await nvim.screen(), "a quoted line that is wrapped stays behind its mark").toMatch(
      /│ {2}│ Amounts are (?:\w+ )+ *│.*\n.*│ {4,}(?:\w+ )*in cents\. *│/,
    );
    await nvim.type("w");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toContain("The agent follows AGENTS.md.");
    const sent = JSON.stringify(nvim.model?.requests[0]?.messages);
    expect(sent).toContain("Instructions of the developer, who trusts AGENTS.md:\\n```\\nUse tabs.");
    await nvim.command("AgentQ new");
    await nvim.command("AgentQ prompt Again");
    await nvim.untilEvent("TurnEnded", 2);
    expect(await nvim.events("Approval")).toHaveLength(1);
    // The list that Neovim 0.10 shows itself answers no request while it is open.
    await nvim.lua(`vim.ui.select = function(items, options, choose)
      vim.g.shown = options.format_item(items[1])
      choose(items[1])
    end`);
    await nvim.command("AgentQ remembered");
    await nvim.until("the list", async () =>
      String(await nvim.lua("return vim.g.shown")).startsWith("follow-instructions {"),
    );
    await nvim.until("the trust is taken back", async () =>
      (await nvim.notifications()).join("\n").includes("asked again about this call of follow-instructions"),
    );
  });

  it("goes to one's own message when it is sent, and leaves a reader who scrolls up then where they are", async () => {
    const long = Array.from({ length: 120 }, (_value, index) => `line ${index}`).join("\n\n");
    const slow = { ...reply(long), paceMs: 100 };
    const answer = ({ prompt }: Turn): Reply => (prompt.includes("Again") ? slow : reply(long));
    await start({ name: "long", description: "answer at length", reply: answer });
    await nvim.command("AgentQ prompt Talk");
    await nvim.untilEvent("TurnEnded");
    await nvim.command("wincmd l | normal! gg");
    await nvim.command("AgentQ prompt Again");
    await nvim.untilScreen("❯ Again");
    await nvim.command("normal! gg0");
    const { length } = await nvim.transcript();
    await nvim.until("more is written", async () => (await nvim.transcript()).length > length + 50);
    expect(await nvim.lua("return vim.api.nvim_win_get_cursor(0)")).toEqual([1, 0]);
    await nvim.command("AgentQ cancel");
    await nvim.untilEvent("TurnEnded", 2);
    expect(await nvim.lua("return vim.api.nvim_win_get_cursor(0)")).toEqual([1, 0]);
  });

  it("writes out what does not show in a question, also in the names of arguments", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts" });
    await nvim.lua(
      `local approval = vim.json.decode(...)
       require("agentq.chat.approvals").on_approval(vim.lsp.get_clients({ name = "agentq" })[1].id, approval)`,
      JSON.stringify({
        approvalId: "1",
        toolCallId: "2",
        tool: "send",
        arguments: { "to\nrisk: none": "a\u202Eb", text: "one\ntwo\u200B" },
        why: "The tool is dangerous.",
        risk: "It can do\u202E anything.",
      }),
    );
    await nvim.command("AgentQ question");
    await nvim.untilScreen("to<U+000A>risk: none: a<U+202E>b", "two<U+200B>", "It can do<U+202E> anything.");
  });
});
