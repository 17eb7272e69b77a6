/** `agentq repl`: the REPL's process in a terminal, or fed by a pipe. */
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import type { ErrorInfo, EvalResult } from "../protocol/repl-shapes.ts";
import type { AgentqClient } from "../client/agentq-client.ts";
import { askApproval } from "./answers.ts";
import { given } from "../base/given.ts";
import { isOpenForm } from "./open-form.ts";
import { LineLeft } from "./line.ts";
import { plain } from "./screen.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError, type Stage } from "./stage.ts";

const HELP = `usage: agentq repl [--in PROGRAM] [--yes]

Evaluates TypeScript in the project in the current folder, with its modules: import { cart } from "./src/cart.ts". A form
may take several lines while a bracket is open. A value is kept under its handle, such as $1. Tab completes what the REPL
holds. From a pipe, the forms are read to the end. With --in, the forms run inside of a program that agentq run has started or
agentq attach has attached; you are asked before the first one.

  --yes   no question: forms may run in the program, or in a REPL that nothing confines

Commands
  .help         this text
  .module FILE  from now on the forms run in the scope of that module; without FILE no longer
  .restart      a fresh process
  .exit         the end; so is Ctrl-D

Ctrl-C interrupts an evaluation and keeps the state; at the prompt it drops the form.

Exit codes: 0 at the end, 1 a form from a pipe failed, 2 the command line makes no sense.
`;

export async function runRepl(args: readonly string[], stage: Stage): Promise<number> {
  const options = {
    help: { type: "boolean", short: "h", default: false },
    in: { type: "string" },
    yes: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) {
    stage.out.write(HELP);
    return EXIT.ok;
  }
  const client = await stage.server();
  const repl = new TerminalRepl(stage, client, { process: values.in, isAgreed: values.yes });
  return stage.hasPerson ? await repl.converse() : await repl.readPipe();
}

interface Wanted {
  readonly process: string | undefined;
  /** What would be asked is agreed to. */
  readonly isAgreed: boolean;
}

/** Of a pipe's lines: any other that begins with a dot is a part of a form. */
const COMMAND = /^\s*\.(?:help|module|restart|exit)(?:\s|$)/;
const NOBODY = { decision: "denied", message: "nobody can be asked here, and --yes was not given" } as const;

class TerminalRepl {
  readonly #isAgreed: boolean;
  readonly #stage: Stage;
  readonly #client: AgentqClient;
  readonly #history: string[] = [];
  /** Where the forms run. */
  #place: { readonly process?: string; readonly module?: string };

  constructor(stage: Stage, client: AgentqClient, { process, isAgreed }: Wanted) {
    this.#stage = stage;
    this.#client = client;
    this.#isAgreed = isAgreed;
    this.#place = given({ process });
    client.on("agentq/replOutput", ({ stream, text, process: of }) => {
      if (of !== process) return;
      (stream === "stdout" ? stage.out : stage.errors).write(stage.host.stdout.isTTY ? plain(text) : text);
    });
    client.on("agentq/approval", (approval) => {
      void this.#answer(approval).catch(() => undefined);
    });
  }

