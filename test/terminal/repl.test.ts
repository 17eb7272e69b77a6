/** `agentq repl` in a pseudo terminal, and fed by a pipe. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isOpenForm } from "../../server/src/terminal/open-form.ts";
import { shareAgentqHere } from "../support/agentq-here.ts";
import { SessionStage } from "../support/session-stage.ts";
import { Terminal, whyNoTerminal } from "../support/terminal.ts";

const here = shareAgentqHere();
let stage: SessionStage;
let terminal: Terminal | undefined;
beforeEach(async () => {
  stage = new SessionStage();
  await stage.open();
});
afterEach(async () => {
  await terminal?.dispose();
  terminal = undefined;
  await stage.dispose();
});

const why = whyNoTerminal();

describe.skipIf(why !== "")(`the REPL in a terminal${why === "" ? "" : ` (${why})`}`, () => {
  it("takes forms of several lines, completes, interrupts an endless loop and keeps the state", async () => {
    terminal = new Terminal(["repl"], { cwd: stage.folder, env: stage.environment() });
    await terminal.until(/\n> $/);
    terminal.send('import { money } from "./src/money.ts";\r');
    await terminal.until(/\n> $/);
    terminal.send("const total = [1, 2,\r");
    await terminal.until(/… $/);
    terminal.send("3].length;\r");
    await terminal.until(/\n> $/);
    terminal.send("tota\t");
    await terminal.until(/total/);
    terminal.send(" * 2\r");
    await terminal.until(/\n6 +\$\d+: number\n/);
    await terminal.until(/> $/);
    terminal.send('console.log("it begins"); for (;;) {}\r');
    await terminal.until(/\nit begins\n/);
    terminal.send("\u0003");
    await terminal.until(/nterrupted[^]*\n> $/);
    terminal.send("total + 1\r");
    await terminal.until(/\n4 +\$\d+: number\n/);
    await terminal.until(/> $/);
    terminal.send("\u0004");
    expect(await terminal.ended()).toBe(0);
  });

  it("ends at a Ctrl-D that is pressed while a form still runs", async () => {
    const env = here().environment(stage.environment());
    terminal = new Terminal(["repl"], { cwd: stage.folder, env, program: here().program });
    await terminal.until(/\n> $/);
    terminal.send('console.log("it begins"); await new Promise((done) => setTimeout(done, 300)); 42\r');
    await terminal.until(/\nit begins\n/);
    terminal.send("\u0004");
    await terminal.until(/42 +\$\d+: number\n/);
    expect(await terminal.ended()).toBe(0);
  });

  it.each([
    ["without brackets", "", ""],
    ["in brackets", "\u001b[200~", "\u001b[201~\r"],
  ])("evaluates forms of several lines that are pasted %s", async (_name, begin, end) => {
    const env = here().environment(stage.environment());
    terminal = new Terminal(["repl"], { cwd: stage.folder, env, program: here().program });
    await terminal.until(/\n> $/);
    const forms = ["const x1 = 11;", "function twice(n: number) {", "", "\treturn 2 * n;", "}", "twice(x1) + 1", ""];
    terminal.send(begin + forms.join("\r") + end);
    await terminal.until(/\n23 +\$\d+: number\n/);
    await terminal.until(/> $/);
  });
});

it("evaluates the forms of a pipe, and fails when one of them does", async () => {
  const repl = (input: string) => here().run(["repl"], { cwd: stage.folder, env: stage.environment(), input });
  expect(await repl("const twice = (n: number) => {\n  return 2 * n;\n};\ntwice(21)\n")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^42 {2}\$\d+: number$/m),
  });
  expect(await repl('throw new Error("on purpose")')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Error: on purpose"),
  });
});

it.each([
  ["f(", true],
  ["f(1)", false],
  ["const a = `x", true],
  ["`a ${b} c`", false],
  ["`a ${b", true],
  ["/* note", true],
  ['"it\'s ("', false],
  ["/[(]/.test(s)", false],
])("knows whether %j goes on in the next line: %s", (form, isOpen) => {
  expect(isOpenForm(form)).toBe(isOpen);
});
