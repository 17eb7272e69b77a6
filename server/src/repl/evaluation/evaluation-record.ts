/** Collects the output and notes of one evaluation while it runs, and makes the `EvalResult` in the end. */
import { performance } from "node:perf_hooks";
import type { ErrorInfo, EvalResult } from "../../protocol/repl-shapes.ts";
import { firstOf, headOf } from "../../base/cut-text.ts";
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import {
  busyFrames,
  failedLoad,
  toErrorInfo,
  waitingFrame,
  waitingModule,
  withoutEarlierForms,
  type FrameSources,
} from "./error-info.ts";
import type { FromImage, RawError } from "../child/wire/wire.ts";
import type { SnippetProblem } from "../forms/snippet/snippet.ts";
import { mapPrintedPositions } from "./printed-positions.ts";
import { stopMessage, type StopCause } from "./stop-message.ts";
import type { Reloaded } from "../modules/module-types.ts";
import { closedName } from "../../workspace/secret-names.ts";
import { given } from "../../base/given.ts";

type Finished = Extract<FromImage, { t: "result" }>;
export type ImageEvent = Extract<FromImage, { t: "event" }>;

const CONFINED: DiagnosticLine = {
  severity: "hint",
  message:
    "Node's permissions limit the REPL: it reads the project and its dependencies, writes to os.tmpdir() only, and starts no " +
    "process, thread or addon. Changes to project files are proposed as edits.",
};
const READ_ONLY: DiagnosticLine = {
  severity: "hint",
  message:
    "The project is read-only in the REPL; os.tmpdir() and os.homedir() are its own. run_command runs what writes files, as a " +
    "proposal; propose_edits changes text.",
};
const CLOSED: DiagnosticLine = {
  severity: "hint",
  message: "Files under names that secrets have (.env, keys, credentials) cannot be opened in the REPL.",
};
const NO_NETWORK: DiagnosticLine = {
  severity: "hint",
  message:
    "The REPL has no network but a loopback of its own, which other programs are not on. run_command takes hosts to allow; the " +
    'person\'s setting repl.network: "open" gives the REPL the network.',
};
const IN_VITEST: DiagnosticLine = {
  severity: "hint",
  message: "A test file of vitest runs in vitest alone: run_tests runs it.",
};
const UNREACHED = /^(ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)$/;
const MAX_OUTPUT = 128 * 1024;
const MAX_NOTES = 20;
const MAX_RELOADED = 4;
export const MAX_EDITED = 8;

export interface RecordedForm {
  readonly evalId: string;
  readonly number: number;
  readonly code: string;
}

export class EvaluationRecord {
  readonly evalId: string;
  readonly number: number;
  readonly #code: string;
  readonly #text = { stdout: "", stderr: "" };
  readonly #notes: DiagnosticLine[] = [];
  readonly #reloaded = new Map<string, Reloaded>();
  #began = performance.now();
  #isOutputShared = false;
  /** Characters of output that were dropped. */
  #lost = 0;

  constructor({ evalId, number, code }: RecordedForm) {
    this.evalId = evalId;
    this.number = number;
    this.#code = code;
  }

