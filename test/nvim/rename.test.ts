import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const script = scriptOf("rename", "rename a function in several files", [
  reply(call("rename_symbol", { symbol: "src/allocate.ts#allocate", new_name: "apportion" })),
  reply("Renamed."),
]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it("reviews one proposal over several files, one of them open and unsaved", async () => {
    nvim = await startNeovim({ editor, file: "src/invoice.ts", script });
    await nvim.type("ggO// mine<Esc>");
    await nvim.until("it is typed", async () => (await nvim.lines())[0] === "// mine");
    await nvim.lua("require('agentq').prompt(...)", "Rename allocate to apportion");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
    await nvim.untilScreen("▎hunk 7 of 12 · ", "compiler: no new error");
    await nvim.command("AgentQ acceptall");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    await nvim.untilEvent("TurnEnded");
    const told = lastToolResult(nvim.model?.requests ?? [], "rename_symbol");
    expect(told).toMatch(/^APPLIED: all \d+ of \d+ hunks\.$/m);
    expect(told).toMatch(/^Checked the \d+ touched files\b.*: no new error\.$/m);
    for (const file of ["src/allocate.ts", "src/invoice.ts", "src/credit-note.ts", "src/index.ts"]) {
      const text = (await nvim.lines(file)).join("\n");
      expect(text).toMatch(/\bapportion\b/);
      expect(text).not.toMatch(/\ballocate\b(?!\.ts|\()/);
    }
    expect((await nvim.lines("src/invoice.ts"))[0]).toBe("// mine");
  });

  it("applies all but what stands in a buffer that cannot be changed, and says so", async () => {
    const begins = {
      "src/money.ts": "/** The currencies this library keeps books in. All of them have a hundred minor units. */",
      "src/tax.ts": 'import type { Money } from "./money.ts";',
      "src/order.ts": 'import { sum, type Currency, type Money } from "./money.ts";',
    };
    const first = async (file: string): Promise<string> => (await nvim.lines(file))[0] ?? "";
    const note = scriptOf("note", "write a note at the beginning of three files", [
      reply(
        call("propose_edits", {
          description: "Notes",
          edits: Object.entries(begins).map(([path, original]) => ({
            op: "insert_before",
            path,
            original,
            modified: "// A note.",
          })),
        }),
      ),
      reply("Understood."),
    ]);
    nvim = await startNeovim({ editor, file: "src/tax.ts", script: note });
    await nvim.command("setlocal nomodifiable");
    await nvim.lua("require('agentq').prompt(...)", "Write notes");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
    await nvim.command("AgentQ acceptall");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    await nvim.until("it is said", async () =>
      (await nvim.notifications()).includes("AgentQ: src/tax.ts is not modifiable in this editor; the rest is applied"),
    );
    expect(await Promise.all(Object.keys(begins).map(first))).toEqual([
      "// A note.",
      begins["src/tax.ts"],
      "// A note.",
    ]);
    expect(await nvim.lua("return require('agentq').pending()")).toBe(1);
  });

  it("leaves comments and pages out when all hunks are accepted at once", async () => {
    const more = scriptOf("rename-more", "rename with mentions", [
      reply(
        call("rename_symbol", {
          symbol: "src/allocate.ts#allocate",
          new_name: "apportion",
          also: ["comments", "strings", "docs"],
        }),
      ),
      reply("Renamed."),
    ]);
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: more });
    await nvim.lua("require('agentq').prompt(...)", "Rename allocate to apportion");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
    await nvim.untilScreen("left out by 'all'");
    await nvim.command("AgentQ acceptall");
    await nvim.untilEvent("TurnEnded");
    const text = (await nvim.lines("src/allocate.ts")).join("\n");
    expect(text).toContain("export function apportion(");
    expect(text).toContain(" * allocate(money(");
    expect(lastToolResult(nvim.model?.requests ?? [], "rename_symbol")).toContain(
      "(comment in src/allocate.ts:10): left out",
    );
  });
});
