/**
 * Shows a hunk the way `git diff` does, with the lines around it, and marks the words that differ. Long lines are not cut, since a
 * person decides about them: they go on below, further in.
 */
import { diffWordsWithSpace } from "diff";
import type { HunkPlace } from "../client/conversation.ts";
import type { Hunk } from "../protocol/proposal-shapes.ts";
import { plain, widthOf, type Screen } from "./screen.ts";

const CONTEXT_LINES = 2;
/** Where more is replaced, or less of it stays, words say nothing. */
const LONGEST_COMPARED = 4_000;
const LEAST_COMMON = 0.4;

/** A part of a line; `differs` where the other side has something else. */
interface Run {
  readonly text: string;
  readonly differs: boolean;
}

export function showHunk(screen: Screen, hunk: Hunk, place: HunkPlace): void {
  const lines = linesOf(place.text);
  const first = hunk.range.start.line;
  const removed = linesOf(hunk.oldText);
  const before = lines.slice(Math.max(0, first - CONTEXT_LINES), first);
  const after = lines.slice(first + removed.length, first + removed.length + CONTEXT_LINES);
  const at = `${place.path}:${first + 1}`;
  const what = hunk.kind === "edit" ? hunk.title : `${hunk.kind} ${place.path}`;
  screen.line();
  screen.line(
    `  ${screen.paint("bold", `hunk ${place.index} of ${place.total}`)}${what === at ? "" : `  ${plain(what)}`}`,
  );
  screen.line(screen.paint("cyan", `  @@ ${plain(at)} @@`));
  const added = linesOf(hunk.newText);
  // Where all lines end in that way, and did so before, nothing is to be seen in it.
  const isUsual = lines.length > 0 && [...lines, ...removed, ...added].every((line) => line.endsWith("\r"));
  const ended = (line: string): string => plain(isUsual ? line.slice(0, -1) : line).trimEnd();
  const [old, now] = marked(removed.map(ended), added.map(ended));
  const put = (mark: " " | "-" | "+", line: readonly Run[]): void => {
    for (const text of folded(screen, mark, line)) screen.line(text);
  };
  for (const line of before) put(" ", whole(ended(line)));
  for (const line of old) put("-", line);
  for (const line of now) put("+", line);
  for (const line of after) put(" ", whole(ended(line)));
}

function whole(text: string): Run[] {
  return [{ text, differs: false }];
}

/** Both sides by line, in parts that the sides share and parts that they do not. */
function marked(removed: readonly string[], added: readonly string[]): [Run[][], Run[][]] {
  const [old, now] = [removed.join("\n"), added.join("\n")];
  const unmarked: [Run[][], Run[][]] = [removed.map(whole), added.map(whole)];
  if (old === "" || now === "" || old.length + now.length > LONGEST_COMPARED) return unmarked;
  const parts = diffWordsWithSpace(old, now);
  const common = parts.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.trim().length), 0);
  if (common < LEAST_COMMON * Math.min(old.trim().length, now.trim().length)) return unmarked;
  const sideOf = (isOther: (part: (typeof parts)[number]) => boolean): Run[][] => {
    const lines: Run[][] = [[]];
    for (const part of parts.filter((each) => !isOther(each))) {
      for (const [index, text] of part.value.split("\n").entries()) {
        if (index > 0) lines.push([]);
        if (text !== "") lines.at(-1)?.push({ text, differs: part.added || part.removed });
      }
    }
    return lines;
  };
  return [sideOf(({ added: isOther }) => isOther), sideOf(({ removed: isOther }) => isOther)];
}

/** The line as rows of the screen. */
function folded(screen: Screen, mark: " " | "-" | "+", line: readonly Run[]): string[] {
  const paint = ({ text, differs }: Run): string => {
    if (mark === " ") return text;
    const marks = differs && text.trim() !== "" ? screen.paint("inverse", text) : text;
    return screen.paint(mark === "+" ? "green" : "red", marks);
  };
  const [, lead = ""] = /^(\s*)/.exec(line.map(({ text }) => text).join("")) ?? [];
  const hang = `     ${lead.length < screen.width / 2 ? lead : ""}`;
  const rows: string[] = [];
  let row = `  ${paint({ text: mark, differs: false })}`;
  let column = 3;
  const put = (text: string, differs: boolean): void => {
    row += paint({ text, differs });
    column += widthOf(text);
  };
  for (const { text, differs } of line) {
    for (const piece of text.match(/\s+|[^\s]{1,20}/gu) ?? []) {
      if (column + widthOf(piece) > screen.width && column > hang.length) {
        rows.push(row);
        row = hang;
        column = hang.length;
        if (piece.trim() === "") continue;
      }
      put(piece, differs);
    }
  }
  return [...rows, row.trimEnd()];
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