  output(stream: "stdout" | "stderr", more: string): void {
    const kept = headOf(more, MAX_OUTPUT - this.#text[stream].length);
    this.#text[stream] += kept;
    this.#lost += more.length - kept.length;
  }

  /**
   * Adds to the characters that were dropped. `characters` is negative for text that was dropped and came after all.
   */
  dropped(characters: number): void {
    this.#lost += characters;
  }

  /** Text came that may belong to this evaluation or to another one that runs. */
  sharedOutput(): void {
    if (this.#isOutputShared) return;
    this.#isOutputShared = true;
    const message = "Text written past the streams while several forms ran is in the REPL's output, not here.";
    this.note({ severity: "information", message });
  }

  /** The evaluation waited until now: its duration is measured from here. */
  began(): void {
    this.#began = performance.now();
  }

  event(event: ImageEvent, sources: FrameSources): void {
    this.note(eventNote(event, sources));
  }

  note(...notes: readonly DiagnosticLine[]): void {
    this.#notes.push(...notes.slice(0, Math.max(0, MAX_NOTES - this.#notes.length)));
  }

  reloaded(modules: readonly Reloaded[]): void {
    for (const each of modules) this.#reloaded.set(each.name, each);
  }

  finished(ending: Finished, sources: FrameSources, why: StopCause): EvalResult {
    if (ending.outcome === "interrupted" || ending.outcome === "stuck") return this.#stopped(ending, sources, why);
    const left = given({ left: ending.left });
    if (ending.left !== undefined) this.note(leftNote(ending.left, this.evalId));
    if (ending.outcome === "error" || ending.value === undefined) {
      this.note(...hints(ending.error));
      const raw = ending.error ?? { name: "Error", message: "unknown error", stack: "" };
      const error = errorOf(raw, ending, this.number, sources);
      const message = failedLoad(raw, error, sources);
      if (message !== undefined) this.note({ severity: "information", code: "notLoaded", message });
      return this.#result("error", { error, ...left });
    }
    const { handle, type, awaited } = ending.value;
    const preview = mapPrintedPositions(ending.value.preview, sources);
    if (awaited === true) {
      this.note({ severity: "hint", message: "The form's value was a promise: this is what it resolved to." });
    }
    return this.#result("value", { ...given({ valueId: handle }), preview, type, ...left });
  }

  syntaxError({ message, position }: SnippetProblem): EvalResult {
    const uri = `repl:${this.number}`;
    const at = position ?? { line: 0, column: 0 };
    const line = this.#code.split("\n")[at.line]?.trim() ?? "";
    const frame = { function: "", uri, line: at.line, character: at.column, ...(line === "" ? {} : { code: line }) };
    this.note({ severity: "error", message, uri, range: pointRange(at.line, at.column) });
    const frames = position === undefined ? [] : [frame];
    return this.#result("error", { error: { name: "SyntaxError", message, frames } });
  }

  /** The evaluation did not run, for a reason outside of its code. */
  refused(name: string, reason: string): EvalResult {
    return this.#result("error", { error: { name, message: reason, frames: [] } });
  }

  /** `reason` names the process itself where it is a program of the person's. */
  crashed(reason: string, isProgram = false): EvalResult {
    const message = isProgram ? `${reason}.` : `The REPL's process is gone: ${reason}.`;
    return this.#result("crashed", { error: { name: "Crashed", message, frames: [] }, stateKept: false });
  }

  #stopped(ending: Finished, sources: FrameSources, why: StopCause): EvalResult {
    const waits = ending.waits === undefined ? undefined : waitingFrame(this.number, ending.waits, sources);
    const frames = waits === undefined ? busyFrames(ending.where ?? [], sources) : [waits];
    const formName = (id: number): string | undefined => sources.snippet(id)?.evalId;
    const loading = (ending.loading ?? []).map((url) => waitingModule(url, sources));
    const message = stopMessage({ ending, why, isLocated: frames.length > 0, loading, formName });
    const [outcome, name] = badEnding(ending, why.timedOutAfter);
    return this.#result(outcome, { error: { name, message, frames }, stateKept: ending.outcome === "interrupted" });
  }

  #result(outcome: EvalResult["outcome"], rest: Partial<EvalResult>): EvalResult {
    if (this.#lost > 0) {
      const message = `Output was cut: at least ${this.#lost} characters were not kept. A value is kept whole.`;
      this.note({ severity: "warning", message });
    }
    if (this.#reloaded.size > 0) this.note(reloadedNote([...this.#reloaded.values()]));
    return {
      evalId: this.evalId,
      outcome,
      ...this.#text,
      truncated: this.#lost > 0,
      durationMs: Math.round((performance.now() - this.#began) * 10) / 10,
      notes: [...this.#notes],
      stateKept: true,
      ...rest,
    };
  }
}

/** An evaluation that took too much memory failed: nobody asked for its end. */
function badEnding({ memory }: Finished, timedOutAfter: number | undefined): [EvalResult["outcome"], string] {
  if (memory !== undefined) return ["error", "MemoryLimit"];
  return timedOutAfter === undefined ? ["interrupted", "Interrupted"] : ["timeout", "Timeout"];
}

/** Modules that were reloaded because a module that they import changed are only counted; lost state is always told. */
function reloadedNote(all: readonly Reloaded[]): DiagnosticLine {
  const why = all.some(({ isEdited }) => isEdited) ? "Reloaded because the source changed" : "Reloaded";
  const lost = all
    .filter(({ gone }) => gone.length > 0)
    .map(({ name, gone }) => `${name} (without what was installed there: ${gone.join(", ")})`);
  const kept = all.filter(({ gone }) => gone.length === 0);
  const edited = kept.filter(({ isEdited }) => isEdited).map(({ name }) => name);
  const others = kept.filter(({ isEdited }) => !isEdited).map(({ name }) => name);
  const named = [...lost, ...firstOf(edited, MAX_EDITED)];
  const it = lost.length + edited.length === 1 ? "it" : "them";
  const importers =
    others.length === 1 ? `${others[0]}, which imports ${it}` : `${others.length} modules that import ${it}`;
  const told =
    named.length === 0
      ? firstOf(others, MAX_RELOADED)
      : [...named, ...(others.length === 0 ? [] : [`and ${importers}`])];
  const message = `${why}: ${told.join(", ")}. Values created earlier keep the old code.`;
  return { severity: "information", message };
}

function leftNote(left: string, evalId: string): DiagnosticLine {
  const message = `Still open: ${left}. Interrupting form ${evalId} by its id ends that.`;
  return { severity: "information", code: "leftOpen", message };
}

export function eventNote({ kind, error }: ImageEvent, sources: FrameSources): DiagnosticLine {
  const info = toErrorInfo(error, sources);
  const frame = info.frames[0];
  const place = frame === undefined ? {} : { uri: frame.uri, range: pointRange(frame.line, frame.character) };
  if (kind === "exit") return { severity: "warning", message: info.message, ...place };
  const what = kind === "uncaught" ? "Uncaught in the background" : "Unhandled rejection in the background";
  const [hint] = inUse(error);
  const more = hint === undefined ? "" : `. ${hint.message}`;
  return { severity: "error", message: `${what}: ${info.name}: ${info.message}${more}`, ...place };
}

function errorOf(
  raw: NonNullable<Finished["error"]>,
  ending: Finished,
  number: number,
  sources: FrameSources,
): ErrorInfo {
  const info = toErrorInfo(withoutEarlierForms(raw, number), sources);
  const waits = ending.waits === undefined ? undefined : waitingFrame(number, ending.waits, sources);
  if (waits !== undefined) return { ...info, frames: [waits] };
  if (ending.at === undefined || info.frames.length > 0) return info;
  const snippet = sources.snippet(number);
  const at = snippet?.mapper(ending.at);
  if (snippet === undefined || at === undefined) return info;
  const code = snippet.text.split("\n")[at.line]?.trim() ?? "";
  const frame = { function: "", uri: `repl:${number}`, line: at.line, character: at.column, code };
  return { ...info, frames: [frame] };
}

function pointRange(line: number, character: number): NonNullable<DiagnosticLine["range"]> {
  return { start: { line, character }, end: { line, character } };
}

/**
 * Whether Node refused a file that is closed because of its name, which is in the path at the end of Node's message.
 */
function isClosed({ code, message }: Pick<RawError, "code" | "message">): boolean {
  const path = code === "EACCES" ? /'([^']+)'$/.exec(message)?.[1] : undefined;
  return path !== undefined && closedName(path.split("/"))?.kind === "secret";
}

/** An edited module that listens is reloaded while the server of its earlier instance still listens. */
function inUse({ code, message }: RawError): DiagnosticLine[] {
  const port = code === "EADDRINUSE" ? /:(\d+)$/.exec(message)?.[1] : undefined;
  if (port === undefined) return [];
  const close = `(process as any)._getActiveHandles().find((each: any) => each.address?.()?.port === ${port})?.close()`;
  const words = `If a server of this REPL listens there, such as that of a module before its edit, ${close} gives the port back, and so does a restart of the REPL.`;
  return [{ severity: "hint", message: words }];
}

/** Explains what an error means in the REPL, where its words are those of Node, of the network or of vitest. */
function hints(error: RawError | undefined): DiagnosticLine[] {
  if (error === undefined) return [];
  const chain = [error, ...(error.cause === undefined ? [] : [error.cause])];
  if (/^Vitest (?:failed to|cannot) /.test(error.message)) return [IN_VITEST];
  const [used] = chain.flatMap(inUse);
  if (used !== undefined) return [used];
  if (chain.some(({ code }) => code !== undefined && UNREACHED.test(code))) return [NO_NETWORK];
  if (chain.some(({ code }) => code === "EROFS")) return [READ_ONLY];
  if (chain.some(isClosed)) return [CLOSED];
  // The module loader's own message already says what the confined REPL does not load.
  if (chain.some(({ message }) => message.includes("the confined REPL does not load it"))) return [];
  if (!chain.some(({ code }) => code === "ERR_ACCESS_DENIED" || code === "ERR_DLOPEN_DISABLED")) return [];
  return chain.some(({ message }) => message.includes("--allow-net")) ? [NO_NETWORK] : [CONFINED];
}
