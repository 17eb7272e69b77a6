import { afterEach, expect, it } from "vitest";
import { reply, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const script: Script = {
  name: "answers",
  description: "names a place, and shows code",
  reply: ({ body }) =>
    reply(`Answer ${body.messages.length}. See src/money.ts:2:8.\n\n\`\`\`ts\nexport const one = 1;\n\`\`\`\n`),
};

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  let turns = 0;

  const ask = async (text: string): Promise<void> => {
    await nvim.lua("require('agentq').prompt(...)", text);
    turns += 1;
    await nvim.untilEvent("TurnEnded", turns);
  };

  /** A conversation of two messages, with the cursor at the end of its transcript. */
  const talk = async (): Promise<void> => {
    turns = 0;
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script });
    await nvim.command("AgentQ");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await ask("First question");
    await ask("Second question");
    await nvim.type("<Esc><C-w>kG");
    await nvim.until("the cursor is in the transcript", () =>
      nvim.lua<boolean>("return vim.bo.filetype == 'agentq-chat'"),
    );
  };

  const line = (): Promise<string> => nvim.lua("return vim.api.nvim_get_current_line()");
  const untilLine = (text: string): Promise<unknown> =>
    nvim.until(`the cursor is on ${text}`, async () => (await line()) === text);

  /** What the person has said in the last request, in their own words. */
  const said = (): string[] =>
    (nvim.model?.requests.at(-1)?.messages ?? []).flatMap(({ role, content }) =>
      role === "user" ? (/(?:First|Second|Third) question|Propose this code/.exec(JSON.stringify(content)) ?? []) : [],
    );

  it("goes from message to message, and to a place that an answer names", async () => {
    await talk();
    await nvim.type("[[");
    await untilLine("❯ Second question");
    await nvim.type("[[");
    await untilLine("❯ First question");
    await nvim.type("]]");
    await untilLine("❯ Second question");
    await nvim.type("jjj<CR>");
    await nvim.until("the cursor is at the place", () =>
      nvim.lua<boolean>(`return vim.api.nvim_buf_get_name(0):match("src/money.ts$") ~= nil
        and vim.deep_equal(vim.api.nvim_win_get_cursor(0), { 2, 7 })`),
    );
  });

  it("goes to a place of a file that has unsaved changes", async () => {
    await talk();
    await nvim.type("<C-w>h:edit src/money.ts<CR>Gomine<Esc><C-w>l<C-w>k/See src<CR>gd");
    await nvim.until("the cursor is at the place", () =>
      nvim.lua<boolean>(`return vim.bo.modified and vim.deep_equal(vim.api.nvim_win_get_cursor(0), { 2, 7 })`),
    );
  });

  it("yanks a block of code, and asks for it as a proposal", async () => {
    await talk();
    await nvim.type("/export<CR>gy");
    await nvim.until("it is yanked", () =>
      nvim.lua<boolean>(`return vim.fn.getreg('"') == "export const one = 1;\\n"`),
    );
    await nvim.type("ga");
    await nvim.untilEvent("TurnEnded", 3);
    const last = JSON.stringify(nvim.model?.requests.at(-1)?.messages.at(-1)?.content);
    expect(last).toContain(JSON.stringify("```ts\nexport const one = 1;\n```").slice(1, -1));
  });

  it("says a message again, or another one in its place, in a copy of what came before", async () => {
    await talk();
    await nvim.type("gr");
    await nvim.untilEvent("TurnEnded", 3);
    expect(said()).toEqual(["First question", "Second question"]);
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("<Esc><C-w>kG[[ge");
    await nvim.until("the text is there to be changed", async () => (await line()) === "Second question");
    await nvim.type("<Esc>ccThird question<C-s>");
    await nvim.untilEvent("TurnEnded", 4);
    expect(said()).toEqual(["First question", "Third question"]);
  });

  it("branches after the answer to a message, and leaves the conversation as it is", async () => {
    await talk();
    await nvim.type("[[[[gb");
    await nvim.untilTranscript("· Conversation: First question (fork)");
    await nvim.until("the copy is shown", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("Third question<C-s>");
    await nvim.untilEvent("TurnEnded", 3);
    expect(said()).toEqual(["First question", "Third question"]);
  });

  it("asks the server to bring the files back to before the message", async () => {
    await talk();
    await nvim.type("gu");
    await nvim.untilTranscript("❯ /rewind 2\n");
    await nvim.untilEvent("TurnEnded", 3);
    expect(nvim.model?.requests).toHaveLength(2);
  });

  it("brings back what was said before, and then what was being written", async () => {
    await talk();
    await nvim.type("i");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("draft<M-p>");
    await untilLine("Second question");
    await nvim.type("<M-p><M-p>");
    await untilLine("First question");
    await nvim.type("<M-n><M-n>");
    await untilLine("draft");
  });

  it("shows its keys, and closes with one", async () => {
    await talk();
    await nvim.type("?");
    await nvim.untilScreen(" Keys of the chat ", "gy            yank the block of code", "<M-p> and <M-n> bring back");
    await nvim.type("qq");
    await nvim.until("both windows are closed", () => nvim.lua<boolean>("return #vim.api.nvim_list_wins() == 1"));
  });
});
