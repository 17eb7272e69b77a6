/** One edit of one text: where it goes, and what goes wrong in words that say what to do. Pure but for the nearest place. */
import { loadDiff, loneCarriageReturnLine, withLineEndingsOf, type TextChange } from "../../proposals/texts/hunks.ts";
import { mergeTexts } from "../../proposals/texts/merge-texts.ts";
import { lineBreaksIn } from "../../base/line-breaks.ts";
import { nearestNames } from "../../base/spelling.ts";
import { asItLooks, placeAsItLooks } from "../answers/as-it-looks.ts";
import { withHidden } from "../../workspace/hidden-characters.ts";
import { differenceToNearest } from "../answers/nearest-part.ts";
import { ToolFailure } from "../tool.ts";

const MAX_PLACES = 10;
const MAX_DIFFERENCE = 80;
const SHOWN_WORDS = 3;

export interface TextEdit {
  readonly path: string;
  readonly text: string;
  /** The text there now, and the text that replaces it. */
  readonly original: string;
  readonly modified: string;
}

/** The only place of the original text. `also` is what else one can do when there are several. */
export async function replaceOnce(given: TextEdit, also = ""): Promise<TextChange> {
  const edit = asItStands(given);
  const { start, end } = await onlyPlace(edit, also);
  return { start, end, newText: withLineEndingsOf(edit.text, edit.modified) };
}

export async function replaceAll(given: TextEdit): Promise<TextChange[]> {
  const edit = asItStands(given);
  const original = withLineEndingsOf(edit.text, edit.original);
  const changes: TextChange[] = [];
  const newText = withLineEndingsOf(edit.text, edit.modified);
  for (let at = edit.text.indexOf(original); at !== -1; at = edit.text.indexOf(original, at + original.length)) {
    changes.push({ start: at, end: at + original.length, newText });
  }
  if (changes.length === 0) throw await notThere(edit, original);
  return changes;
}

/** As whole lines above the line on which the original text begins, or below the one on which it ends. */
export async function insertBeside(given: TextEdit, side: "before" | "after"): Promise<TextChange> {
  const edit = asItStands(given);
  const { text } = edit;
  const { start, end } = await onlyPlace(edit, "");
  if (side === "before")
    return insertedAt(text, start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1, edit.modified);
  // An original that ends with its line's end ends on that line.
  const lineEnd = end > start && text[end - 1] === "\n" ? end : text.indexOf("\n", end) + 1;
  return insertedAt(text, lineEnd === 0 ? text.length : lineEnd, edit.modified);
}

/** Where a line begins, counted from 1; the end of the text for the line after the last. */
export function lineStart({ text, path }: TextEdit, line: number): number {
  let at = 0;
  for (let number = 1; number < line; number += 1) {
    const next = text.indexOf("\n", at);
    if (next === -1 && (number < line - 1 || at === text.length)) {
      throw new ToolFailure(
        `${path} has ${lineBreaksIn(text) + (text.endsWith("\n") || text === "" ? 0 : 1)} lines; there is no line ${line} to insert at.`,
      );
    }
    at = next === -1 ? text.length : next + 1;
  }
  return at;
}

/** As whole lines at a place where a line begins, or at the end of the text. */
export function insertedAt(text: string, at: number, inserted: string): TextChange {
  const ending = text.includes("\r\n") ? "\r\n" : "\n";
  const fitted = withLineEndingsOf(text, inserted);
  const isEnded = fitted === "" || fitted.endsWith("\n");
  if (at < text.length || text === "") return { start: at, end: at, newText: isEnded ? fitted : fitted + ending };
  // A last line without an end stays the kind of last line that the file has.
  if (!text.endsWith("\n")) return { start: at, end: at, newText: ending + fitted.replace(/\r?\n$/, "") };
  return { start: at, end: at, newText: isEnded ? fitted : fitted + ending };
}

/** An edit behind a lone carriage return lands on different lines in different editors. */
export function refuseLoneCarriageReturn(subject: string, text: string): void {
  const line = loneCarriageReturnLine(text);
  if (line === undefined) return;
  throw new ToolFailure(
    `NOT PROPOSED: line ${line} of ${subject} has a carriage return without a line feed. Editors count lines differently ` +
      "there, so an edit could land at the wrong place. Use \\n or \\r\\n as line ending; in code write \\r as an escape.",
  );
}

