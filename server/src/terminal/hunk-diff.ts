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
  screen.line(screen.paint("cyan", `  @@ ${at} @@`));
  for (const line of before) put(screen, " ", line);
  for (const line of removed) put(screen, "-", line);
  for (const line of linesOf(hunk.newText)) put(screen, "+", line);
  for (const line of after) put(screen, " ", line);
}

function put(screen: Screen, mark: " " | "-" | "+", line: string): void {
  const text = `  ${mark}${plain(line)}`.trimEnd();
  screen.line(mark === " " ? text : screen.paint(mark === "+" ? "green" : "red", text));
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
