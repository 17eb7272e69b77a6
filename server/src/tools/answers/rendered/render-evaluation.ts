/** An evaluation's outcome as text for a model: the answer first, then what it printed, then what to know. */
import { beginningAndEnd, headOf } from "../../../base/cut-text.ts";
import type { ErrorFrame, ErrorInfo, EvalResult } from "../../../protocol/repl-shapes.ts";
import type { ToolResult } from "../../../protocol/tool-shapes.ts";
import type { DiagnosticLine } from "../../../protocol/shapes.ts";
import type { ToolAnswer } from "../../tool.ts";
import { asValue, continued, foldedLines, indented, inOneLine } from "../quoted-text.ts";

const SHOWN_OUTPUT = { head: 1000, tail: 3000 };
const MAX_MESSAGE = 700;
const MAX_FRAMES = 8;
const INNER_FRAMES = 3;
const OWN_NAMES = new Set([
  "ModuleNotReachable",
  "ReplUnavailable",
  "MemoryLimit",
  "Crashed",
  "Interrupted",
  "Timeout",
  "Thrown value",
]);
const REFUSALS = new Set(["ModuleNotReachable", "ReplUnavailable", "InternalError"]);
/** How a preview shows that it is not the whole value. */
const CUT = /… \((?:cut|\d+ characters)\)$|… \d+ more/;

/** `showUri` turns a frame's uri into a repo-relative path; uris of forms (`repl:7`) are shown as they are. */
export function renderEvaluation(result: EvalResult, showUri: (uri: string) => string): string {
  return joined([headline(result, showUri), renderAround(result, showUri, result.outcome)]);
}

/** The same as a tool's answer, which says whether the output is whole. */
export function evaluationAnswer(
  result: EvalResult,
  showUri: (uri: string) => string,
): Pick<ToolAnswer, "content" | "truncated" | "notes" | "lists"> {
  const content = renderEvaluation(result, showUri);
  const lists = (): Pick<ToolResult, "evaluation"> => ({ evaluation: result });
  if (!result.truncated) return { content, lists };
  return { content, lists, truncated: true, notes: ["The output was cut; its beginning and its end are shown."] };
}

/** What the model reads about an evaluation beside its value or error. `verb` says how it ended, in one word. */
export function renderAround(result: EvalResult, showUri: (uri: string) => string, verb: string): string {
  const end = result.stateKept ? "" : "; the process was lost: definitions and values are gone";
  return joined([
    block("stdout", result.stdout),
    block("stderr", result.stderr),
    notes(result, showUri),
    `(${verb}, ${result.durationMs} ms${end})`,
  ]);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

/** Whether nothing of the form ran, for a reason outside of the form. */
export function isRefused({ error, outcome }: EvalResult): boolean {
  return outcome === "error" && error !== undefined && REFUSALS.has(error.name) && error.frames.length === 0;
}

export function renderError(error: ErrorInfo, showUri: (uri: string) => string): string {
  return errorLines(error, showUri, MAX_FRAMES).join("\n");
}

/** Causes and parts are shown with fewer frames: most of their frames are those of the error above. */
function errorLines(error: ErrorInfo, showUri: (uri: string) => string, maxFrames: number): string[] {
  const lines = continued(`${nameOf(error)}: ${shortMessage(error.message)}`).split("\n");
  if (error.details !== undefined) lines.push(`  ${error.details.replaceAll("\n", "\n  ")}`);
  const frames = folded(error.frames.map((frame) => renderFrame(frame, showUri)));
  lines.push(...frames.slice(0, maxFrames).map((frame) => `  ${frame}`));
  if (frames.length > maxFrames) lines.push(`  … ${frames.length - maxFrames} more frames`);
  const inner = (part: ErrorInfo): string[] => errorLines(part, showUri, INNER_FRAMES).map((line) => `  ${line}`);
  if (error.cause !== undefined) lines.push("Caused by:", ...inner(error.cause));
  for (const part of error.errors ?? []) lines.push("Part:", ...inner(part));
  if (error.moreErrors !== undefined) lines.push(`… ${error.moreErrors} more parts`);
  return lines;
}

/** Whoever throws chooses the name, and may choose the server's words. */
function nameOf({ name }: ErrorInfo): string {
  const isUsual = /^(?:[A-Z$_][\w$]*)?(?:Error|Exception)(?: \[\w+\])?$/.test(name) || OWN_NAMES.has(name);
  return isUsual ? name : `thrown ${inOneLine(name)}`;
}

function shortMessage(message: string): string {
  const left = message.length - MAX_MESSAGE;
  if (left < MAX_MESSAGE / 5) return message;
  return `${headOf(message, MAX_MESSAGE)}… (${left} more characters; catch the error and inspect_object its message to read on)`;
}

/** A frame that occurs many times in a row, as in a recursion without end, is shown once. */
function folded(frames: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < frames.length;) {
    const frame = frames[at] ?? "";
    let end = at + 1;
    while (frames[end] === frame) end += 1;
    lines.push(frame, ...(end - at > 1 ? [`(the same frame ${end - at - 1} more times)`] : []));
    at = end;
  }
  return lines;
}

