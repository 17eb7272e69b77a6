/** The log of the REPL: every form of the person and of the agent, its output as it comes, and its outcome. */
import { stripVTControlCharacters } from "node:util";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { NotificationParams } from "../../server/src/protocol/methods.ts";
import type { AgentEvaluation, EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import { describe, note, short, type FileNames } from "./describe.ts";
import { keyOf, type Places } from "./places.ts";

type Output = NotificationParams["agentq/replOutput"];

/** A form of the person's that has no outcome yet. */
export interface PersonForm {
  readonly code: string;
  /** The process that it runs in; absent for the REPL's own. */
  readonly process?: string | undefined;
  readonly begun: number;
}

const AGENT_COLUMNS = 100;

export class ReplLog {
  readonly #write: (text: string) => void;
  readonly #file: FileNames;
  readonly #places: Places;
  /** The part of a line that waits for its end, by evaluation and stream, so that two that write at once stay apart. */
  readonly #rests = new Map<string, { text: string; readonly process: string | undefined }>();
  readonly #agentForms = new Map<string, number>();
  readonly #running = new Set<PersonForm>();
  /** Tools that the person called and that have not answered. */
  #calls = 0;
  /** The evaluation that the end of the log is of, where that is known. */
  #subject: string | undefined;
  #appended = 0;

  /** `write` takes whole lines. */
  constructor(write: (text: string) => void, file: FileNames, places: Places) {
    this.#write = write;
    this.#file = file;
    this.#places = places;
  }

  /** Whether output of this process can only come from the one form or tool whose heading stands above. */
  isAlone(process: string | undefined): boolean {
    const [first] = this.#running;
    return this.#running.size + this.#calls === 1 && first?.process === process && this.#agentForms.size === 0;
  }

  begin(code: string, module: string | undefined, process: string | undefined): PersonForm {
    const scope = module === undefined ? "" : `${this.#file(module)} `;
    const lines = code.trim().split(/\r?\n/);
    this.append(
      lines.map((line, index) => showHidden(`${index === 0 ? `${scope}>` : "…"} ${line}`)),
      undefined,
      process,
    );
    const form: PersonForm = { code, process, begun: this.#appended };
    this.#running.add(form);
    return form;
  }

  end(form: PersonForm, result: EvalResult): void {
    this.#running.delete(form);
    this.#nameForm(form.begun, result.evalId, form);
    const lines = describe(result, { file: this.#file, process: form.process });
    this.append([...lines, ""], result.evalId, form.process);
  }

  /** There is no outcome, and why. */
  fail(form: PersonForm, why: string): void {
    this.#running.delete(form);
    if (form.begun !== this.#appended) this.append([`> ${short(form.code)}`], undefined, form.process);
    this.append([...why.split("\n").map(showHidden), ""], undefined, form.process);
  }

  agent(params: AgentEvaluation): void {
    const { evalId, code, host = "agent", module, process, result } = params;
    const key = keyOf(evalId, process);
    // A form that failed before it ran is announced only once, with its result.
    if (!this.#agentForms.has(key)) {
      const place = module === undefined ? "" : ` in ${this.#file(module)}`;
      this.append([`${showHidden(host)}${place} > ${short(code, AGENT_COLUMNS)}`], evalId, process);
      this.#agentForms.set(key, this.#appended);
    }
    if (result === undefined) return;
    this.#nameForm(this.#agentForms.get(key) ?? 0, evalId, { code, process });
    this.#agentForms.delete(key);
    const put = result.error === undefined ? result : { ...result, error: this.#places.put(result.error, process) };
    const lines = describe(put, { file: this.#file, isTool: params.isTool === true, process });
    this.append([...lines, ""], evalId, process);
  }

  /** A tool that the person calls; what comes back ends the call. */
  call(heading: string): () => void {
    this.append([heading]);
    this.#calls += 1;
    return () => (this.#calls -= 1);
  }

  /** A line is written when it is whole; what is left is written before the next text that is no output. */
  output({ evalId, stream, text, late, process }: Output): void {
    const key = keyOf(evalId ?? "", process);
    const isTold = evalId === undefined || key === this.#subject;
    // Late output, and output beside or after other forms, is headed by the name of its form.
    if (!isTold && (late === true || this.#subject !== undefined || !this.isAlone(process)))
      this.append([`form ${evalId}${late === true ? ", later" : ""}:`], evalId, process);
    const name = `${key} ${stream}`;
    const lines = ((this.#rests.get(name)?.text ?? "") + text).split("\n");
    this.#rests.set(name, { text: lines.pop() ?? "", process });
    this.#lines(lines.map(plain), process);
  }

  /** What the compiler says of a form whose outcome was told already. */
  lateNotes({ evalId, notes }: NotificationParams["agentq/lateNotes"]): void {
    const heading = evalId === this.#subject ? [] : [`form ${evalId}, later:`];
    this.append([...heading, ...notes.map((each) => showHidden(note(each))), ""], evalId);
  }

  /** What is no output. */
  append(lines: readonly string[], evalId?: string, process?: string): void {
    for (const { text, process: its } of this.#rests.values()) if (text !== "") this.#lines([plain(text)], its);
    this.#rests.clear();
    this.#lines(lines, process);
    this.#subject = evalId === undefined ? undefined : keyOf(evalId, process);
    this.#appended += 1;
  }

  /** With the server the forms are gone, and the values. */
  serverEnded(hadProcess: boolean): void {
    this.#running.clear();
    this.#agentForms.clear();
    if (hadProcess) this.append(["The server ended, and the REPL with it: definitions and values are gone.", ""]);
  }

  /** Names the form that the next lines belong to, unless its heading stands right above. */
  #nameForm(since: number, evalId: string, { code, process }: Pick<PersonForm, "code" | "process">): void {
    if (since === this.#appended || this.#subject === keyOf(evalId, process)) return;
    this.append([`form ${evalId} > ${short(code)}`], evalId, process);
  }

  #lines(lines: readonly string[], process: string | undefined): void {
    const label = process === undefined ? "" : `${process} │ `;
    if (lines.length > 0) this.#write(lines.map((line) => (line === "" ? "\n" : `${label}${line}\n`)).join(""));
  }
}

function plain(line: string): string {
  return showHidden(stripVTControlCharacters(line.replace(/\r$/, "")));
}
