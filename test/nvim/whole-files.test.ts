import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { editMany } from "../support/edit-many.ts";
import { describeEachEditor } from "../support/editors.ts";
import { leaveEntries } from "../support/leave-entries.ts";
import { describeWalled } from "../support/wall.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  async function withProposal(file: string, options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file, script: editMany, ...options });
    await nvim.lua("require('agentq').prompt(...)", "Tidy up");
    await nvim.untilEvent("Proposal");
  }
  const told = (): string => lastToolResult(nvim.model?.requests ?? [], "propose_edits");
  const disk = async (file: string): Promise<string> => await readFile(nvim.path(file), "utf8");
  const stands = (file: string): boolean => existsSync(nvim.path(file));

  it("moves a file with its buffer and undo, creates one and deletes another", async () => {
    await withProposal("src/money.ts");
    await nvim.type("ggO// typed<Esc>:silent write<CR>:AgentQ review<CR>");
    await nvim.untilScreen("move src/money.ts → src/cash/money.ts · \\aa accept");
    await nvim.command("AgentQ acceptall");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    await nvim.untilEvent("TurnEnded");
    expect([stands("src/money.ts"), stands("src/credit-note.ts")]).toEqual([false, false]);
    expect(await disk("src/rounding/modes.ts")).toContain("half-even");
    expect(await disk("src/cash/money.ts")).toMatch(/^\/\/ typed\n[^]*\/\/ Money moved\.\n$/);
    expect(await disk("src/allocate.ts")).toContain('"./cash/money.ts"');
    expect(await nvim.lua("return vim.fn.expand('%:.')")).toBe("src/cash/money.ts");
    await nvim.type("u:write<CR>");
    await nvim.untilScreen("written");
    expect(await disk("src/cash/money.ts")).not.toContain("// Money moved.");
    expect(told()).toContain("src/cash/money.ts: moved from src/money.ts.");
    expect(told()).toContain("src/credit-note.ts: deleted.");
  });

  it("makes and deletes files whatever the person did at their places: a buffer, an empty file, a template, the same by hand", async () => {
    const made = ["src/opened.ts", "src/touched.ts", "src/template.ts", "src/made.ts", "NOTES.md"];
    const text = "export {};\n";
    nvim = await startNeovim({
      editor,
      file: "src/money.ts",
      script: scriptOf("places", "make files and delete two", [
        reply(
          call("propose_edits", {
            edits: [
              ...made.map((path) => ({ op: "create" as const, path, modified: text })),
              { op: "delete", path: "src/discount.ts" },
              { op: "delete", path: "src/credit-note.ts" },
            ],
            description: "Make and delete files",
          }),
        ),
        reply("Done."),
      ]),
    });
    await nvim.lua("require('agentq').prompt(...)", "Go");
    await nvim.untilEvent("Proposal");
    for (const path of ["src/opened.ts", "NOTES.md", "src/discount.ts"]) await nvim.open(path);
    await writeFile(nvim.path("src/touched.ts"), "");
    await nvim.open("src/touched.ts");
    await nvim.command("autocmd BufNewFile template.ts call setline(1, '// by me')");
    await writeFile(nvim.path("src/made.ts"), text);
    for (const path of ["src/discount.ts", "src/credit-note.ts"]) await rm(nvim.path(path));
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    expect(told()).toContain("APPLIED: all 7 of 7 hunks.");
    for (const path of made) expect(await disk(path), path).toBe(text);
    expect([stands("src/discount.ts"), stands("src/credit-note.ts")]).toEqual([false, false]);
  });

  it("takes back a new file that was never saved once the file is saved, and says so before", async () => {
    nvim = await startNeovim({
      editor,
      server: "new",
      file: "src/money.ts",
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { review = { save_after_apply = "never" } })`,
      script: scriptOf("fresh", "propose a new file", [
        reply(call("propose_file_edit", { path: "src/fresh.ts", modified: "export {};\n", description: "A file" })),
        reply("Understood."),
      ]),
    });
    await nvim.lua("require('agentq').prompt(...)", "A file");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    expect(stands("src/fresh.ts")).toBe(false);
    await nvim.command("AgentQ undo");
    await nvim.untilEvent("Proposal", 2);
    await nvim.command("AgentQ acceptall");
    await nvim.until("it says what is in the way", async () =>
      (await nvim.notifications()).join("\n").includes("src/fresh.ts has unsaved changes"),
    );
    await nvim.command("bufdo update");
    expect(stands("src/fresh.ts")).toBe(true);
    await nvim.command("AgentQ acceptall");
    await nvim.until("the file is gone", () => Promise.resolve(!stands("src/fresh.ts")));
  });

  it("leaves a file where it is when only its move is rejected, and shows a deletion as removed text", async () => {
    await withProposal("src/credit-note.ts");
    await nvim.command("AgentQ review");
    await nvim.untilScreen("delete src/credit-note.ts · \\aa accept");
    await nvim.command("AgentQ accept");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(stands("src/credit-note.ts")).toBe(false);
    await nvim.until("the move is shown", async () => {
      await nvim.command("AgentQ next");
      return (await nvim.screen()).includes("move src/money.ts → src/cash/money.ts ·");
    });
    await nvim.command("AgentQ reject it stays");
    await nvim.until("one is decided", async () => (await nvim.lua("return require('agentq').pending()")) === 14);
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    expect(stands("src/cash/money.ts")).toBe(false);
    expect(await disk("src/money.ts")).toMatch(/\/\/ Money moved\.\n$/);
    expect(told()).toContain("PARTIALLY APPLIED: 15 of 16 hunks.");
    expect(told()).toContain(
      '(move src/money.ts → src/cash/money.ts): NOT applied, the person rejected it: "it stays"',
    );
  });

  it("writes nothing when a file cannot come to its place, and deletes no text that was typed meanwhile", async () => {
    await withProposal("src/credit-note.ts");
    await writeFile(nvim.path("src/cash"), "a file in the way\n");
    await nvim.command("AgentQ acceptall");
    await nvim.until("the refusal is said", async () =>
      (await nvim.notifications()).some((each) => each.includes("nothing was applied")),
    );
    expect(await disk("src/invoice.ts")).not.toContain("// Invoices.");
    expect([stands("src/money.ts"), stands("src/credit-note.ts"), stands("src/rounding")]).toEqual([true, true, false]);
    await rm(nvim.path("src/cash"));
    await nvim.type("ggO// unsaved<Esc>:AgentQ acceptall<CR>");
    await nvim.untilScreen("in conflict", "delete src/credit-note.ts", "the file changed since");
    await nvim.command("AgentQ rejectall it is in use");
    await nvim.untilEvent("TurnEnded");
    expect((await nvim.lines("src/credit-note.ts"))[0]).toBe("// unsaved");
    expect([stands("src/money.ts"), stands("src/credit-note.ts")]).toEqual([false, true]);
    expect(told()).toContain("(delete src/credit-note.ts): NOT applied: the file changed");
  });

  itAtLength("takes an applied proposal back, file by file, and shows it as a patch", async () => {
    await withProposal("src/money.ts", { server: "new" });
    const before = await disk("src/money.ts");
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    expect(stands("src/money.ts")).toBe(false);
    await nvim.command("AgentQ patch");
    await nvim.untilScreen("rename from src/money.ts", "rename to src/cash/money.ts");
    await nvim.command("quit");
    await nvim.command("AgentQ undo");
    await nvim.untilEvent("Proposal", 2);
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("Applied", 2);
    await nvim.until("the files are back", () => stands("src/money.ts") && stands("src/credit-note.ts"));
    expect(await disk("src/money.ts")).toBe(before);
    expect([stands("src/cash/money.ts"), stands("src/rounding/modes.ts")]).toEqual([false, false]);
    expect(await disk("src/allocate.ts")).toContain('"./money.ts"');
  });

  describeWalled("a command that leaves more than text", () => {
    it("shows each item by its words, takes no text for it, and puts there what is accepted", async () => {
      nvim = await startNeovim({ editor, file: "src/money.ts", script: leaveEntries, server: "new" });
      await nvim.lua("require('agentq').prompt(...)", "Go");
      await nvim.untilEvent("Proposal");
      const seen: string[] = [];
      for (const words of [
        "create go.sh (text, 18 bytes, executable)",
        "create logo.bin (binary, 3 bytes)",
        "create taxes (link to src/tax.ts)",
      ]) {
        await nvim.until(words, async () => {
          await nvim.command("AgentQ next");
          return (await nvim.screen()).includes(words);
        });
        seen.push(await nvim.screen());
      }
      expect(seen[0]).toContain("echo go");
      await nvim.command("AgentQ edit");
      await nvim.until("the refusal is said", async () =>
        (await nvim.notifications()).some((each) => each.includes("has no text to change")),
      );
      await nvim.command("AgentQ reject no link");
      await nvim.until("one is decided", async () => (await nvim.lua("return require('agentq').pending()")) === 4);
      await nvim.command("AgentQ acceptall");
      await nvim.untilEvent("TurnEnded");
      expect([stands("logo.bin"), stands("taxes")]).toEqual([true, false]);
      expect((await stat(nvim.path("go.sh"))).mode & 0o777).toBe(0o755);
      expect((await stat(nvim.path("src/tax.ts"))).mode & 0o777).toBe(0o755);
      expect(await disk("src/money.ts")).toMatch(/\/\/ end\n$/);
      const result = lastToolResult(nvim.model?.requests ?? [], "run_command");
      expect(result).toContain('(create taxes (link to src/tax.ts)): NOT applied, the person rejected it: "no link"');
      await nvim.command("AgentQ undo");
      await nvim.untilEvent("Proposal", 2);
      await nvim.command("AgentQ acceptall");
      await nvim.until("the files are gone", () => !stands("logo.bin") && !stands("go.sh"));
    });
  });
});