function headline(result: EvalResult, showUri: (uri: string) => string): string {
  if (result.error !== undefined) return renderError(result.error, showUri);
  if (result.valueId === undefined) return asValue(result.preview ?? "undefined");
  const preview = result.preview ?? "";
  const more = CUT.test(preview) ? `; inspect_object ${result.valueId} reads on` : "";
  return `${asValue(asText(preview))}\n: ${inOneLine(result.type ?? "unknown")}, kept as ${result.valueId}${more}`;
}

/** A string as it is, where its escapes would hide how it reads. */
function asText(preview: string): string {
  const [, quoted, rest = ""] = /^("(?:[^"\\]|\\.)*")(… \(\d+ characters\))?$/s.exec(preview) ?? [];
  const isHidden = quoted !== undefined && /\\n|(?:\\["\\].*){2}/s.test(quoted);
  if (!isHidden) return preview;
  const text = JSON.parse(quoted) as string;
  // Indented as a whole, so that the indentation of its own lines stays what it is among them.
  return text.includes("\n") ? `"""\n${indented(text)}\n  """${rest}` : `"""${text}"""${rest}`;
}

function renderFrame(frame: ErrorFrame, showUri: (uri: string) => string): string {
  const place = `${showPlace(frame.uri, showUri)}:${frame.line + 1}:${frame.character + 1}`;
  const name = frame.function === "" ? "" : ` in ${inOneLine(frame.function)}`;
  return `at ${place}${name}${frame.code === undefined ? "" : `   | ${frame.code}`}`;
}

function showPlace(uri: string, showUri: (uri: string) => string): string {
  return uri.startsWith("repl:") ? `form ${uri.slice("repl:".length)}` : showUri(uri);
}

function block(title: string, text: string): string {
  if (text === "") return "";
  return `${title}:\n${indented(beginningAndEnd(foldedLines(text), SHOWN_OUTPUT, leftOut).replace(/\n$/, ""))}`;
}

function leftOut(characters: number): string {
  return `${characters} characters left out: the person's log of the REPL has them; a value, unlike output, is kept and read on with inspect_object`;
}

function notes({ notes: all, error }: EvalResult, showUri: (uri: string) => string): string {
  const lines = all
    .filter((note) => note.message !== error?.message)
    .map((note) => continued(`note: ${renderNote(note, showUri)}`));
  return lines.join("\n");
}

/** A person's editor interrupts forms by their ids; who reads this has a tool. */
const INTERRUPTING = / Interrupting form \S+ by its id ends that\.$/;

export function renderNote({ uri, range, ...note }: DiagnosticLine, showUri: (uri: string) => string): string {
  const message = note.message.replace(INTERRUPTING, " It ends with the process: restart_repl.");
  if (uri === undefined || range === undefined) return message;
  return `${showPlace(uri, showUri)}:${range.start.line + 1}:${range.start.character + 1} ${message}`;
}
