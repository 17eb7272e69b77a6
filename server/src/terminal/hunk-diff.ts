/** Shows a hunk the way `git diff` does, with the lines around it. Long lines are not cut: a person decides about them. */
import type { HunkPlace } from "../client/conversation.ts";
import type { Hunk } from "../protocol/proposal-shapes.ts";
import { plain, type Screen } from "./screen.ts";

const CONTEXT_LINES = 2;

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
  const put = (mark: " " | "-" | "+", line: string): void => {
    const text = `  ${mark}${plain(isUsual ? line.slice(0, -1) : line)}`.trimEnd();
    screen.line(mark === " " ? text : screen.paint(mark === "+" ? "green" : "red", text));
  };
  for (const line of before) put(" ", line);
  for (const line of removed) put("-", line);
  for (const line of added) put("+", line);
  for (const line of after) put(" ", line);
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
