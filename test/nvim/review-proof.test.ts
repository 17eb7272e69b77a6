import { writeFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { renameHelper } from "../support/rename-helper.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const FILE = "src/allocate.ts";

/** Mends both of the errors of a file, in two hunks. */
const mendTypes = scriptOf("mend-types", "mend the errors of a file", [
  reply(
    call("propose_file_edit", {
      path: "src/broken.ts",
      modified: "export const one: number = 1;\n\n// between\n\nexport const two: number = 2;\n",
      description: "Mend the types",
    }),
  ),
  reply("Understood."),
]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function review(script: Script): Promise<void> {
    nvim = await startNeovim({ editor, file: FILE, script, columns: 80 });
    await nvim.lua("require('agentq').prompt(...)", "Change it");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
  }

  async function reviewMend(): Promise<void> {
    nvim = await startNeovim({ editor, script: mendTypes });
    await writeFile(
      nvim.path("src/broken.ts"),
      `export const one: number = "1";\n\n// between\n\nexport const two: number = "2";\n`,
    );
    await nvim.open("src/broken.ts");
    await nvim.untilReady();
    await nvim.lua("require('agentq').prompt(...)", "Mend it");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
  }

  it("says what a rejection would break, and takes along what an accepted hunk needs", async () => {
    await review(renameHelper);
    const screen = await nvim.untilScreen("+1 error if you reject this hunk", "needs hunk 2 (src/allocate.ts:30)");
    expect(screen).toContain("src/allocate.ts:13 Cannot find name");
    await nvim.type("\\an");
    await nvim.untilScreen("needs hunk 1 (src/allocate.ts:13)");
    await nvim.type("\\aa");
    await nvim.untilScreen("accepted, and what it needs: src/allocate.ts:13");
    const text = (await nvim.lines(FILE)).join("\n");
    expect(text.match(/sumOfWeights/g)).toHaveLength(2);
    expect(text).not.toContain("totalWeight");
  });

  it("names a hunk that another one needs by the number that stands above it, also behind those of another proposal", async () => {
    const two = scriptOf("two", "propose an edit and a rename", [
      reply(
        call("propose_file_edit", {
          path: "src/tax.ts",
          original: "import type { Money }",
          modified: "// taxes\nimport type { Money }",
          description: "Say what the file is about",
        }),
        call("propose_edits", {
          description: "Say what is added",
          edits: ["const whole = totalWeight(", "function totalWeight("].map((original) => ({
            op: "replace",
            path: FILE,
            original,
            modified: original.replace("totalWeight", "sumOfWeights"),
          })),
        }),
      ),
      reply("Understood."),
    ]);
    nvim = await startNeovim({ editor, file: FILE, script: two, columns: 80 });
    await nvim.lua("require('agentq').prompt(...)", "Change it");
    await nvim.untilEvent("Proposal", 2);
    await nvim.command("AgentQ review");
    await nvim.type("\\an");
    await nvim.untilScreen("hunk 2 of 3", "needs hunk 3 (src/allocate.ts:30)");
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen(/hunk 2 of 3 · allocate.ts 1\/2[^]*needs hunk 3 \(src/);
  });

  it("says above a hunk how many errors it fixes, in the file and in the review window", async () => {
    await reviewMend();
    const screen = await nvim.untilScreen("▎hunk 1 of 2 · broken.ts 1/2 · fixes 1 error · ");
    const rows = screen.split("\n");
    const [head, old] = [/fixes 1 error/, /one: number = "1"/].map((words) => rows.findIndex((row) => words.test(row)));
    expect(head, "the header stands above the lines that go").toBeLessThan(old ?? -1);
    await nvim.command("AgentQ reviewall");
    await nvim.untilScreen("2 left to decide", "▎hunk 1 of 2 · broken.ts 1/2 · fixes 1 error");
  });

  it("says after a decision what the compiler makes of what was accepted so far", async () => {
    await reviewMend();
    const screen = await nvim.untilScreen("▎1 error stays if you reject this hunk");
    expect(screen).not.toContain("accepted so far");
    await nvim.type("\\aa");
    await nvim.untilScreen("accepted so far: no new error, 1 gone");
  });

  it("says nothing of a rejection or of what was accepted where no error comes or goes with them", async () => {
    await review(proposeFix);
    await nvim.lua(`
      _G.answered = 0
      vim.api.nvim_create_autocmd("LspRequest", { callback = function(args)
        local request = args.data.request
        if request.method == "agentq/checkSubset" and request.type == "complete" then _G.answered = _G.answered + 1 end
      end })
    `);
    await nvim.type("\\aa");
    await nvim.until("the compiler has answered", () => nvim.lua<boolean>("return _G.answered >= 2"));
    const screen = await nvim.untilScreen("1 left", "compiler: no new error");
    expect(screen).not.toMatch(/if you reject|accepted so far/);
  });
});