export function refuseBrokenText(modified: string): void {
  if (!modified.isWellFormed()) {
    throw new ToolFailure(
      "NOT PROPOSED: `modified` holds half of a surrogate pair (such as \\ud83d), which no file can.",
    );
  }
  refuseLoneCarriageReturn("`modified`", modified);
}

/** The new text was written against a text that changed meanwhile: the changes since then stay. */
export function mergedWith(
  { seen, text, modified, path }: { seen: string; text: string; modified: string; path: string },
  noteShown: () => void,
): { readonly target: string; readonly merged: readonly string[] } {
  const target = mergeTexts(seen, modified, text);
  const patch = loadDiff().createTwoFilesPatch("as you read it", "as it is now", seen, text, "", "", {
    context: 1,
    timeout: 200,
  });
  const lines = (patch ?? "").trimEnd().split("\n").slice(1);
  const difference = lines.slice(0, MAX_DIFFERENCE);
  if (lines.length > difference.length) difference.push("… read_file shows the rest.");
  if (target !== undefined) {
    const head = `${path} changed since you read it; your text was merged with these changes, which are not part of the proposal:`;
    return { target, merged: [head, ...difference] };
  }
  // Whoever was shown all of the difference knows the text as it is now.
  if (patch !== undefined && lines.length === difference.length) noteShown();
  throw new ToolFailure(
    [`NOT PROPOSED: ${path} changed since you read it, in places that your text changes too:`, ...difference].join(
      "\n",
    ),
  );
}

/** A model that is shown `<U+202E>` in the place of a hidden character writes the same in an edit. */
function asItStands(edit: TextEdit): TextEdit {
  const [original, modified] = [withHidden(edit.original), withHidden(edit.modified)];
  const has = (part: string): boolean => edit.text.includes(withLineEndingsOf(edit.text, part));
  return has(edit.original) || !has(original) ? edit : { ...edit, original, modified };
}

async function onlyPlace(edit: TextEdit, also: string): Promise<{ readonly start: number; readonly end: number }> {
  const { text, path } = edit;
  const original = withLineEndingsOf(text, edit.original);
  const starts = placesOf(text, original);
  const [start] = starts;
  if (start === undefined) {
    const place = placeAsItLooks(text, original);
    if (place === undefined) throw await notThere(edit, original);
    return place;
  }
  if (starts.length === 1) return { start, end: start + original.length };
  const lines = starts.slice(0, MAX_PLACES).map((at) => lineBreaksIn(text, 0, at) + 1);
  const more = starts.length > lines.length ? `, and ${starts.length - lines.length} more` : "";
  throw new ToolFailure(
    `\`original\` occurs ${starts.length} times in ${path} (lines ${lines.join(", ")}${more}); give more lines around it so that it is unique${also}.`,
  );
}

/** Also those that overlap. */
function placesOf(text: string, part: string): number[] {
  const found: number[] = [];
  if (part === "") return found;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

async function notThere({ text, path }: TextEdit, original: string): Promise<ToolFailure> {
  const difference = await differenceToNearest(asItLooks(text).text, asItLooks(original).text);
  if (difference !== undefined) {
    return new ToolFailure(
      `\`original\` does not occur in ${path}. The closest part of the document differs like this ` +
        `(- your original, + the document):\n${difference}`,
    );
  }
  const alike = wordsLike(original, text);
  return new ToolFailure(
    alike.length === 0
      ? `\`original\` does not occur in ${path}, and nothing there is like it. Read the file again.`
      : `\`original\` does not occur in ${path}. Alike there: ${alike.join(", ")}.`,
  );
}

/** `weight (line 4)`, for an original of one word, which is too little to be like a line. */
function wordsLike(original: string, text: string): string[] {
  if (!/^[\w$]+$/.test(original)) return [];
  const lines = new Map<string, number>();
  for (const { 0: word, index } of text.matchAll(/[\w$]+/g)) if (!lines.has(word)) lines.set(word, index);
  return nearestNames(original, lines.keys(), SHOWN_WORDS).map((word) => {
    return `${word} (line ${lineBreaksIn(text, 0, lines.get(word) ?? 0) + 1})`;
  });
}
