import { afterEach, expect, it } from "vitest";
import { reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

/** Neovim brings parsers for Markdown and Lua, and none for TypeScript. */
const answer = `# Title

With **care** for \`trunc\`, *always*:
\`\`\`lua
local odd = 1 -- so far
\`\`\`

1. as [money](src/money.ts) does

\`\`\`ts
const odd = 1;
\`\`\`
`;

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function ask(text: string, before = ""): Promise<void> {
    const script = scriptOf("answer", "answer in Markdown", [{ ...reply(text), chunkSize: 7 }]);
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script, before });
    await nvim.command("AgentQ prompt Tell");
    await nvim.untilEvent("TurnEnded");
  }

  /** What has a highlight in the transcript, as `group: text`; of several on one text the last is on top. */
  const spans = (): Promise<string[]> =>
    nvim.lua(`
      local bufnr = vim.fn.bufnr("^agentq://chat")
      local found = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { details = true })) do
        if mark[4].hl_group then
          local text = vim.api.nvim_buf_get_text(bufnr, mark[2], mark[3], mark[4].end_row, mark[4].end_col, {})
          table.insert(found, mark[4].hl_group .. ": " .. text[1])
        end
      end
      return found
    `);

  it("gives an answer the colours of Markdown and of the code in it, where there is a parser, and else a plain look", async () => {
    await ask(answer);
    const found = await nvim.until("the last paragraph is coloured", async () => {
      const all = await spans();
      return all.includes("@markup.link.label.markdown_inline: money") && all;
    });
    expect(found).toEqual(
      expect.arrayContaining([
        "@markup.heading.1.markdown: # Title",
        "@markup.strong.markdown_inline: **care**",
        "@markup.raw.markdown_inline: `trunc`",
        "@markup.italic.markdown_inline: *always*",
        "@keyword.lua: local",
        "@comment.lua: -- so far",
        "AgentqFence: ```lua",
        "AgentqFence: ```ts",
        "AgentqCode: const odd = 1;",
      ]),
    );
    const screen = await nvim.untilScreen("With care for trunc, always:", "as money does");
    expect(screen, "what the code shows of itself stays").toContain("```ts");
    expect(await nvim.transcript()).toContain("**care** for `trunc`");
    expect(found.filter((span) => /^Agentq(?:Strong|Heading|Marker)/.test(span))).toEqual([]);
  });

  it("reads each paragraph of a long answer once, however many pieces the answer comes in", async () => {
    const long = Array.from({ length: 60 }, (_value, index) => `Paragraph **${index}** of \`many\`.\n\n`).join("");
    await ask(
      long,
      `_G.test_read = { markdown = 0, markdown_inline = 0 }
       local create = vim.treesitter.get_string_parser
       vim.treesitter.get_string_parser = function(text, language, ...)
         _G.test_read[language] = _G.test_read[language] + #text
         return create(text, language, ...)
       end`,
    );
    await nvim.until("the last paragraph is coloured", async () =>
      (await spans()).includes("@markup.strong.markdown_inline: **59**"),
    );
    const read = await nvim.lua<{ markdown: number; markdown_inline: number }>("return _G.test_read");
    // A paragraph is read with the empty line behind it, once for its blocks and once for what stands in its lines.
    for (const bytes of Object.values(read)) expect(bytes).toBeLessThanOrEqual(long.length + 2);
  });
});
