import { readFile, writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const FILE = "src/count.ts";

function editing(edit: { original?: string; modified: string }): Script {
  return scriptOf("edit", "edit a file", [
    reply(call("propose_file_edit", { path: FILE, ...edit, description: "Edit it" })),
    reply("Done."),
  ]);
}

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  const disk = async (): Promise<string> => await readFile(nvim.path(FILE), "latin1");
  const text = async (): Promise<string> => (await nvim.lines(FILE)).join("\n");
  const told = (): string => lastToolResult(nvim.model?.requests ?? [], "propose_file_edit");

  /** Neovim with a proposal for a file of these bytes, which is shown first when it is `open`. */
  async function propose(bytes: string, edit: { original?: string; modified: string }, open = true): Promise<void> {
    nvim = await startNeovim({ editor, script: editing(edit) });
    await writeFile(nvim.path(FILE), bytes, "latin1");
    await nvim.open(open ? FILE : "src/tax.ts");
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Edit it");
    await nvim.untilEvent("Proposal");
  }

  it.each([
    { name: "an open", open: true },
    { name: "a closed", open: false },
  ])("leaves the line endings of $name file as they are where they are mixed", async ({ open }) => {
    await propose("a\r\nb\nc\r\nd\n", { original: "b\n", modified: "B\n" }, open);
    await nvim.command("AgentQ acceptall");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await disk()).toBe("a\r\nB\nc\r\nd\n");
    await nvim.untilEvent("TurnEnded");
    expect(told()).toContain("APPLIED");
  });

  it("writes a file that was empty without an empty line more", async () => {
    await propose("", { modified: "export const count = 1;\n" }, false);
    await nvim.command("AgentQ acceptall");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await disk()).toBe("export const count = 1;\n");
  });

  it.each([
    { name: "one kind", ending: "\n" },
    { name: "mixed", ending: "\r\n" },
  ])("tells the model of an accepted hunk that was undone, with line endings of $name", async ({ ending }) => {
    const modified = `// 1${ending}// same\n// 2\n`;
    await propose(`// one${ending}// same\n// two\n`, { modified });
    await nvim.command("AgentQ review");
    await nvim.command("AgentQ accept");
    await nvim.untilEvent("Applied");
    await nvim.type("u");
    await nvim.until("it is undone", async () => (await text()).startsWith("// one"));
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    expect(told()).toContain(
      "hunk h1 (src/count.ts:1): NOT applied any more: it was accepted and applied, then undone",
    );
    expect(told()).toContain("- applied: h2");
    expect((await text()).replaceAll("\r", "")).toBe("// one\n// same\n// 2");
  });

  it("ends the person's own text as the deleted lines ended", async () => {
    await propose("// one\n// two\n// three\n", { original: "// two\n", modified: "" });
    await nvim.command("AgentQ next");
    await nvim.command("AgentQ edit");
    await nvim.type("i// kept<Esc>:AgentQ accept<CR>");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await disk()).toBe("// one\n// kept\n// three\n");
  });

  it("takes a proposed empty line for one when its text was looked at and not changed", async () => {
    await propose("// one\n// two\n// three\n", { original: "// two\n", modified: "\n" });
    await nvim.command("AgentQ next");
    await nvim.command("AgentQ edit");
    await nvim.command("AgentQ accept");
    expect(await nvim.untilEvent("HunkDecided")).toMatchObject({ decision: "accept" });
    await nvim.untilEvent("Applied");
    expect(await disk()).toBe("// one\n\n// three\n");
  });

  it("writes an open file in the encoding it has", async () => {
    await propose('export const cafe = "caf\xe9";\n', { original: "const cafe", modified: "const coffee" });
    expect(await nvim.lua("return vim.bo.fileencoding")).toBe("latin1");
    await nvim.command("AgentQ acceptall");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await nvim.notifications()).not.toContainEqual(expect.stringContaining("not saved"));
    expect(await disk()).toBe('export const coffee = "caf\xe9";\n');
  });

  it("puts nothing into a file whose text the server read otherwise than the editor", async () => {
    nvim = await startNeovim({ editor });
    await writeFile(nvim.path(FILE), 'export const cafe = "caf\xe9";\n', "latin1");
    await nvim.open("src/tax.ts");
    await nvim.untilReady();
    const refusal = await nvim.lua(
      `local targets, err = require("agentq.review.apply").apply(vim.lsp.get_clients({ name = "agentq" })[1], {
         documentChanges = { { textDocument = { uri = ... }, edits = { {
           range = { start = { line = 0, character = 0 }, ["end"] = { line = 1, character = 0 } },
           newText = 'export const cafe = "caf\\u{FFFD}";\\n',
         } } } },
       })
       return { targets == nil, err }`,
      nvim.uri(FILE),
    );
    expect(refusal).toEqual([true, expect.stringMatching(/count\.ts is latin1.*open it/)]);
    expect(await text()).toBe('export const cafe = "café";');
  });

  it("says that a file was saved when only somebody's command after the writing failed", async () => {
    await propose("// one\n", { original: "// one", modified: "// two" });
    await nvim.lua(`vim.api.nvim_create_autocmd("BufWritePost", { callback = function() error("no formatter") end })`);
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("Applied");
    expect(await disk()).toBe("// two\n");
    const said = (await nvim.notifications()).filter((message) => message.includes("no formatter"));
    expect(said).toEqual([expect.stringMatching(/^AgentQ: saved; [^\n]*$/)]);
  });
});
