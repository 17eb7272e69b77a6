/** What other plugins hear: every `User AgentQ…` autocommand of the help, each with the data that the help names. */
import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const HELP = new URL("../../client-nvim/doc/agentq.txt", import.meta.url);
/** Data that is there only where there is something to say. */
const MAY_MISS = new Set(["reason", "message", "error", "conflict", "process"]);

const script = scriptOf("everything", "evaluate, then propose an edit", [
  reply(call("eval_form", { form: "globalThis.made = 6 * 7" })),
  reply(
    call("propose_file_edit", {
      path: "src/allocate.ts",
      original: "Math.trunc(",
      modified: "Math.floor(",
      description: "Floor",
    }),
  ),
  reply("Understood."),
]);

/** The names of the data by event, as the help has them. */
function promised(): Map<string, string[]> {
  const help = readFileSync(HELP, "utf8");
  const section = help.slice(help.indexOf("*agentq-events*"), help.indexOf("*agentq-highlights*"));
  return new Map(
    [...section.matchAll(/^ {4}AgentQ(\w+) +(.+)$/gm)].map(([, name = "", data = ""]) => [
      name,
      data.replaceAll(/ \(.*?\)/g, "").split(", "),
    ]),
  );
}

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  it("tells other plugins of everything that the help names, with the data that the help names and no null", async () => {
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      script,
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
        init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.command("AgentQ prompt Go on");
    await nvim.untilEvent("Approval");
    await nvim.command("AgentQ approve");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ next");
    await nvim.command("AgentQ testhunks");
    await nvim.untilEvent("Tested");
    await nvim.command("AgentQ accept");
    await nvim.untilEvent("TurnEnded");
    await nvim.command(`AgentQ eval require("node:fs").writeFileSync("made.txt", "made")`);
    await nvim.untilEvent("EvaluationChanges");
    await nvim.command("AgentQ changes keep");
    await nvim.untilEvent("ChangesDecided");
    await nvim.command("AgentQ callers splitEvenly");
    await nvim.untilEvent("ToolDone");
    // A real program is in repl-program.test.ts.
    await nvim.lua(
      `local client = vim.lsp.get_clients({ name = "agentq" })[1]
       client.handlers["agentq/processesChanged"](nil, { processes = {} }, { client_id = client.id })`,
    );
    const heard = new Map<string, string[]>();
    for (const [name] of promised()) {
      await nvim.untilEvent(name);
      const keys = await nvim.lua<string[]>(
        `local keys = {}
         for _, data in ipairs(_G.test_events[...]) do
           for key, value in pairs(data) do
             keys[value == vim.NIL and key .. " is null" or key] = true
           end
         end
         return vim.tbl_keys(keys)`,
        name,
      );
      heard.set(name, keys);
    }
    for (const [name, data] of promised()) {
      const keys = heard.get(name) ?? [];
      expect(data, `data of AgentQ${name}`).toEqual(expect.arrayContaining(keys));
      expect(keys, `data of AgentQ${name}`).toEqual(expect.arrayContaining(data.filter((key) => !MAY_MISS.has(key))));
    }
  });
});
