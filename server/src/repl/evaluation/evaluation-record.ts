/** Collects what belongs to one evaluation while it runs, and makes its `EvalResult` in the end. */
import { performance } from "node:perf_hooks";
import type { ErrorInfo, EvalResult } from "../../protocol/repl-shapes.ts";
import { headOf } from "../../protocol/cut-text.ts";
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import { busyFrames, toErrorInfo, waitingFrame, waitingModule, type FrameSources } from "./error-info.ts";
import type { FromImage, RawError } from "../child/wire/wire.ts";
import type { SnippetProblem } from "../forms/snippet.ts";
import { mapPrintedPositions } from "./printed-positions.ts";
import { stopMessage, type StopCause } from "./stop-message.ts";
import { given } from "../../given.ts";

type Finished = Extract<FromImage, { t: "result" }>;
export type ImageEvent = Extract<FromImage, { t: "event" }>;

export interface EvaluationRecord {
  readonly evalId: string;
  readonly number: number;
  readonly output: (stream: "stdout" | "stderr", text: string) => void;
  readonly dropped: (bytes: number) => void;
  /** Text came that may be of this evaluation or of another one that runs. */
  readonly sharedOutput: () => void;
  /** It had to wait until now: its duration counts from here. */
  readonly began: () => void;
  readonly event: (event: ImageEvent, sources: FrameSources) => void;
  readonly note: (...notes: readonly DiagnosticLine[]) => void;
  readonly reloaded: (paths: readonly string[]) => void;
  readonly finished: (ending: Finished, sources: FrameSources, why: StopCause) => EvalResult;
  readonly syntaxError: (problem: SnippetProblem) => EvalResult;
  /** The evaluation did not run, for a reason outside of its code. */
  readonly refused: (name: string, reason: string) => EvalResult;
  readonly crashed: (reason: string) => EvalResult;
}

const CONFINED: DiagnosticLine = {
  severity: "hint",
  message:
    "The REPL is confined: it reads the project and its dependencies, writes to os.tmpdir() only, and starts no process, " +
    "thread or addon. Changes to project files are proposed as edits.",
};
const NO_NETWORK: DiagnosticLine = {
  severity: "hint",
  message: 'A confined REPL has no network where it can be taken away; the option repl.network: "open" allows it.',
};
const IN_VITEST: DiagnosticLine = {
  severity: "hint",
  message: "A test file of vitest runs in vitest alone: run_tests runs it.",
};
const UNREACHED = /^(ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)$/;
const MAX_OUTPUT = 128 * 1024;
const MAX_NOTES = 20;

