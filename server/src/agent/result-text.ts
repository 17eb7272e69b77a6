/** A tool's result as the model reads it. A note that the model has read before is not repeated at length. */
import { headOf } from "../protocol/cut-text.ts";
import type { CurrentResult } from "../tools/up-to-date.ts";

/** Shorter notes are repeated each time: most of them are about this one answer. */
const LONG_NOTE = 60;
const REMINDER = 40;

/** `told` are the long notes of the conversation so far; new ones are added. */
export function resultText(result: CurrentResult, told: Set<string>): string {
  const { notes = [], nextCursor } = result.metadata;
  const body = result.success ? result.content : (result.error ?? "failed");
  const fresh: string[] = [];
  const repeated: string[] = [];
  for (const note of notes) {
    if (body.includes(note)) continue;
    const isKnown = told.has(note);
    if (note.length > LONG_NOTE) told.add(note);
    if (isKnown) repeated.push(`${headOf(note, REMINDER).trimEnd()}…`);
    else fresh.push(note);
  }
  const lines = fresh.map((note) => `- ${note}`);
  if (repeated.length > 0) lines.push(`- As told before: ${repeated.join(" ")}`);
  const extra = lines.length === 0 ? "" : `\nNotes:\n${lines.join("\n")}`;
  const isSaid = [`cursor "${nextCursor}"`, `cursor ${nextCursor} `].some((words) => body.includes(words));
  const cursor = nextCursor === undefined || isSaid ? "" : `\nMore with cursor: "${nextCursor}"`;
  // The API refuses empty results marked as errors, and models misread empty ones.
  return `${body}${extra}${cursor}` || "(empty)";
}