  async converse(): Promise<number> {
    const { out, person } = this.#stage;
    const { version, repl } = await this.#client.request("agentq/status", {});
    const where = (await this.#program()) ?? `Node ${plain(repl.nodeVersion)}, ${repl.level}`;
    out.line(`${out.paint("bold", `agentq ${version}`)}, ${where}. .help, Ctrl-D`);
    let form = "";
    for (;;) {
      let line: string | undefined;
      try {
        const before = form;
        line = await person.line(form === "" ? "> " : "… ", {
          history: this.#history,
          complete: async (typed) => await this.#complete(before, typed),
        });
      } catch (error) {
        if (!(error instanceof LineLeft)) throw error;
        if (error.text === "" && form === "") return EXIT.ok;
        form = "";
        continue;
      }
      if (line === undefined || (form === "" && line.trim() === ".exit")) return EXIT.ok;
      if (form === "" && (await this.#command(line.trim()))) continue;
      form += `${line}\n`;
      // An empty line that nothing follows ends a form that is open by mistake: the compiler says what is missing.
      if ((line.trim() !== "" || person.isAhead) && isOpenForm(form)) continue;
      if (form.trim() !== "") await this.#evaluate(form);
      form = "";
    }
  }

  async readPipe(): Promise<number> {
    await this.#program();
    let form = "";
    let hasFailed = false;
    const finish = async (): Promise<void> => {
      if (form.trim() !== "" && !(await this.#evaluate(form))) hasFailed = true;
      form = "";
    };
    for await (const line of createInterface({ input: this.#stage.host.stdin })) {
      if (form === "" && COMMAND.test(line)) {
        if (line.trim() === ".exit") break;
        await this.#command(line.trim());
        continue;
      }
      form += `${line}\n`;
      if (!isOpenForm(form)) await finish();
    }
    await finish();
    return hasFailed ? EXIT.failed : EXIT.ok;
  }

  /** The running program as a person knows it; undefined for the REPL's own process. */
  async #program(): Promise<string | undefined> {
    const { process } = this.#place;
    if (process === undefined) return undefined;
    const { processes } = await this.#client.request("agentq/listProcesses", {});
    const found = processes.find(({ id }) => id === process);
    if (found !== undefined) {
      const { id, pid, nodeVersion, why } = found;
      return `${id}, process ${pid}, Node ${plain(nodeVersion)}${why === undefined ? "" : `: ${plain(why)}`}`;
    }
    const names = processes.map(({ id }) => id).join(", ");
    throw new UsageError(
      `No program ${process} runs in this folder${names === "" ? "; start one with agentq run" : `: ${names}`}.`,
    );
  }

  /** Whether the line was a command. */
  async #command(line: string): Promise<boolean> {
    const { out } = this.#stage;
    const [, module] = /^\.module(?:\s+(\S.*))?$/.exec(line) ?? [];
    if (line === ".help") out.write(HELP);
    else if (line.startsWith(".module")) {
      const { process } = this.#place;
      this.#place = given({ process, module });
    } else if (line === ".restart" && this.#place.process !== undefined) {
      out.line("The program is yours: start it anew where you started it.");
    } else if (line === ".restart") {
      const { lost } = await this.#client.request("agentq/restartRepl", {});
      out.line(out.paint("dim", lost === undefined ? "A fresh process." : `A fresh process; gone: ${plain(lost)}`));
    } else if (/^\.[a-z]+$/.test(line)) out.line(`There is no command "${line}"; .help lists them.`);
    else return false;
    return true;
  }

  /** Whether the form came to a value. */
  async #evaluate(code: string): Promise<boolean> {
    this.#stage.calm();
    this.#stage.onInterrupt = () =>
      void this.#client.request("agentq/interrupt", this.#process()).catch(() => undefined);
    try {
      const result = await this.#client.request("agentq/evaluate", { code, ...this.#place });
      this.#show(result);
      return result.outcome === "value";
    } finally {
      this.#stage.onInterrupt = undefined;
    }
  }

  #process(): { readonly process?: string } {
    const { process } = this.#place;
    return given({ process });
  }

  #show({ outcome, valueId, preview, type, error, notes, stateKept }: EvalResult): void {
    const { out, errors } = this.#stage;
    if (error !== undefined) this.#showError(error);
    else if (outcome !== "value") errors.line(errors.paint("red", `${outcome}.`));
    else if (preview !== undefined) {
      // The preview of undefined says its type too.
      const about = [valueId, type === preview ? undefined : type].filter((part) => part !== undefined).join(": ");
      out.line(`${plain(preview)}${about === "" ? "" : `  ${out.paint("dim", plain(about))}`}`);
    }
    for (const { message } of notes) errors.line(errors.paint("yellow", plain(message)));
    if (!stateKept) errors.line(errors.paint("yellow", "The process is a new one: definitions and values are gone."));
  }

  #showError({ name, message, frames, cause }: ErrorInfo): void {
    const { errors } = this.#stage;
    errors.line(errors.paint("red", `${plain(name)}: ${plain(message)}`));
    for (const frame of frames) errors.line(`    at ${plain(frame.function)} ${plain(frame.uri)}:${frame.line + 1}`);
    if (cause === undefined) return;
    errors.line("caused by");
    this.#showError(cause);
  }

  async #complete(before: string, typed: string): Promise<[string[], string]> {
    const code = before + typed;
    const lines = code.split("\n");
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    const answer = await this.#client
      .request("agentq/completeInRepl", { code, position, ...this.#place })
      .catch(() => undefined);
    if (answer === undefined) return [[], typed];
    const word = typed.slice(answer.replace.start.character);
    return [
      answer.items.map(({ insertText, label }) => insertText ?? label).filter((text) => text.startsWith(word)),
      word,
    ];
  }

  async #answer(approval: Parameters<typeof askApproval>[1]): Promise<void> {
    const ask = (): ReturnType<typeof askApproval> | typeof NOBODY =>
      this.#stage.hasPerson ? askApproval(this.#stage, approval) : NOBODY;
    const answer = this.#isAgreed ? ({ decision: "approved" } as const) : await ask();
    await this.#client.request("agentq/answerApproval", { ...answer, approvalId: approval.approvalId });
  }
}
