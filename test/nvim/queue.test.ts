import { afterEach, expect, it } from "vitest";
import { call, reply, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";
import { itAtLength } from "../support/extent.ts";

/** A turn that waits for a decision; what is said then is queued. */
const script: Script = {
  name: "proposes",
  description: "proposes once, then answers",
  reply: ({ body }) =>
    body.messages.length === 1
      ? reply("Look.", call("propose_file_edit", { path: "notes.md", modified: "x\n", description: "a note" }))
      : reply("Heard."),
};

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  async function startWith(texts: readonly string[], options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file: "src/tax.ts", script, ...options });
    await nvim.lua(`vim.ui.select = function(items, options, choose)
      local words = vim.tbl_map(options.format_item or tostring, items)
      vim.g.offered = words
      for index, word in ipairs(words) do
        if word == vim.g.first or word == vim.g.second then return choose(items[index]) end
      end
    end`);
    await nvim.command("AgentQ prompt Begin");
    await nvim.untilScreen("1 hunk waits");
    for (const [index, text] of texts.entries()) {
      await nvim.command(`AgentQ prompt ${text}`);
      await nvim.untilScreen(`${index + 1} queued`);
    }
  }

  async function choose(first: string, second: string): Promise<void> {
    await nvim.lua("vim.g.first, vim.g.second = ...", first, second);
    await nvim.command("AgentQ queue");
  }

  const told = (): string => JSON.stringify(nvim.model?.requests.at(-1)?.messages);
  const message = (): Promise<string> =>
    nvim.lua<string>(`local bufnr = vim.fn.bufnr("^agentq://message")
      return bufnr > 0 and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "|") or ""`);

  it("changes a message where it waits, and takes another one back", async () => {
    await startWith(["apple", "quince"]);
    await choose("apple", "edit it where it waits");
    await nvim.until("the message is in a buffer", async () => (await nvim.lines()).join("|") === "apple");
    await nvim.untilScreen("a message that waits · :w changes it");
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'pear' })");
    await nvim.command("wincmd p");
    // Who chooses the message again comes back to what they were writing.
    await choose("apple", "edit it where it waits");
    await nvim.until("the change is there", async () => (await nvim.lines()).join("|") === "pear");
    await nvim.command("wq");
    await choose("quince", "take it back into the message");
    await nvim.until("the message is back", async () => (await message()) === "quince");
    await nvim.untilScreen("1 queued");
    await nvim.command("AgentQ! rejectall no");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toContain("❯ Begin");
    await nvim.until("the model has heard it", async () => told().includes("pear"));
    expect(told()).not.toMatch(/apple|quince/);
  });

  it("brings what waited back into the message when the turn is cancelled", async () => {
    await startWith(["apple", "quince"]);
    await nvim.command("AgentQ cancel");
    await nvim.untilEvent("TurnEnded");
    await nvim.until("the messages are back", async () => (await message()) === "apple||quince");
    await nvim.until(
      "nothing waits",
      async () =>
        !/queued|not sent/.test(await nvim.lua<string>("return vim.b[vim.fn.bufnr('^agentq://chat')].agentq_state")),
    );
    // What was taken back may still be on its way out of the server's queue.
    await nvim.until("that is said", async () => {
      await nvim.command("AgentQ queue");
      return (await nvim.notifications()).join("\n").includes("no message waits");
    });
  });

  itAtLength("tells of a message that a server which was killed has never sent", async () => {
    await startWith(["quince"], { server: "process" });
    const [pid] = await nvim.lua<number[]>("return vim.api.nvim_get_proc_children(vim.fn.getpid())");
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    await nvim.untilTranscript("killed by signal 9");
    await nvim.command("AgentQ restart");
    await nvim.until("the new server is there", () =>
      nvim.lua<boolean>("return require('agentq.client').current() ~= nil"),
    );
    await choose("not sent: quince", "take it back into the message");
    await nvim.untilTranscript("1 message was never sent; :AgentQ queue");
    await nvim.until("the message is back", async () => (await message()) === "quince");
  });
});
