/** `agentq chat` in a pseudo terminal, against the scripted model. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import { given } from "../../server/src/base/given.ts";
import { shareAgentqHere } from "../support/agentq-here.ts";
import { runAgentq } from "../support/run-agentq.ts";
import { SessionStage } from "../support/session-stage.ts";
import { Terminal, whyNoTerminal } from "../support/terminal.ts";

const PROMPT = /\n> $/;
const QUESTION = /Apply this hunk \[y,n,e,a,d,q,\?\]\? $/;

const fix = call("propose_edits", {
  description: "The file says that it was checked.",
  edits: [
    { op: "insert_at_start", path: "src/tax.ts", modified: "// Checked." },
    { op: "insert_at_end", path: "src/tax.ts", modified: "// Read to its end." },
  ],
});

const here = shareAgentqHere();
let stage: SessionStage;
let terminals: Terminal[] = [];
beforeEach(async () => {
  stage = new SessionStage();
  await stage.open();
});
afterEach(async () => {
  for (const terminal of terminals.splice(0)) await terminal.dispose();
  await stage.dispose();
});

function chat(args: readonly string[] = [], env: Record<string, string> = {}, cwd?: string): Terminal {
  return opened(args, { ...here().environment(stage.environment()), ...env }, here().program, cwd);
}

function opened(args: readonly string[], env: Record<string, string>, program?: string, cwd = stage.folder): Terminal {
  const terminal = new Terminal(["chat", ...args], { cwd, env, ...given({ program }) });
  terminals.push(terminal);
  return terminal;
}

function taxText(): string {
  return readFileSync(path.join(stage.folder, "src/tax.ts"), "utf8");
}

const why = whyNoTerminal();

describe.skipIf(why !== "")(`a chat in a terminal${why === "" ? "" : ` (${why})`}`, () => {
  it("shows each tool on one line with its result, and the answer within 80 columns", async () => {
    stage.steps.push(
      reply(call("describe_symbol", { symbol: "allocate" })),
      reply(`It divides **money** ${"into shares that add up ".repeat(8)}.`),
    );
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("What is allocate?\r");
    await terminal.until(/● describe_symbol allocate → src\/allocate\.ts#allocate — export .*\([\d.]+ m?s\)\n/);
    await terminal.until(/It divides money[^]*add up \.\n[^]*claude-\S+ · [\d,]+ tokens/);
    await terminal.until(PROMPT);
    expect(Math.max(...terminal.text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(terminal.raw).toContain("\u001b[");
    terminal.send("\u0004");
    expect(await terminal.ended()).toBe(0);
  });

  it("says where the project is that begins above the folder", async () => {
    const terminal = chat([], {}, path.join(stage.folder, "src"));
    await terminal.until(PROMPT);
    expect(terminal.text.replaceAll(/\s+/g, " ")).toContain(
      `Only this folder is worked on. The project is ${stage.folder}: start agentq there for all of it.`,
    );
  });

  it("asks about each hunk, applies what is accepted, and tells the model the reason for the rest", async () => {
    stage.steps.push(reply(fix), reply("Understood."));
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("Check the tax\r");
    await terminal.until(/hunk 1 of 2[^]*\+\/\/ Checked\./);
    await terminal.until(QUESTION);
    terminal.send("y\r");
    await terminal.until(/hunk 2 of 2/);
    await terminal.until(QUESTION);
    terminal.send("n\r");
    await terminal.until(/Why not\?.*: $/);
    terminal.send("the end is obvious\r");
    await terminal.until(/Understood\./);
    await terminal.until(PROMPT);
    expect(taxText()).toMatch(/^\/\/ Checked\.\n/);
    expect(taxText()).not.toContain("Read to its end");
    expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain("the end is obvious");
  });

  it("takes the person's own text for a hunk from their editor", async () => {
    stage.steps.push(reply(fix), reply("Understood."));
    const terminal = chat([], { EDITOR: "sed -i s/Checked/Verified/", VISUAL: "" });
    await terminal.until(PROMPT);
    terminal.send("Check the tax\r");
    await terminal.until(QUESTION);
    terminal.send("e\r");
    await terminal.until(/hunk 2 of 2/);
    await terminal.until(QUESTION);
    terminal.send("q\r");
    await terminal.until(PROMPT);
    expect(taxText()).toMatch(/^\/\/ Verified\.\n/);
  });

  it("asks before a dangerous call, and runs nothing after a no", async () => {
    stage.steps.push(reply(call("run_command", { command: "touch made" })), reply("Very well."));
    const terminal = opened([], { ...stage.environment(), PATH: `${path.dirname(process.execPath)}:/nowhere` });
    await terminal.until(PROMPT);
    terminal.send("Make it\r");
    await terminal.until(/run_command asks first[^]*touch made[^]*Allow it \[y,s,a,n,q,\?\]\? $/);
    terminal.send("n\r");
    await terminal.until(/Why not\?.*: $/);
    terminal.send("not today\r");
    await terminal.until(/Very well\./);
    expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain("not today");
  });

  const said = (): unknown => stage.model.requests.at(-1)?.messages.findLast(({ role }) => role === "user");

  it("sends what is pasted in brackets as one prompt, also from the history", async () => {
    stage.steps.push(reply("I read."), reply("I read again."));
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("Look: \u001b[200~first line\r\n\tsecond\n\r\u001b[31mfourth\u001b[0m line\r\u001b[20");
    terminal.send("1~");
    await terminal.until(/fourth line/);
    terminal.send(" and on\r");
    await terminal.until(/I read\./);
    const text = "Look: first line\\n\\tsecond\\n\\nfourth line\\n and on";
    expect(JSON.stringify(said())).toContain(text);
    await terminal.until(PROMPT);
    terminal.send("\u001b[A, again\r");
    await terminal.until(/I read again\./);
    expect(JSON.stringify(said())).toContain(`${text}, again`);
  });

  it("sends each line that is pasted without brackets, and what has no end stands at the prompt", async () => {
    stage.steps.push(reply("One."), reply("Two."), reply("Three."));
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("plain one\rplain two\r\nplain \u001b\rthree\rplain four");
    await terminal.until(/plain one[^]*One\.[^]*> plain two[^]*Two\.[^]*> plain ␤three[^]*Three\.[^]*> plain four/);
    expect(JSON.stringify(said())).toContain("plain \\nthree");
  });

  it("goes on in the next line behind a backslash and with Ctrl-J", async () => {
    stage.steps.push(reply("I read."));
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("one\\\r");
    await terminal.until(/one␤/);
    terminal.send("two");
    await terminal.until(/two/);
    terminal.send("\nthree\r");
    await terminal.until(/I read\./);
    expect(JSON.stringify(said())).toContain("one\\ntwo\\nthree");
  });

  it.each([
    ["e\r", "", "first␤second"],
    ["begun\u0018\u0005", "begun", "begun␤first␤second"],
  ])("opens the person's editor by %j, and what was written stands at the prompt", async (keys, begun, shown) => {
    stage.steps.push(reply("I read."));
    const editor = path.join(stage.folder, "..", "write.sh");
    writeFileSync(editor, '#!/bin/sh\n[ -s "$1" ] && echo >> "$1"\nprintf \'first\\nsecond\\n\' >> "$1"\n', {
      mode: 0o700,
    });
    const terminal = chat([], { VISUAL: editor });
    await terminal.until(PROMPT);
    terminal.send(keys);
    await terminal.until(new RegExp(`\n> ${shown}$`));
    terminal.send("\r");
    await terminal.until(/I read\./);
    expect(JSON.stringify(said())).toContain(`${begun === "" ? "" : `${begun}\\n`}first\\nsecond`);
  });

  const slow = call("eval_form", { form: "await new Promise((resolve) => setTimeout(resolve, 2_000)); 7" });

  it("hands on what is typed while the model works, and shows that between lines", async () => {
    stage.steps.push(reply(slow), reply("Both, then."));
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("Count\r");
    await terminal.until(/● eval_form/);
    terminal.send("and saz\u007fy so\r");
    await terminal.until(/\n {2}queued: and say so\n/);
    terminal.send("/cost\r");
    await terminal.until(/ {2}for the next prompt: \/cost\n[^]*you, meanwhile: and say so[^]*Both, then\./);
    await terminal.until(/\n> \/cost$/);
    expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain("and say so");
    expect(terminal.text).not.toContain("saz");
  });

  it("puts what the model has not heard back at the prompt on Ctrl-C", async () => {
    stage.steps.push({ ...reply("I begin and never come to an end of it."), fault: { kind: "hang", afterEvents: 4 } });
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("Talk\r");
    await terminal.until(/I begin/);
    terminal.send("wait, not so\r\u0003");
    await terminal.until(/\n> wait, not so$/);
  });

  it("puts commands that were entered meanwhile at the prompt too on Ctrl-C, each in a line of its own", async () => {
    stage.steps.push({ ...reply("I begin and never come to an end of it."), fault: { kind: "hang", afterEvents: 4 } });
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("Talk\r");
    await terminal.until(/I begin/);
    terminal.send("/cost\r!echo hi\rnot entered\u0003");
    await terminal.until(/\n> \/cost␤!echo hi$/);
  });

  it("runs a command of the person's, and the model reads what it printed with the next words", async () => {
    stage.steps.push(reply("I saw."));
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("!echo so it is; exit 3\r");
    await terminal.until(/\nso it is\n\(exit code 3\)[^]*\n> $/);
    expect(stage.model.requests).toHaveLength(0);
    terminal.send("Look\r");
    await terminal.until(/I saw\.[^]*\n> $/);
    expect(JSON.stringify(said())).toMatch(/!echo so it is; exit 3.*so it is\\n\\n\(exit code 3\)/);
    terminal.send("/help\r");
    await terminal.until(/\/compact[^]*!command[^]*\n> $/);
    terminal.send("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  itAtLength("keeps what a command printed for the words that the server takes, in whole characters", async () => {
    stage.steps.push({ ...reply("I begin and never come to an end of it."), fault: { kind: "hang", afterEvents: 4 } });
    const elsewhere = chat();
    await elsewhere.until(PROMPT);
    elsewhere.send("Talk\r");
    await elsewhere.until(/I begin/);
    const terminal = chat(["--continue"]);
    await terminal.until(PROMPT);
    terminal.send(
      String.raw`!printf 'K\303'; sleep 0.2; printf '\244se \360\237'; sleep 0.2; printf '\247\200'` + "\r",
    );
    await terminal.until(/\nKäse 🧀[^]*\n> $/);
    terminal.send("Look\r");
    await terminal.until(/runs in another server[^]*\n> $/);
    elsewhere.send("\u0003");
    await elsewhere.until(PROMPT);
    stage.steps.push(reply("I saw."), reply("I saw no more."));
    terminal.send("Look again\r");
    await terminal.until(/I saw\.[^]*\n> $/);
    expect(JSON.stringify(said())).toMatch(/!printf .*Käse 🧀.*Look again/);
    terminal.send("And now?\r");
    await terminal.until(/no more\.[^]*\n> $/);
    expect(JSON.stringify(said())).not.toContain("Käse");
  });

  it("takes no key for an answer to a hunk that was pressed before the question stood", async () => {
    stage.steps.push(reply(fix), reply("Understood."));
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("Check the tax\r");
    await terminal.until(QUESTION);
    terminal.send("y\ry\r");
    await terminal.until(/hunk 2 of 2/);
    await terminal.until(QUESTION);
    expect(taxText()).not.toContain("Read to its end");
    terminal.send("n\rthe end is obvious\ra\r");
    await terminal.until(/Why not\?.*: the end is obvious[^]*Understood\./);
    await terminal.until(/\n> y␤a$/);
    expect(taxText()).toMatch(/^\/\/ Checked\.\n/);
    expect(taxText()).not.toContain("Read to its end");
  });

  it.each(["y\r", "y", "s\ra\r", "\u001b[200~y\r\u001b[201~"])(
    "allows no command by %j that was typed while the model worked",
    async (typed) => {
      stage.steps.push(reply(call("run_command", { command: "touch made" })), reply("Very well."));
      const terminal = opened([], { ...stage.environment(), PATH: `${path.dirname(process.execPath)}:/nowhere` });
      await terminal.until(PROMPT);
      terminal.send(`Make it\r${typed}`);
      await terminal.until(/run_command asks first[^]*Allow it \[y,s,a,n,q,\?\]\? /);
      terminal.send("\r");
      await terminal.until(/Allow it \[y,s,a,n,q,\?\]\? $/);
      terminal.send("n\r");
      await terminal.until(/Why not\?.*: $/);
      terminal.send("\r");
      await terminal.until(/Very well\.[^]*\n> [ysa␤]+$/);
      expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).not.toContain("Exit code");
    },
  );

  it("forgets on Ctrl-C what was typed ahead and not entered", async () => {
    stage.steps.push({ ...reply("I begin and never come to an end of it."), fault: { kind: "hang", afterEvents: 4 } });
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("Talk\r");
    await terminal.until(/I begin/);
    terminal.send("and more\u0003");
    await terminal.until(PROMPT);
    terminal.send("\u0004");
    expect(await terminal.ended()).toBe(0);
    expect(terminal.raw).toContain("\u001b[?2004l");
    expect(stage.model.requests).toHaveLength(1);
  });

  it("stops the model on Ctrl-C, keeps the chat, and answers commands", async () => {
    stage.steps.push({ ...reply("I begin and never come to an end of it."), fault: { kind: "hang", afterEvents: 4 } });
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("Talk\r");
    await terminal.until(/I begin/);
    terminal.send("\u0003");
    await terminal.until(PROMPT);
    terminal.send("/help\r");
    await terminal.until(/\/compact/);
    await terminal.until(PROMPT);
    terminal.send("/nosuchthing\r");
    await terminal.until(/no command \/nosuchthing/);
    await terminal.until(PROMPT);
    terminal.send("\u0003");
    expect(await terminal.ended()).toBe(0);
  });

  itAtLength("completes commands, files and symbols with Tab", async () => {
    const terminal = chat();
    await terminal.until(PROMPT);
    terminal.send("/compa\t");
    await terminal.until(/\/compact/);
    terminal.send("\u0015see @src/alloc\t");
    await terminal.until(/@src\/allocate\.ts/);
    terminal.send("\u0015see #splitEve\t");
    await terminal.until(/splitEvenly/);
  });

  it("goes on with the last conversation", async () => {
    stage.steps.push(reply("The first answer."));
    const first = chat();
    await first.until(PROMPT);
    first.send("The first question\r");
    await first.until(/The first answer\.[^]*\n> $/);
    first.send("\u0004");
    expect(await first.ended()).toBe(0);
    stage.steps.push(reply("The second answer."));
    const second = chat(["--continue"]);
    await second.until(/> The first question[^]*The first answer\.[^]*\n> $/);
    second.send("More\r");
    await second.until(/The second answer\./);
    expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain("The first question");
  });

  it("greets before it asks about hunks that an earlier chat left", async () => {
    stage.steps.push(reply(fix));
    const first = opened([], stage.environment());
    await first.until(PROMPT);
    first.send("Check the tax\r");
    await first.until(QUESTION);
    await first.dispose();
    const second = opened([], stage.environment());
    await second.until(QUESTION);
    expect(second.text).toMatch(/^agentq [^]*\/help tells commands[^]*KEPT from a server[^]*hunk 1 of 2/);
  });

  it("has no colours with NO_COLOR", async () => {
    stage.steps.push(reply("It is **plain**."));
    const terminal = chat([], { NO_COLOR: "1" });
    await terminal.until(PROMPT);
    terminal.send("How?\r");
    await terminal.until(/plain[^]*\n> $/);
    // oxlint-disable-next-line no-control-regex -- a colour is a control sequence that ends with m
    expect(terminal.raw).not.toMatch(/\u001b\[[\d;]*m/);
  });
});

it("refuses to chat without a terminal", async () => {
  const run = await runAgentq(["chat"], { cwd: stage.folder, env: stage.environment() });
  expect(run).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining("agentq ask") });
});
