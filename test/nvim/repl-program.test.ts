/** A real program below `agentq run`, a real server, and an editor whose forms go to the program. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { bareEnvironment, serverProgram } from "../support/server-client.ts";
import { labelledLog } from "./labelled-log.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  let program: ChildProcess | undefined;

  afterEach(async () => {
    await endProgram();
    await nvim.dispose();
  });

  async function endProgram(): Promise<void> {
    if (program?.exitCode !== null || program.signalCode !== null) return;
    program.kill();
    await once(program, "exit");
  }

  const untilLog = (...texts: string[]): Promise<string> =>
    nvim.until(`the log holds ${texts.join(" and ")}`, async () => {
      const text = await labelledLog(nvim);
      return texts.every((wanted) => text.includes(wanted)) && text;
    });

  it("evaluates and redefines in the scope of a module of a real program, after a question, until it ends and when it runs again", async () => {
    const runtime = (): string => join(nvim.folder, "home", "run");
    const server = [
      `import { createServer } from "node:http";`,
      `export let greeting = "hello";`,
      `export function greet(name: string): string { return greeting + " " + name; }`,
      `createServer((_, response) => void response.end(greet("you"))).listen(0, function () { console.log(this.address().port); });`,
    ];
    /** Answers where the program listens. */
    const runProgram = async (): Promise<string> => {
      const args = [serverProgram, "run", "--name", "api", "--", process.execPath, "src/server.ts"];
      // Nothing of the tests' own environment is there, in which a program is a test run.
      const env = bareEnvironment({ XDG_RUNTIME_DIR: runtime() });
      program = spawn(process.execPath, args, { cwd: nvim.project, env, stdio: ["ignore", "pipe", "inherit"] });
      const [printed] = (await once(program.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
      return `http://localhost:${printed.toString().trim()}`;
    };
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      server: "process",
      before: `vim.env.XDG_RUNTIME_DIR = vim.env.HOME .. "/run"
        vim.fn.mkdir(vim.env.XDG_RUNTIME_DIR, "p", tonumber("700", 8))`,
    });
    writeFileSync(nvim.path("src/server.ts"), server.join("\n"));
    await nvim.command("edit src/server.ts");
    const place = await runProgram();
    await nvim.command("AgentQ repl");
    await nvim.command("AgentQ process api");
    await untilLog(`forms go to api (process `);
    await nvim.command("1AgentQ eval greet('there')");
    await nvim.untilEvent("Approval");
    await nvim.untilScreen("Evaluate in api, your running program?");
    await nvim.command("AgentQ approve");
    await untilLog(`api │ src/server.ts > greet('there')\n`, `api │ $1 = "hello there" : string`);
    await nvim.type("3Gf+i + 'ing'<Esc>:AgentQ eval<CR>");
    await untilLog("api │ redefined: function greet");
    await nvim.command("1AgentQ eval greet('there')");
    await untilLog(`= "helloing there" : string`);
    expect(await (await fetch(place)).text()).toBe("helloing you");

    await endProgram();
    await untilLog("api has ended, or was detached: what was defined in it is gone.");
    await nvim.command("AgentQ eval 6 * 7");
    await untilLog(
      "api │ > 6 * 7\napi │ ReplUnavailable: api does not run, or was detached. Start it with agentq run, or attach it.",
    );
    await runProgram();
    await untilLog("api runs again (process ");
    await nvim.command("AgentQ eval 6 * 7");
    await untilLog("= 42 : number");
  });
});
