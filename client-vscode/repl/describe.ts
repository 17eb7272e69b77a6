/** An evaluation's outcome in words: the lines that stand below its form in the log, and in the text of a notebook. */
import { shortened } from "../../server/src/base/cut-text.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { ErrorInfo, EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import type { DiagnosticLine } from "../../server/src/protocol/shapes.ts";

/** How the files of the project are called: `src/cart.ts`. Takes absolute paths and URIs. */
export type FileNames = (file: string) => string;

export interface Described {
  readonly file: FileNames;
  /** The form is a tool's own words, whose value says nothing. */
  readonly isTool?: boolean;
  /** The program that it ran in; absent for the REPL's own process. */
  readonly process?: string | undefined;
}

const OUTCOMES: Readonly<Record<EvalResult["outcome"], string>> = {
  value: "no value",
  error: "failed",
  interrupted: "interrupted",
  timeout: "stopped: it took longer than it may",
  crashed: "the REPL's process is gone",
};
const REPLAY_HINT =
  "The next evaluation starts a new one; “Agent-Q: Restart the REPL” can run again what built its state.";

export function describe(result: EvalResult, form: Described): string[] {
  const lines = [...outcomeLines(result, form)];
  if (!result.stateKept) {
    lines.push("Definitions and values are gone with it.");
    // Only the person starts a program anew.
    if (form.process === undefined) lines.push(REPLAY_HINT);
  }
  return [...lines, ...noteLines(result)].map(showHidden);
}

function outcomeLines(result: EvalResult, { file, isTool = false, process }: Described): string[] {
  if (result.installed !== undefined) return result.installed.split("\n");
  if (result.outcome === "value") return isTool ? [] : valueLines(result);
  if (result.error !== undefined) {
    const notLoaded = result.notes.filter(({ code }) => code === "notLoaded");
    return [...notLoaded.map(note), ...errorLines(result.error, file)];
  }
  if (process !== undefined && result.outcome === "crashed") return [`${process} has ended`];
  return [outcomeWords(result)];
}

/** The outcome where there is neither a value nor an error. */
export function outcomeWords({ outcome }: EvalResult): string {
  return OUTCOMES[outcome];
}

/** `$4 = 3 : number` */
export function valueLines({ preview = "undefined", valueId, type }: EvalResult): string[] {
  const name = valueId === undefined ? "" : `${valueId} = `;
  const suffix = type === undefined || type === preview ? "" : ` : ${type}`;
  return `${name}${preview}${suffix}`.split("\n");
}

export function errorLines(error: ErrorInfo, file: FileNames, indent = ""): string[] {
  const lines = `${error.name}: ${error.message}`.split("\n").map((line) => indent + line);
  for (const line of error.details?.split("\n") ?? []) lines.push(`${indent}  ${line}`);
  for (const frame of error.frames) {
    const where = `${file(frame.uri)}:${frame.line + 1}:${frame.character + 1}`;
    lines.push(`${indent}  at ${frame.function === "" ? where : `${frame.function} (${where})`}`);
    if (frame.code !== undefined && frame.code !== "") lines.push(`${indent}     ${frame.code.trim()}`);
  }
  if (error.cause !== undefined) {
    lines.push(`${indent}  caused by:`, ...errorLines(error.cause, file, `${indent}  `));
  }
  for (const part of error.errors ?? []) lines.push(...errorLines(part, file, `${indent}  `));
  if (error.moreErrors !== undefined) lines.push(`${indent}  … ${error.moreErrors} more`);
  return lines;
}

/** What the compiler and the server say beside the outcome, but what stands above already or is told by itself. */
export function noteLines(result: EvalResult): string[] {
  const { notes, error, changes = [] } = result;
  const isTold = ({ code, message }: DiagnosticLine): boolean =>
    code === "notLoaded" || message === error?.message || (code === "filesChanged" && changes.length > 0);
  return notes.filter((each) => !isTold(each)).map(note);
}

/** On one line. The place in the form is left out where that is the beginning of the form. */
export function note({ severity, uri, range, message }: DiagnosticLine): string {
  const name = severity === "error" || severity === "warning" ? `${severity}: ` : "";
  const start = uri?.startsWith("repl:") === true ? range?.start : undefined;
  const isInside = start !== undefined && (start.line > 0 || start.character > 0);
  return `${name}${isInside ? `${start.line + 1}:${start.character + 1} ` : ""}${message.replaceAll("\n", " ")}`;
}

/** A text on one line, for headings and lists. */
export function short(text: string, width = 60): string {
  return shortened(showHidden(text.trim().replace(/\s*\r?\n\s*/g, " ⏎ ")), width);
}
