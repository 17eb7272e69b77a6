/** Words what a search of texts has found: grouped by file, as much as a page holds. */
import type { FoundFile, FoundLine, ReadFrom } from "../../search/found-lines.ts";
import { comparePlaces, type Place } from "../../search/place.ts";
import { countsByFolder } from "./counts-by-folder.ts";
import { plural } from "../../base/plural.ts";

export interface FoundPage {
  readonly lines: readonly string[];
  /** How many matches are behind the page, by the file they are in. */
  readonly left: readonly { readonly place: Place; readonly matches: number }[];
  /** The last match on the page; undefined on the last page. */
  readonly last: ReadFrom | undefined;
}

const BUDGET = 7_000;

/** As many matches as the limit and the budget allow, and at least one, so that reading on ends. */
export function foundPage(
  files: readonly FoundFile[],
  {
    shown,
    from,
    limit,
  }: { readonly shown: (place: Place) => string; readonly from: ReadFrom | undefined; readonly limit: number },
): FoundPage {
  const lines: string[] = [];
  let budget = BUDGET;
  let room = limit;
  let last: ReadFrom | undefined;
  const left: { place: Place; matches: number }[] = [];
  for (const file of files) {
    if (from !== undefined && comparePlaces(file.place, from) < 0) continue;
    const isFirst = last === undefined;
    const taken = room > 0 && budget > 0 ? takeLines(file.lines, { room, budget, isFirst }) : [];
    const matches = taken.filter(({ isMatch }) => isMatch);
    const rest = file.matches - file.passed - file.unreadable - matches.length;
    room -= matches.length;
    if (rest > 0) {
      left.push({ place: file.place, matches: rest });
      room = 0;
    }
    const end = matches.at(-1);
    if (end === undefined) continue;
    last = { ...file.place, line: end.line };
    const block = fileBlock(`${shown(file.place)}${file.isUnsaved ? " (unsaved)" : ""}`, taken);
    budget -= block.reduce((sum, line) => sum + line.length + 1, 0);
    lines.push(...block);
  }
  return { lines, left, last: left.length > 0 ? last : undefined };
}

/** "812 lines in 40 files: src/ 600, test/ 212" */
export function leftText(left: FoundPage["left"]): string {
  const total = left.reduce((sum, { matches }) => sum + matches, 0);
  const counts = left.map(({ place, matches }) => [place, matches] as const);
  return `${plural(total, "line")} in ${plural(left.length, "file")}: ${countsByFolder(counts)}`;
}

/** The text from the beginning up to the last match that has room, with the lines beside the matches. */
function takeLines(
  lines: readonly FoundLine[],
  { room, budget, isFirst }: { readonly room: number; readonly budget: number; readonly isFirst: boolean },
): readonly FoundLine[] {
  let matches = 0;
  let length = 0;
  for (const [index, { isMatch, text }] of lines.entries()) {
    length += text.length + 8;
    if (isMatch && (matches === room || (length > budget && (matches > 0 || !isFirst)))) {
      return matches === 0 ? [] : lines.slice(0, index);
    }
    if (isMatch) matches += 1;
  }
  return lines;
}

/** A file with one line and nothing beside it is one line, which is an address too. Lines on their own need no indentation. */
function fileBlock(name: string, lines: readonly FoundLine[]): string[] {
  const isPlain = lines.every(({ isMatch, text }) => isMatch && !text.includes("\n"));
  const [only] = lines;
  if (isPlain && lines.length === 1 && only !== undefined) return [`${name}:${only.line}: ${only.text.trim()}`];
  if (isPlain) return [name, ...lines.map(({ line, text }) => `  ${line}: ${text.trim()}`.trimEnd())];
  const block = [name];
  let next = lines[0]?.line ?? 0;
  for (const { line, text, isMatch } of lines) {
    if (line > next) block.push("  …");
    const own = text.split("\n").map((each, offset) => `  ${line + offset}${isMatch ? ":" : "-"} ${each}`.trimEnd());
    block.push(...own);
    next = line + own.length;
  }
  return block;
}
