/**
 * Hunks, dangerous calls and outcomes as words, for clients that ask in small boxes. The question shows all that a
 * yes accepts.
 */
import type { EvalResult } from "../protocol/repl-shapes.ts";
import type { Hunk, Proposal } from "../protocol/proposal-shapes.ts";
import type { Approval } from "../protocol/tool-shapes.ts";
import { showHidden } from "../workspace/hidden-characters.ts";

/** Editors show a question in a small box: they join or cut wider lines, and of a longer text the beginning may be gone. */
const SHOWN_LINES = 12;
const CODE = /^.{1,54}|.{1,52}/gu;
/** Broken between words, and in a word that is wider. */
const PROSE = /^.{1,54}(?:\s+|$)|.{1,52}(?:\s+|$)|.{1,52}/gu;

/** With `isBeside`, an open document shows all of the proposal, and a long hunk is cut here. */
export function hunkQuestion(
  proposal: Proposal,
  hunk: Hunk,
  pathOf: (uri: string) => string,
  isBeside: boolean,
): string {
  const index = proposal.hunks.indexOf(hunk) + 1;
  const place = hunk.kind === "edit" ? `:${hunk.range.start.line + 1}` : "";
  const at = `${pathOf(hunk.uri)}${place}`;
  const title = hunk.title === at ? "" : ` · ${hunk.title}`;
  const head = `Hunk ${index} of ${proposal.hunks.length} · ${at}${title}`;
  const lines = [...linesOf("- ", hunk.oldText), ...linesOf("+ ", hunk.newText)];
  const { check } = proposal;
  const found = check.state === "done" ? check.introduced.map(({ message }) => message) : [];
  const errors = found.length === 0 ? [] : [`The compiler finds with all hunks: ${found.slice(0, 3).join("; ")}`];
  return boxed([head], lines, [...errors, actOf(hunk, at, pathOf)], isBeside);
}

/** What a yes does stands in the last line, which a box that scrolls still shows. */
function actOf(hunk: Hunk, at: string, pathOf: (uri: string) => string): string {
  if (hunk.kind === "delete") return `Delete the whole file ${at}?`;
  if (hunk.kind === "rename") return `Move the file ${at} to ${pathOf(hunk.newUri ?? "")}?`;
  return hunk.kind === "create" ? `Create the file ${at}?` : `Change ${at}?`;
}

/** `isBeside`: an open document shows all of it, and of `lines` the beginning is enough here. */
function boxed(first: readonly string[], lines: readonly string[], last: readonly string[], isBeside: boolean): string {
  const narrow = narrowed(lines, CODE);
  const rest = isBeside ? narrow.slice(SHOWN_LINES) : [];
  const more = rest.length === 0 ? [] : [`… ${rest.length} more lines, in the document that was opened`];
  const shown = narrow.slice(0, narrow.length - rest.length);
  return [...narrowed(first, PROSE), ...shown, ...narrowed([...more, ...last], PROSE)].join("\n");
}

/** What goes on in the next line is indented there, so that it passes for no line with a sign of its own. */
function narrowed(texts: readonly string[], pieces: RegExp): string[] {
  return texts
    .flatMap((text) => showHidden(text).split("\n"))
    .flatMap((line) => line.match(pieces)?.map((part, at) => (at === 0 ? part : `  ${part}`)) ?? [line]);
}

function linesOf(sign: string, text: string): string[] {
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => sign + line);
}

/** All of the question, where there is room for its lines as they are. */
export function approvalText(approval: Approval): string {
  const { asked, values, reasons } = partsOf(approval);
  return showHidden([asked, ...values, ...reasons].join("\n"));
}

/** Whether a small box has room for all of the question. */
export function isShort(approval: Approval): boolean {
  return narrowed(partsOf(approval).values, CODE).length <= SHOWN_LINES;
}

/** With `isBeside`, an open document shows all of the question, and long arguments are cut here. */
export function approvalQuestion(approval: Approval, isBeside: boolean): string {
  const { asked, values, reasons } = partsOf(approval);
  return boxed([asked], values, reasons, isBeside);
}

function partsOf({ tool, arguments: given, why, risk, question }: Approval): {
  readonly asked: string;
  readonly values: readonly string[];
  readonly reasons: readonly string[];
} {
  const values = Object.entries(given).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    // A name with a line break in it could pass for words of ours.
    return `${name.replaceAll(/\s+/g, " ")}: ${text.includes("\n") ? `\n${text}` : text}`;
  });
  return {
    asked: question ?? `May the agent call ${tool}?`,
    values: question === undefined ? values : [],
    reasons: [why, risk].filter((line) => line !== ""),
  };
}

/** What came of an evaluation, in lines. */
export function evaluated({ outcome, preview = "", type, error, stdout, stderr, notes }: EvalResult): string {
  const value = type === undefined ? preview : `${preview} : ${type}`;
  const failed = error === undefined ? outcome : `${error.name}: ${error.message}`;
  const parts = [outcome === "value" ? value : failed, stdout, stderr, ...notes.map(({ message }) => message)];
  return parts.filter((part) => part.trim() !== "").join("\n");
}
