/** Diagnostics as an editor shows them, whoever found them, in words for a model. Pure. */
import type { Diagnostic, Range } from "vscode-languageserver-protocol";
import { cutText } from "../../base/cut-text.ts";
import { plainLine } from "../../workspace/plain-text.ts";

const SHOWN = 20;
const MESSAGE = 2_000;
const RELATED = 300;
/** Lines that are shown before the first and after the last diagnostic, and of all of them together. */
const AROUND = 5;
const MAX_LINES = 80;
const SEVERITIES = ["error", "error", "warning", "information", "hint"] as const;

export function diagnosticsText(path: string, diagnostics: readonly Diagnostic[]): string {
  const shown = diagnostics.slice(0, SHOWN).map((each) => diagnosticText(path, each));
  const left = diagnostics.length - shown.length;
  return [...shown, ...(left > 0 ? [`${left} more are not shown.`] : [])].join("\n");
}

function diagnosticText(path: string, diagnostic: Diagnostic): string {
  const { range, severity = 1, source, code, message, relatedInformation = [] } = diagnostic;
  const { line, character } = range.start;
  const words = [SEVERITIES[severity], source, code].filter((word) => word !== undefined && word !== "").join(" ");
  const text = cutText(typeof message === "string" ? message : message.value, MESSAGE).replaceAll("\n", "\n  ");
  const related = relatedInformation.map((each) => `\n  ${plainLine(each.message, RELATED)}`);
  return `${path}:${line + 1}:${character + 1} ${words}: ${text}${related.join("")}`;
}

/** Whole lines around the diagnostics; those around the first where they lie far apart. */
export function linesAround(text: string, diagnostics: readonly Diagnostic[]): Range {
  const starts = diagnostics.map(({ range }) => range.start.line);
  const first = Math.max(0, Math.min(...starts) - AROUND);
  const last = Math.max(...diagnostics.map(({ range }) => range.end.line)) + AROUND;
  const wanted = Math.min(last, first + MAX_LINES);
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && lines < wanted; at = text.indexOf("\n", at + 1)) lines += 1;
  return { start: { line: first, character: 0 }, end: { line: Math.min(wanted, lines) + 1, character: 0 } };
}
