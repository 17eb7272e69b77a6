import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { reply, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

const server = fileURLToPath(new URL("../../fixtures/mcp/stdio.mjs", import.meta.url));
const script: Script = { name: "none", description: "says one word", reply: () => reply("Done.") };

export function mcpTests(editor: Emacs): void {
  let bench: Workbench;

  it("tells of a server that is down, shows all in the status, and starts one anew", async () => {
    const calc = `(:command ${JSON.stringify(process.execPath)} :args [${JSON.stringify(server)}])`;
    const settings = `(:mcpServers (:calc ${calc} :gone (:command "/no/such/program")))`;
    bench = await Workbench.start(editor, script, {
      setup: `(setq agentq-program (append agentq-program '(:initializationOptions ${settings})))`,
    });
    await bench.connect();
    const told = "The MCP server gone is down: it cannot be started: spawn /no/such/program ENOENT.";
    await bench.emacs.untilText(chatBuffer, told);
    await bench.emacs.untilText("*Messages*", `Agent-Q: ${told}`);
    await poll(async () => {
      await bench.command("agentq-status");
      return (await bench.emacs.untilText("*agentq-status*", "Waiting")).includes("calc: ready, 8 tools");
    }, "the server is ready");
    const status = await bench.emacs.text("*agentq-status*");
    expect(status).toMatch(/^MCP {9}gone: (restarting|starting), 0 tools/m);
    await bench.command("agentq-restart-mcp-server");
    await bench.untilAsked();
    bench.emacs.type("calc\t");
    await bench.answer("");
    await bench.emacs.untilText("*Messages*", "Agent-Q: MCP server calc: ready, 8 tools");
  });
}
