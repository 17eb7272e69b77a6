/** What stands behind a line whose form was evaluated, and what is told about the form where the mouse rests on that. */
import { fenced } from "../../server/src/base/fenced.ts";
import { shortened } from "../../server/src/base/cut-text.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { ErrorInfo, EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import { errorLines, noteLines, outcomeWords, short, type FileNames } from "./describe.ts";

/** About as many characters as a window of usual size shows in a line. */
const COLUMNS = 140;
const LEAST = 40;
const LONGEST = 4000;

export function failed(result: EvalResult): boolean {
  return result.installed === undefined && result.outcome !== "value";
}

/** `⇒ [3, 4]`, for the end of a line that has so many characters itself. */
export function inlineText(result: EvalResult, taken: number): string {
  return `⇒ ${short(wordsOf(result), Math.max(LEAST, COLUMNS - taken))}`;
}

function wordsOf(result: EvalResult): string {
  if (result.installed !== undefined) return result.installed.split("\n")[0] ?? "";
  if (result.outcome === "value") return (result.preview ?? "undefined").replaceAll(/\n\s*/g, " ");
  const { error } = result;
  if (error === undefined) return outcomeWords(result);
  // The error is then of another line than the one that was evaluated.
  const isLoaded = result.notes.every(({ code }) => code !== "notLoaded");
  const place = placeOf(error);
  const where = place === undefined ? "the module" : `${place.uri.split("/").at(-1)}:${place.line + 1}`;
  return `${isLoaded ? "" : `not evaluated, ${where} does not load: `}${error.name}: ${error.message}`;
}

/** Markdown in which nothing that came from the form is more than text. `links` are words of our own. */
export function hoverText(result: EvalResult, file: FileNames, links: readonly string[] = []): string {
  const parts: string[] = [];
  const text = (label: string, content: string): void => {
    if (content.trim() === "") return;
    const shown = shortened(showHidden(withoutColours(content)).trimEnd(), LONGEST);
    parts.push(fenced(label, shown).trimStart());
  };
  if (result.installed !== undefined) text("", result.installed);
  else if (result.error !== undefined) text("", errorLines(result.error, file).join("\n"));
  else if (result.outcome === "value") text("", result.preview ?? "undefined");
  else text("", outcomeWords(result));
  if (result.type !== undefined && !failed(result) && result.installed === undefined) text("Type", result.type);
  text("Printed", result.stdout);
  text("Printed to stderr", result.stderr);
  text("Notes", noteLines(result).join("\n"));
  const facts = [`${Math.round(result.durationMs)} ms`, `form ${result.evalId}`];
  if (result.truncated) facts.push("the output is cut");
  if (!result.stateKept) facts.push("the process ended: definitions and values are gone");
  parts.unshift([...facts, ...links].join(" · "));
  return parts.join("\n\n");
}

/** Colours of terminals are no text. */
function withoutColours(text: string): string {
  return text.replaceAll(/\u001B\[[\d;]*m/g, "");
}

/** The innermost place in a file that an error names. */
export function placeOf(error: ErrorInfo | undefined): ErrorInfo["frames"][number] | undefined {
  return error?.frames.find(({ uri }) => uri.startsWith("file:"));
}
