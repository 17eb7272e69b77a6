/** An error of user code as the person and the model see it: frames have TypeScript positions and the line of code. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { headOf } from "../../base/cut-text.ts";
import type { ErrorFrame, ErrorInfo } from "../../protocol/repl-shapes.ts";
import { kernelFolders } from "../confinement/launch-plan.ts";
import type { BusyFrame } from "../child/wire/busy-frame.ts";
import { MODULE_CALL } from "../child/wire/kernel-name.ts";
import type { RawError } from "../child/wire/wire.ts";
import { lineOf } from "../source/source-lines.ts";
import { isWithin } from "../../workspace/within.ts";
import type { SnippetText } from "../forms/snippet/snippet-texts.ts";
import type { Position, PositionMapper } from "../source/source-position.ts";
import { given } from "../../base/given.ts";

export interface FrameSources {
  /** The text of a form. Its place in a stack is `repl:<number>`. */
  readonly snippet: (number: number) => SnippetText | undefined;
  /** The mapper of a module's URL, for positions that Node has not mapped yet. */
  readonly module: (url: string) => PositionMapper | undefined;
  readonly line: (path: string, line: number) => string | undefined;
  /** The path as people read it: relative to the project. */
  readonly shown: (path: string) => string;
  /** The lines of a loaded module at which its top level may wait, counted from 1. */
  readonly awaits: (path: string) => readonly number[];
}

const KERNEL_FOLDERS = kernelFolders();
const MAX_FRAMES = 12;
const MAX_ERRORS = 50;
/** A limit on the lines of a stack that are read. Most of them may be Node's and the image's. */
const MAX_STACK_LINES = 1000;
const MAX_STACK_LINE = 4000;
const MAX_LINES = 3;
const EVALUATOR_CALL = new RegExp(`^\\s*at (?:\\w+\\.)?${MODULE_CALL} \\(`);
const STACK_LINE =
  /^\s*at (?:async )?(?:(.*?) \()?((?:repl:\d+|file:\/\/\S+?|\/[^()]+?|[A-Za-z]:\\[^()]+?)):(\d+):(\d+)\)?$/;

/**
 * The lines that Node puts before an error of code that cannot be compiled or linked: the place, the line, and a mark
 * below it.
 */
const HEAD = /^((?:file:\/\/)?\/[^\n]*):(\d+)\n[^\n]*\n([ \t]*)\^/;

export function toErrorInfo(raw: RawError, sources: FrameSources, budget = { left: MAX_ERRORS }): ErrorInfo {
  budget.left -= 1;
  const within = (part: RawError): ErrorInfo[] => (budget.left > 0 ? [toErrorInfo(part, sources, budget)] : []);
  const [cause] = raw.cause === undefined ? [] : within(raw.cause);
  const errors = raw.errors?.flatMap(within);
  const more = (raw.moreErrors ?? 0) + (raw.errors?.length ?? 0) - (errors?.length ?? 0);
  return {
    name: raw.code === undefined || raw.name.includes(raw.code) ? raw.name : `${raw.name} [${raw.code}]`,
    message: raw.message,
    frames: stackFrames(raw.stack, sources),
    ...given({ details: raw.details, cause, errors }),
    ...(more === 0 ? {} : { moreErrors: more }),
  };
}

export function busyFrames(frames: readonly BusyFrame[], sources: FrameSources): ErrorFrame[] {
  return frames
    .slice(0, MAX_FRAMES)
    .map((frame) => toFrame(frame, sources, "generated"))
    .filter((frame) => frame !== undefined);
}

/**
 * The name of a module that waits at its top level, from the URL under which it runs: `src/db.ts:3`, `src/db.ts:3 or
 * 7`.
 */
export function waitingModule(url: string, { shown, awaits }: FrameSources): string {
  const path = toPath(url);
  if (path === undefined) return url;
  const lines = awaits(path);
  return lines.length === 0 || lines.length > MAX_LINES ? shown(path) : `${shown(path)}:${lines.join(" or ")}`;
}

/** The frame at which a form waits, by the index of its `await`. */
export function waitingFrame(number: number, index: number, sources: FrameSources): ErrorFrame | undefined {
  const snippet = sources.snippet(number);
  const at = snippet?.awaits?.()[index];
  return snippet === undefined || at === undefined ? undefined : formFrame("", number, snippet, at);
}

function formFrame(name: string, number: number, { text }: SnippetText, at: Position): ErrorFrame {
  return frameAt(name, `repl:${number}`, at, lineOf(text, at.line));
}

