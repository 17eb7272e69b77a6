/** A tool's result as the model reads it. What the model has read before about the workspace is not said again. */
import { coverageIn, ONE_FILE, withoutCompiler } from "../tools/answers/coverage.ts";
import { notesOfOrder, type CurrentResult } from "../tools/run/up-to-date.ts";

/** Shorter notes are repeated each time: they are about the one answer. */
const LONG_NOTE = 60;

/** `told` are the notes of the conversation so far that need no repeating; new ones are added. */
export function resultText(result: CurrentResult, told: Set<string>): string {
  const { notes = [], nextCursor, complete } = result.metadata;
  const body = result.success ? result.content : (result.error ?? "failed");
  const lines: string[] = [];
  let isDoubted = false;
  for (const note of new Set(notes)) {
    if (body.includes(note)) continue;
    const coverage = coverageIn(note);
    if (coverage === ONE_FILE) continue;
    const key = coverage ?? note;
    const isKnown = told.has(key);
    if ((note.length > LONG_NOTE && !notesOfOrder(result).includes(note)) || coverage !== undefined) told.add(key);
    // The first message tells the version.
    if (!isKnown) lines.push(`- ${coverage === undefined ? note : withoutCompiler(note)}`);
    else if (coverage === undefined) isDoubted = true;
  }
  // The reason was told, the doubt belongs to each answer.
  if (isDoubted && !complete) lines.push("- Not complete, for reasons told before.");
  const extra = lines.length === 0 ? "" : `\nNotes:\n${lines.join("\n")}`;
  const isSaid = [`cursor "${nextCursor}"`, `cursor: "${nextCursor}"`, `cursor ${nextCursor} `].some((words) =>
    body.includes(words),
  );
  const cursor = nextCursor === undefined || isSaid ? "" : `\nMore with cursor: "${nextCursor}"`;
  // The API refuses empty results marked as errors, and models misread empty ones.
  return `${body}${extra}${cursor}` || "(empty)";
}
