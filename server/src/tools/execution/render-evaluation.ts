/** An evaluation's outcome as text for a model: the answer first, then what it printed, then what to know. */
import type { DiagnosticLine, ErrorFrame, ErrorInfo, EvalResult } from "../../protocol/shapes.ts";

const MAX_OUTPUT = 4000;
const MAX_FRAMES = 8;

/** `showUri` turns a frame's uri into a repo-relative path; uris of forms (`repl:7`) are shown as they are. */
export function renderEvaluation(result: EvalResult, showUri: (uri: string) => string): string {
  const parts = [
    headline(result, showUri),
    block("stdout", result.stdout),
    block("stderr", result.stderr),
    notes(result, showUri),
    `(${result.outcome}, ${result.durationMs} ms${result.stateKept ? "" : "; the process was lost: definitions and values are gone"})`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

export function renderError(error: ErrorInfo, showUri: (uri: string) => string, indent = ""): string {
  const lines = [`${indent}${error.name}: ${error.message}`];
  for (const frame of error.frames.slice(0, MAX_FRAMES)) lines.push(`${indent}  ${renderFrame(frame, showUri)}`);
  if (error.frames.length > MAX_FRAMES) lines.push(`${indent}  … ${error.frames.length - MAX_FRAMES} more frames`);
  if (error.cause !== undefined) lines.push(`${indent}Caused by:`, renderError(error.cause, showUri, `${indent}  `));
  for (const part of error.errors ?? []) lines.push(`${indent}Part:`, renderError(part, showUri, `${indent}  `));
  return lines.join("\n");
}

function headline(result: EvalResult, showUri: (uri: string) => string): string {
  if (result.error !== undefined) return renderError(result.error, showUri);
  if (result.valueId === undefined) return result.preview ?? "undefined";
  return `${result.preview ?? ""}\n: ${result.type ?? "unknown"}, kept as ${result.valueId}`;
}

function renderFrame(frame: ErrorFrame, showUri: (uri: string) => string): string {
  const place = `${showPlace(frame.uri, showUri)}:${frame.line + 1}:${frame.character + 1}`;
  const name = frame.function === "" ? "" : ` in ${frame.function}`;
  return `at ${place}${name}${frame.code === undefined ? "" : `   | ${frame.code}`}`;
}

function showPlace(uri: string, showUri: (uri: string) => string): string {
  return uri.startsWith("repl:") ? `form ${uri.slice("repl:".length)}` : showUri(uri);
}

function block(title: string, text: string): string {
  if (text === "") return "";
  const cut = text.length > MAX_OUTPUT;
  const shown = cut ? text.slice(0, MAX_OUTPUT) : text.replace(/\n$/, "");
  return `${title}:\n${shown}${cut ? `\n… ${text.length - MAX_OUTPUT} more characters` : ""}`;
}

function notes({ notes: all, error }: EvalResult, showUri: (uri: string) => string): string {
  const lines = all
    .filter((note) => note.message !== error?.message)
    .map((note) => `note: ${renderNote(note, showUri)}`);
  return lines.join("\n");
}

function renderNote({ uri, range, message }: DiagnosticLine, showUri: (uri: string) => string): string {
  if (uri === undefined || range === undefined) return message;
  return `${showPlace(uri, showUri)}:${range.start.line + 1}:${range.start.character + 1} ${message}`;
}
