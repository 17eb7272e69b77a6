/** What else happens to a file while hunks of it wait, and how a rejection is taken back. */
import { execFileSync } from "node:child_process";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const FILE = "src/allocate.ts";
const propose = scriptOf("propose", "propose an edit", [
  reply(
    call("propose_file_edit", {
      path: FILE,
      original: "Math.trunc(",
      modified: "Math.floor(",
      description: "Floor",
    }),
  ),
  reply("Understood."),
]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  beforeEach(async () => {
    // Where an earlier test has left a rejected proposal, one is asked which to bring back.
    nvim = await startNeovim({ editor, file: FILE, script: propose, server: "new" });
    await nvim.command("AgentQ prompt Floor it");
    await nvim.untilEvent("Proposal");
  });

  afterEach(async () => {
    await nvim.dispose();
  });

  const pending = (): Promise<number> => nvim.lua("return require('agentq').pending()");

  const git = (...args: readonly string[]): void => {
    const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
    execFileSync("git", ["-C", nvim.project, ...identity, ...args], { stdio: "ignore" });
  };

  it("decides nothing when the file is committed, changes on the disk or is read again, and follows its lines", async () => {
    git("init");
    git("add", "--all");
    git("commit", "--message", "all");
    const before = await readFile(nvim.path(FILE), "utf8");
    await writeFile(nvim.path(FILE), `// first\n// second\n${before}`);
    await nvim.command("checktime");
    await nvim.until("the file is read again", async () => (await nvim.lines())[1] === "// second");
    git("commit", "--all", "--message", "more");
    await nvim.command("edit");
    expect(await pending()).toBe(1);
    await nvim.command("AgentQ review");
    const row = before.split("\n").findIndex((line) => line.includes("Math.trunc("));
    expect(await nvim.lua("return vim.api.nvim_win_get_cursor(0)[1]")).toBe(row + 3);
    await nvim.command("AgentQ accept");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    await nvim.untilEvent("TurnEnded");
    expect(await readFile(nvim.path(FILE), "utf8")).toBe(
      `// first\n// second\n${before.replace("Math.trunc(", "Math.floor(")}`,
    );
  });

  it("asks nothing and overwrites nothing when a file with unsaved changes was changed on the disk, too", async () => {
    await nvim.command("normal! Go// mine");
    await appendFile(nvim.path(FILE), "// theirs\n");
    await nvim.command("AgentQ review");
    await nvim.command("AgentQ accept");
    await nvim.untilEvent("TurnEnded");
    expect((await nvim.lines()).at(-1)).toBe("// mine");
    expect(await readFile(nvim.path(FILE), "utf8")).toMatch(/Math\.trunc\([^]*\/\/ theirs\n$/);
  });

  it("brings back what was rejected all at once, to be decided anew", async () => {
    await nvim.command("AgentQ rejectall not yet");
    await nvim.untilEvent("TurnEnded");
    expect(await pending()).toBe(0);
    await nvim.command("AgentQ reopen");
    await nvim.untilEvent("Proposal", 2);
    expect(await pending()).toBe(1);
    await nvim.command("AgentQ review");
    await nvim.command("AgentQ accept");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect((await nvim.lines()).join("\n")).toContain("Math.floor(");
  });
});
