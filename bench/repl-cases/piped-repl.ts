/** A peer's REPL over pipes, both of its outputs as one: forms go in as lines, and a marker tells what belongs to which. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeProject, writeInto } from "../../test/strangers/image-repl.ts";
import type { Answer, Loss, Repl } from "../../test/strangers/judge.ts";
import type { Peer } from "./peers.ts";

const START_MS = 60_000;
const ANSWER_MS = 10_000;
/** A form that awaits is over when the prompt is back; how long to wait for it before the marker goes after it. */
const PROMPT_MS = 3_000;
const QUIET_MS = 60;
const LOOP_RUNS_MS = 1_500;
const LATER_MS = 3_000;

export class PipedRepl implements Repl {
  readonly #peer: Peer;
  readonly #folder = makeProject();
  readonly #child: ChildProcess;
  #output = "";
  #exited = false;
  #markers = 0;

  constructor(peer: Peer, isTypeScript: boolean) {
    this.#peer = peer;
    const language = isTypeScript ? peer.languages?.typescript : peer.languages?.javascript;
    const command = language === undefined ? peer.command : [...peer.command, language];
    if (peer.types !== undefined) linkTypes(this.#folder, peer.types);
    // A group of its own, so that an interrupt reaches what a terminal's Ctrl-C would reach.
    this.#child = spawn("sh", ["-c", 'exec "$@" 2>&1', "sh", ...command], {
      cwd: this.#folder,
      env: { PATH: process.env["PATH"], HOME: this.#folder, NODE_REPL_HISTORY: "", TERM: "dumb", ...peer.environment },
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.#output += text));
    this.#child.stdin?.on("error", () => undefined);
    this.#child.once("exit", () => (this.#exited = true));
  }

  async start(): Promise<Loss | undefined> {
    if (this.#peer.prompts) await this.#typeIn("0");
    else this.#send("0");
    const answer = await this.#mark(START_MS);
    return typeof answer === "string" ? answer : undefined;
  }

  async evaluate(form: string): Promise<Answer | Loss> {
    const from = this.#output.length;
    if (this.#peer.prompts) await this.#typeIn(form);
    else this.#send(form);
    const end = await this.#mark(ANSWER_MS);
    if (typeof end === "string") return end;
    const text = plain(this.#output.slice(from, end.at));
    const isRefused = DIAGNOSTIC.test(text);
    return { failed: isRefused || FAILURE.test(text), text, isRefused, bareStrings: this.#peer.bareStrings === true };
  }

  async interrupt(form: string): Promise<"interrupted" | Loss> {
    this.#send(form);
    await delay(LOOP_RUNS_MS);
    this.#signal("SIGINT");
    await delay(LOOP_RUNS_MS);
    const end = await this.#mark(ANSWER_MS);
    return typeof end === "string" ? end : "interrupted";
  }

  async said(text: string): Promise<boolean> {
    return this.#until(() => this.#output.includes(text), LATER_MS);
  }

  write(file: string, text: string): void {
    writeInto(this.#folder, file, text);
  }

  async dispose(): Promise<void> {
    if (!this.#exited) this.#signal("SIGKILL");
    await this.#until(() => this.#exited, ANSWER_MS);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #signal(name: "SIGINT" | "SIGKILL"): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, name);
    } catch {
      // The process is gone already.
    }
  }

  #send(text: string): void {
    this.#child.stdin?.write(`${this.#peer.encode?.(text) ?? text}\n`);
  }

  /** Resolves where the marker's own line begins. The marker is put together, so that an echo is not taken for it. */
  async #mark(limit: number): Promise<{ readonly at: number } | Loss> {
    const number = ++this.#markers;
    const from = this.#output.length;
    this.#send(`["mar", "ker:${number}:"].join("")`);
    const word = `marker:${number}:`;
    await this.#until(() => this.#output.includes(word, from) || this.#exited, limit);
    const at = this.#output.indexOf(word, from);
    if (at < 0) return this.#exited ? "dies" : "hangs";
    // Else the marker's own prompt would be taken for the prompt of the next form.
    if (this.#peer.prompts) await this.#until(() => /\n> ?$/.test(this.#since(at)) || this.#exited, PROMPT_MS);
    return { at: Math.max(from, this.#output.lastIndexOf("\n", at) + 1) };
  }

  /** Line by line, as a person types: a REPL may still read one line when the next comes, and then mixes them up. */
  async #typeIn(form: string): Promise<void> {
    const lines = form.split("\n");
    for (const line of lines.slice(0, -1)) {
      const from = this.#output.length;
      this.#send(line);
      await this.#until(() => /(?:^|\n)(?:\||\.\.\.|>) ?$/.test(this.#since(from)) || this.#exited, PROMPT_MS);
    }
    const from = this.#output.length;
    this.#send(lines.at(-1) ?? "");
    let seen = -1;
    await this.#until(
      () => {
        const isQuiet = seen === this.#output.length;
        seen = this.#output.length;
        return this.#exited || (isQuiet && /(?:^|\n)(?:(?:\||\.\.\.) )*> ?$/.test(this.#since(from)));
      },
      PROMPT_MS,
      QUIET_MS,
    );
  }

  /** The end of what came, on one line of its own; enough to see a prompt. */
  #since(from: number): string {
    return this.#output.slice(Math.max(from, this.#output.length - 40));
  }

  async #until(holds: () => boolean, limit: number, every = 10): Promise<boolean> {
    const end = performance.now() + limit;
    while (performance.now() < end) {
      if (holds()) return true;
      await delay(every);
    }
    return holds();
  }
}

/** A REPL that checks types refuses `console` where it finds no types of Node. */
function linkTypes(folder: string, types: string): void {
  mkdirSync(path.join(folder, "node_modules/@types"), { recursive: true });
  symlinkSync(types, path.join(folder, "node_modules/@types/node"));
}

/** How the peers begin to tell of an error. */
const FAILURE = /^\s*(?:Uncaught\b|error\b|(?:\S*: )?[A-Z]\w*Error\b|AggregateError)/im;

/** A compiler's word, by which a form is refused before it runs. */
const DIAGNOSTIC = /^\d+:\d+ - /m;

/** Without colours and without the prompts that stand before an answer. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the escape is what is looked for
  const bare = text.replaceAll(/\u001B\[[\d;?]*[A-Za-z]/g, "");
  return bare.replaceAll(/^(?:(?:>|\.\.\.|\|) ?)+/gm, "");
}
