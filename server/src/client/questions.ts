/**
 * Hunks, dangerous calls and outcomes as words, for clients that ask in small boxes. The question shows all that a
 * yes accepts.
 */
import type { EvalResult } from "../protocol/repl-shapes.ts";
import type { Hunk, Proposal } from "../protocol/proposal-shapes.ts";
import type { Approval } from "../protocol/tool-shapes.ts";
import { showHidden } from "../workspace/hidden-characters.ts";

/** Editors show a question in a small box. */
const SHOWN_LINES = 30;

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
  const isCut = isBeside && lines.length > SHOWN_LINES;
  const shown = isCut ? lines.slice(0, SHOWN_LINES) : lines;
  const rest = isCut ? [`… ${lines.length - SHOWN_LINES} more lines, which stand in the document beside`] : [];
  const { check } = proposal;
  const found = check.state === "done" ? check.introduced.map(({ message }) => message) : [];
  const errors = found.length === 0 ? [] : [`The compiler finds with all hunks: ${found.slice(0, 3).join("; ")}`];
  return showHidden([head, ...whole(hunk, pathOf), ...shown, ...rest, ...errors].join("\n"));
}

function whole(hunk: Hunk, pathOf: (uri: string) => string): string[] {
  if (hunk.kind === "delete") return ["The whole file is deleted."];
  if (hunk.kind === "rename") return [`The file moves to ${pathOf(hunk.newUri ?? "")}.`];
  return hunk.kind === "create" ? ["The file is new."] : [];
}

function linesOf(sign: string, text: string): string[] {
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => sign + line);
}

export function approvalQuestion({ tool, arguments: given, why, risk, question }: Approval): string {
  const asked = question ?? `May the agent call ${tool}?`;
  const values = Object.entries(given).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    // A name with a line break in it could pass for words of ours.
    return `${name.replaceAll(/\s+/g, " ")}: ${text.includes("\n") ? `\n${text}` : text}`;
  });
  const lines = [asked, ...(question === undefined ? values : []), why, risk];
  return showHidden(lines.filter((line) => line !== "").join("\n"));
}

/** What came of an evaluation, in lines. */
export function evaluated({ outcome, preview = "", type, error, stdout, stderr, notes }: EvalResult): string {
  const value = type === undefined ? preview : `${preview} : ${type}`;
  const failed = error === undefined ? outcome : `${error.name}: ${error.message}`;
  const parts = [outcome === "value" ? value : failed, stdout, stderr, ...notes.map(({ message }) => message)];
  return parts.filter((part) => part.trim() !== "").join("\n");
}
