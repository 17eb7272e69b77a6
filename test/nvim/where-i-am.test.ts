import { afterEach, expect, it } from "vitest";
import { reply, scriptOf } from "../../examples/demo/model/script.ts";
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

  it("sends what is selected also by a map that runs while it is selected, and names a place once", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: hello });
    await nvim.command("xnoremap gA <Cmd>AgentQ prompt What is this?<CR>");
    await nvim.type("14GVgA");
    await nvim.untilEvent("TurnEnded");
    expect(JSON.stringify(nvim.model?.requests[0]?.messages)).toContain("const shares = weights.map");
    expect(await nvim.transcript()).toMatch(/❯ What is this\?\n {2}⊕ src\/allocate\.ts:14\n {2}⊕ lines 1-\d\d\n/);
    expect(await nvim.lua("return vim.fn.mode()")).toBe("n");
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

  /** Where the model hears that the person is, of a message that is written after these commands and keys. */
  async function placeAfter(steps: readonly string[], more = ""): Promise<string> {
    nvim = await startNeovim({
      editor,
      script: scriptOf("places", "hear where the person is", [reply("One."), reply("Two.")]),
      columns: 140,
      rows: 45,
      before: `vim.g.agentq = vim.tbl_deep_extend("force", vim.g.agentq, { chat = { ${more} } })`,
    });
    for (const [index, step] of steps.entries()) {
      if (step.startsWith("say ")) {
        await nvim.command(`AgentQ prompt ${step.slice(4)}`);
        await nvim.untilEvent("TurnEnded", steps.slice(0, index + 1).filter((each) => each.startsWith("say ")).length);
      } else {
        await nvim.command(step);
      }
    }
    const heard = [...JSON.stringify(nvim.model?.requests.at(-1)?.messages).matchAll(/The person is in ([^ ]+:\d+)/g)];
    return heard.at(-1)?.[1] ?? "nowhere";
  }

  const beside = ["edit src/money.ts", "rightbelow vsplit src/discount.ts", "normal! 7G"];
  const chat = "call win_gotoid(bufwinid('agentq://message/invoices'))";
  const places: Readonly<Record<string, readonly [steps: readonly string[], place: string, more?: string]>> = {
    "the file that the person left for the message": [[...beside, "say One"], "src/discount.ts:7"],
    "still that file after a look at the transcript": [
      [...beside, "say One", chat, "stopinsert", "wincmd k", "wincmd j", "say Two"],
      "src/discount.ts:7",
    ],
    "the other file once the person was there": [
      [...beside, "say One", "1wincmd w", "normal! 3G", chat, "wincmd k", "wincmd j", "say Two"],
      "src/money.ts:3",
    ],
    "the last file where terminal, help and scratch windows came after it": [
      [...beside, "say One", "2wincmd w", "new", "setlocal buftype=nofile", "help", chat, "say Two"],
      "src/discount.ts:7",
    ],
    "the file that takes the window of the other": [
      [...beside, "say One", "2wincmd w", "edit src/allocate.ts", "normal! 9G", chat, "say Two"],
      "src/allocate.ts:9",
    ],
    "the file that is left where the last one was closed": [
      [...beside, "say One", "2wincmd w", "close", chat, "say Two"],
      "src/money.ts:1",
    ],
    "the file of the tab page that the person came from": [
      [
        ...beside,
        "AgentQ",
        "sleep 300m",
        "stopinsert",
        "say One",
        "tabnext",
        "1wincmd w",
        "normal! 2G",
        "tabnext",
        "say Two",
      ],
      "src/money.ts:2",
      `position = "tab"`,
    ],
    "the file of this tab page": [
      [...beside, "tabnew src/allocate.ts", "normal! 4G", "say One", chat, "tabprevious", "tabnext", "say Two"],
      "src/allocate.ts:4",
    ],
  };

  it.each(Object.entries(places))("names %s", async (_, [steps, place, more]) => {
    expect(await placeAfter(steps, more)).toBe(place);
  });
});
