import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { afterEdits, editKept, keptFiles, readKept, writeKept } from "../support/kept-bytes.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it.each([
    { name: "open", areOpen: true },
    { name: "closed", areOpen: false },
  ])(
    "changes the accepted lines of $name files and no other byte or mode, and undo brings all bytes back",
    async ({ areOpen }) => {
      nvim = await startNeovim({ editor, server: "new", script: editKept(areOpen) });
      writeKept(nvim.project);
      const before = readKept(nvim.project);
      const files = keptFiles(areOpen);
      await nvim.open("src/tax.ts");
      await nvim.untilReady();
      for (const file of areOpen ? files : []) {
        await nvim.open(file);
        await nvim.lua(`vim.lsp.buf_attach_client(0, vim.lsp.get_clients({ name = "agentq" })[1].id)`);
      }
      await nvim.lua("require('agentq').prompt(...)", "Translate");
      await nvim.untilEvent("Proposal");
      await nvim.command("AgentQ acceptall");
      expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
      await nvim.untilEvent("TurnEnded");
      expect(readKept(nvim.project)).toEqual(afterEdits(before, files));
      await nvim.command("AgentQ undo");
      await nvim.untilEvent("Proposal", 2);
      await nvim.command("AgentQ acceptall");
      await nvim.untilEvent("Applied", 2);
      expect(readKept(nvim.project)).toEqual(before);
    },
  );
});
