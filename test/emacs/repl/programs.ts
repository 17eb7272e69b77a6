/** Forms in a program of the person's, which runs under `agentq run`: one story with a real server and a real program. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import { bareEnvironment, serverProgram } from "../../support/server-client.ts";
import { lispString } from "../batch.ts";
import { McpClient } from "../../support/mcp-client.ts";
import type { Emacs } from "../connections.ts";
import { questionBuffer, replBuffer, Workbench } from "../workbench.ts";

const inspectBuffer = "*agentq-inspect: invoices*";
const API = 'export const basket = new Map([["apples", 3]]);\nsetInterval(() => {}, 1e6);\nconsole.log("runs");\n';

/** Programs and servers find each other in a folder of this test. */
const OWN_RUNTIME = `(progn (with-file-modes #o700 (make-directory "~/runtime"))
  (setenv "XDG_RUNTIME_DIR" (expand-file-name "~/runtime")))`;

export function programsTests(editor: Emacs): void {
  let bench: Workbench;
  let program: ChildProcess | undefined;
  let host: McpClient | undefined;

  afterEach(async () => {
    await host?.close();
    host = undefined;
    await end();
  });

  const runtime = (): string => join(dirname(bench.here), "home/runtime");

  async function run(): Promise<void> {
    const command = [serverProgram, "run", "--name", "api", "--", process.execPath, "src/api.ts"];
    const env = bareEnvironment({ XDG_RUNTIME_DIR: runtime() });
    program = spawn(process.execPath, command, { cwd: bench.project, env, stdio: ["ignore", "pipe", "inherit"] });
    if (program.stdout !== null) await once(program.stdout, "data");
  }

  async function end(): Promise<void> {
    if (program === undefined) return;
    const gone = once(program, "exit");
    program.kill();
    program = undefined;
    await gone;
  }

  const log = (text: string): Promise<string> => bench.emacs.untilText(replBuffer, text);
  const inLog = (form: string): Promise<string> =>
    bench.emacs.evaluate(`(with-current-buffer ${lispString(replBuffer)} ${form})`);

  it("chooses a program, evaluates in its modules, and goes on when it starts anew", async () => {
    bench = await Workbench.start(editor, demo, {
      startsServer: true,
      isAlone: true,
      setup: OWN_RUNTIME,
    });
    writeFileSync(join(bench.project, "src/api.ts"), API);
    await bench.emacs.evaluate(`(progn (find-file ${lispString(join(bench.project, "src/api.ts"))}) t)`);
    await bench.command("agentq-process");
    await bench.emacs.untilText("*Messages*", "No program runs here");

    await run();
    await bench.command("agentq-process", "api");
    const chosen = await log("forms go to api (process ");
    const pid = /\(process (\d+)\)/.exec(chosen)?.[1] ?? "";
    expect(await inLog("(substring-no-properties (agentq-repl-state-header))")).toBe(`" api (process ${pid})"`);
    await bench.command("agentq-eval", "[process.pid, basket]");
    await log("Evaluate in api, your running program?");
    await bench.command("agentq-approve");
    await bench.emacs.until(`(equal (window-buffer) (get-buffer ${lispString(questionBuffer)}))`);
    bench.emacs.type("1");
    expect(await log("$1 = [")).toMatch(
      new RegExp(String.raw`^api src/api\.ts > \[process\.pid, basket\]\n[^]*\$1 = \[${pid}, Map\(1\)`, "m"),
    );

    await bench.emacs.evaluate(`(let ((current-prefix-arg t)) (call-interactively 'agentq-trace) t)`);
    await log(`In api (process ${pid}):\nNothing is traced.`);

    // The REPL has a $1 of its own, and no value of one is taken for one of the other.
    await bench.command("agentq-process", "");
    await log("forms go to the REPL from now on");
    await bench.command("agentq-eval", "process.pid === 0");
    await log("$1 = false : boolean");
    await inLog(`(progn (goto-char (point-min)) (search-forward "$1 = [") (agentq-repl-go) nil)`);
    await bench.emacs.untilText(inspectBuffer, "$1 : Array(2)  in api\n");

    await bench.command("agentq-process", "api");
    await end();
    await log("api has ended, or was detached: what was defined in it is gone.");
    await bench.command("agentq-eval", "basket.size");
    await log("api does not run, or was detached. Start it with agentq run, or attach it.");
    expect(await inLog("(substring-no-properties (agentq-repl-state-header))")).toBe('" api (not running)"');
    await run();
    const again = await log("api runs again (process ");
    await bench.emacs.evaluate(`(progn (pop-to-buffer "api.ts") t)`);
    await bench.command("agentq-eval", "process.pid");
    await log(`= ${/runs again \(process (\d+)\)/.exec(again)?.[1]} : number`);
    await bench.command("agentq-history");
    await bench.emacs.untilText("*agentq-history: invoices*", "[process.pid, basket]");
  });

  it("shares the REPL with a host, and runs what the host wrote to the disk", async () => {
    bench = await Workbench.start(editor, demo, { startsServer: true, isAlone: true, setup: OWN_RUNTIME });
    const file = join(bench.project, "src/allocate.ts");
    await bench.emacs.evaluate(`(progn (find-file ${lispString(file)}) t)`);
    await bench.command("agentq-eval", "const basket = ['apple']; basket");
    await log('$1 = ["apple"]');
    const environment = (): Record<string, string> => ({ XDG_RUNTIME_DIR: runtime() });
    host = new McpClient({ folder: bench.project, environment }, { only: "repl" });
    await host.connect();
    writeFileSync(file, `${readFileSync(file, "utf8")}export const made = 7;\n`);
    const form = "import { made } from './src/allocate.ts'; $1.push('pear'); made";
    expect((await host.call("eval_form", { form })).text).toMatch(/^7\n[^]*- The REPL is that of (?:Emacs|Eglot)/i);
    expect(await log("$2 = 7 : number")).toContain("test > import { made }");
    const shown = `(with-current-buffer "allocate.ts" (and (not (buffer-modified-p)) (search-forward "made = 7" nil t)))`;
    expect(await bench.emacs.evaluate(shown)).not.toBe("nil");
  });
}