/** The stack line at which the image enters a module's scope. The two lines above it are the image's own. */
export function isEvaluatorCall(line: string): boolean {
  return EVALUATOR_CALL.test(line);
}

/** A stack line of the image's own code. */
export function isOwnLine(line: string): boolean {
  const url = STACK_LINE.exec(line)?.[2];
  if (url === undefined) return /^\s*at .*\brepl-call:\d+:\d+:\d+\)?$/.test(line);
  const path = toPath(url);
  return path !== undefined && KERNEL_FOLDERS.some((folder) => isWithin(path, folder));
}

/**
 * Node keeps the error of a module that could not be loaded. A later form gets the same error, so the lines of earlier
 * forms are taken out of its stack.
 */
export function withoutEarlierForms(raw: RawError, number: number): RawError {
  const { stack } = raw;
  if (!stack.includes("node:internal/modules/") || stack.includes(`repl:${number}:`)) return raw;
  const lines = stack.split("\n").filter((line) => STACK_LINE.exec(line)?.[2]?.startsWith("repl:") !== true);
  return { ...raw, stack: lines.join("\n") };
}

/**
 * The sentence for an error that a module threw at its top level while Node loaded it, and not in a call of the form:
 * the module is then the outermost frame.
 */
export function failedLoad({ stack }: RawError, { frames }: ErrorInfo, sources: FrameSources): string | undefined {
  const path = toPath(frames.at(-1)?.uri ?? "");
  if (path === undefined || !/^\s*at (?:async )?ModuleJob\./m.test(stack)) return undefined;
  return `${sources.shown(path)} could not be loaded: the error comes from its top level.`;
}

function stackFrames(stack: string, sources: FrameSources): ErrorFrame[] {
  const frames: ErrorFrame[] = [];
  const head = headOfStack(stack);
  const first = head === undefined ? undefined : toFrame(head, sources, "source");
  if (first !== undefined) frames.push(first);
  for (const [, name = "", url = "", row = "1", column = "1"] of stackLines(stack)) {
    if (frames.length === MAX_FRAMES) break;
    const place = { function: name, url, line: Number(row) - 1, column: Number(column) - 1 };
    // Node has mapped the positions in modules already (--enable-source-maps); those in forms are ours to map.
    const frame = toFrame(place, sources, "source");
    if (frame !== undefined) frames.push(frame);
  }
  return frames;
}

function headOfStack(stack: string): BusyFrame | undefined {
  const [, url, line, before = ""] = HEAD.exec(stack) ?? [];
  return url === undefined ? undefined : { function: "", url, line: Number(line) - 1, column: before.length };
}

/** The lines with a place, down to the one at which the image called the form. */
function stackLines(stack: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const line of stack.split("\n", MAX_STACK_LINES)) {
    // Below a form that ran in a module's scope come two lines of the image: the form's wrapper and the module's
    // evaluator.
    if (isEvaluatorCall(line)) return found.slice(0, -2);
    const match = line.length > MAX_STACK_LINE ? null : STACK_LINE.exec(line);
    if (match !== null) found.push(match);
  }
  return found;
}

/** `positions`: whether positions in modules are positions in the code that runs or in the source. */
function toFrame(
  { function: name, url, line, column }: BusyFrame,
  sources: FrameSources,
  positions: "generated" | "source",
): ErrorFrame | undefined {
  const position = { line, column };
  if (url.startsWith("repl:")) {
    const number = Number(url.slice("repl:".length));
    const snippet = sources.snippet(number);
    const at = snippet?.mapper(position);
    if (snippet === undefined || at === undefined) return undefined;
    return formFrame(name === "eval" ? "" : name, number, snippet, at);
  }
  const path = toPath(url);
  if (path === undefined || KERNEL_FOLDERS.some((folder) => isWithin(path, folder))) return undefined;
  const at = positions === "generated" ? sources.module(url)?.(position) : position;
  if (at === undefined) return undefined;
  return frameAt(name, pathToFileURL(path).href, at, sources.line(path, at.line));
}

function toPath(url: string): string | undefined {
  if (!url.startsWith("file:"))
    return url.startsWith("/") || /^[A-Za-z]:\\/.test(url) ? url.replace(/\?.*$/, "") : undefined;
  try {
    const parsed = new URL(url);
    parsed.search = "";
    return fileURLToPath(parsed);
  } catch {
    return undefined;
  }
}

function frameAt(name: string, uri: string, at: Position, line: string | undefined): ErrorFrame {
  const code = line?.trim();
  const shown = code === undefined || code === "" ? {} : { code: headOf(code, 200) };
  return { function: name, uri, line: at.line, character: at.column, ...shown };
}