export function createEvaluationRecord(request: {
  readonly evalId: string;
  readonly number: number;
  readonly code: string;
}): EvaluationRecord {
  const { evalId, number, code } = request;
  let began = performance.now();
  let isOutputShared = false;
  const reloaded = new Set<string>();
  const text = { stdout: "", stderr: "" };
  const notes: DiagnosticLine[] = [];
  let lost = 0;
  const note = (...more: readonly DiagnosticLine[]): void => {
    for (const item of more) if (notes.length < MAX_NOTES) notes.push(item);
  };
  const result = (outcome: EvalResult["outcome"], rest: Partial<EvalResult>): EvalResult => {
    if (lost > 0)
      note({ severity: "warning", message: `Output was cut: at least ${lost} more characters were dropped.` });
    if (reloaded.size > 0) {
      const paths = [...reloaded].join(", ");
      const message = `Reloaded because the source changed: ${paths}. Values created earlier keep the old code.`;
      note({ severity: "information", message });
    }
    const durationMs = Math.round((performance.now() - began) * 10) / 10;
    return { evalId, outcome, ...text, truncated: lost > 0, durationMs, notes: [...notes], stateKept: true, ...rest };
  };
  const finishedBadly = (ending: Finished, sources: FrameSources, why: StopCause): EvalResult => {
    const kept = ending.outcome === "interrupted";
    const waits = ending.waits === undefined ? undefined : waitingFrame(number, ending.waits, sources);
    const frames = waits === undefined ? busyFrames(ending.where ?? [], sources) : [waits];
    const formName = (id: number): string | undefined => sources.snippet(id)?.evalId;
    const loading = (ending.loading ?? []).map((url) => waitingModule(url, sources));
    const message = stopMessage({ ending, why, isLocated: frames.length > 0, loading, formName });
    const [outcome, name] = badEnding(ending, why.timedOutAfter);
    return result(outcome, { error: { name, message, frames }, stateKept: kept });
  };

  return {
    evalId,
    number,
    output: (stream, more) => {
      const kept = headOf(more, MAX_OUTPUT - text[stream].length);
      text[stream] += kept;
      lost += more.length - kept.length;
    },
    dropped: (bytes) => {
      lost += bytes;
    },
    sharedOutput: () => {
      if (isOutputShared) return;
      isOutputShared = true;
      const message = "Text written past the streams while several forms ran is in the REPL's output, not here.";
      note({ severity: "information", message });
    },
    began: () => {
      began = performance.now();
    },
    event: (event, sources) => note(eventNote(event, sources)),
    note,
    reloaded: (paths) => {
      for (const path of paths) reloaded.add(path);
    },
    finished: (ending, sources, why) => {
      if (ending.outcome === "interrupted" || ending.outcome === "stuck") {
        return finishedBadly(ending, sources, why);
      }
      const left = ending.left === undefined ? {} : { left: ending.left };
      if (ending.left !== undefined) note(leftNote(ending.left, evalId));
      if (ending.outcome === "error" || ending.value === undefined) {
        note(...hints(ending.error));
        const raw = ending.error ?? { name: "Error", message: "unknown error", stack: "" };
        return result("error", { error: errorOf(raw, ending, number, sources), ...left });
      }
      const { handle, type, awaited } = ending.value;
      const preview = mapPrintedPositions(ending.value.preview, sources);
      if (awaited === true) {
        note({ severity: "hint", message: "The form's value was a promise: this is what it resolved to." });
      }
      return result("value", { ...given({ valueId: handle }), preview, type, ...left });
    },
    syntaxError: ({ message, position }) => {
      const uri = `repl:${number}`;
      const at = position ?? { line: 0, column: 0 };
      const line = code.split("\n")[at.line]?.trim() ?? "";
      const frame = { function: "", uri, line: at.line, character: at.column, ...(line === "" ? {} : { code: line }) };
      note({ severity: "error", message, uri, range: pointRange(at.line, at.column) });
      return result("error", {
        error: { name: "SyntaxError", message, frames: position === undefined ? [] : [frame] },
      });
    },
    refused: (name, reason) => result("error", { error: { name, message: reason, frames: [] } }),
    crashed: (reason) =>
      result("crashed", {
        error: { name: "Crashed", message: `The image's process is gone: ${reason}.`, frames: [] },
        stateKept: false,
      }),
  };
}

/** Nobody asked for the end of what took too much memory: it failed. */
function badEnding({ memory }: Finished, timedOutAfter: number | undefined): [EvalResult["outcome"], string] {
  if (memory !== undefined) return ["error", "MemoryLimit"];
  return timedOutAfter === undefined ? ["interrupted", "Interrupted"] : ["timeout", "Timeout"];
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
  return { severity: "error", message: `${what}: ${info.name}: ${info.message}`, ...place };
}

function errorOf(
  raw: NonNullable<Finished["error"]>,
  ending: Finished,
  number: number,
  sources: FrameSources,
): ErrorInfo {
  const info = toErrorInfo(raw, sources);
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

/** What an error means here, whose words are those of Node, of the network or of vitest. */
function hints(error: RawError | undefined): DiagnosticLine[] {
  if (error === undefined) return [];
  const chain = [error, ...(error.cause === undefined ? [] : [error.cause])];
  if (/^Vitest (?:failed to|cannot) /.test(error.message)) return [IN_VITEST];
  if (chain.some(({ code }) => code !== undefined && UNREACHED.test(code))) return [NO_NETWORK];
  if (!chain.some(({ code }) => code === "ERR_ACCESS_DENIED" || code === "ERR_DLOPEN_DISABLED")) return [];
  return chain.some(({ message }) => message.includes("--allow-net")) ? [NO_NETWORK] : [CONFINED];
}
