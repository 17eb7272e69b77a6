/** Texts that are not on the disk, searched by the same program with the same pattern. */
import { isInstalled, reaching, type Reach } from "./reach.ts";
import { aroundMatch } from "./around-match.ts";
import type { FoundLine } from "./found-lines.ts";
import type { Finding } from "./finding.ts";
import { listFiles } from "./list-files.ts";
import { matchReader } from "./match-events.ts";
import { keyOf, type Place } from "./place.ts";
import { inputArguments, isMultiline, type Pattern } from "./rg-arguments.ts";
import { runRipgrep, type LocateRipgrep } from "./ripgrep.ts";

/** A text of the workspace that is not what the disk says. */
export interface UnsavedText extends Place {
  readonly text: string;
  /** There is no file of this name on disk. */
  readonly isNew: boolean;
}

/** Those that the question reaches; whether .gitignore leaves out a file that is on disk, ripgrep says itself. */
export async function reachedTexts(
  locate: LocateRipgrep,
  reach: Reach,
  texts: readonly UnsavedText[],
  signal: AbortSignal,
): Promise<UnsavedText[]> {
  const reached = texts.filter(reaching(reach));
  if (reach.ignored) return reached;
  const isNamed = ({ relative }: Place): boolean => reach.within?.relative === relative;
  const isPlain = isInstalled(reach.within?.relative ?? "");
  const fresh = (each: UnsavedText): boolean => each.isNew && (isPlain || !isInstalled(each.relative));
  if (reached.every((each) => isNamed(each) || each.isNew))
    return reached.filter((each) => isNamed(each) || fresh(each));
  const listed = new Set((await listFiles(locate, reach, signal)).places.map(keyOf));
  return reached.filter((each) => isNamed(each) || fresh(each) || listed.has(keyOf(each)));
}

/** Many texts are searched as one; a match over several lines could leave its text, so these are searched one by one. */
export async function searchTexts(
  locate: LocateRipgrep,
  pattern: Pattern,
  { texts, finding }: { readonly texts: readonly UnsavedText[]; readonly finding: Finding },
  signal: AbortSignal,
): Promise<void> {
  const plain = texts.filter(({ text }) => text !== "" && !text.includes("\0"));
  const rounds = isMultiline(pattern) ? plain.map((each) => [each]) : plain.length > 0 ? [plain] : [];
  for (const round of rounds) {
    const input = joined(round);
    const found = new Map<TextPart, FoundLine[]>();
    const onLine = (line: FoundLine): void => {
      const part = input.partAt(line.line);
      found.set(part, [...(found.get(part) ?? []), { ...line, line: line.line - part.first + 1 }]);
    };
    const reader = matchReader({
      begin: () => true,
      wants: () => true,
      line: onLine,
      count: () => undefined,
      end: () => undefined,
    });
    const run = { args: inputArguments(pattern), folder: process.cwd(), input: Buffer.from(input.text) };
    await runRipgrep(locate, run, reader, signal);
    for (const [{ own }, lines] of found) finding.text(own, withContext(lines, own.text, pattern.context));
  }
}

interface TextPart {
  readonly own: UnsavedText;
  /** The number of its first line in the whole. */
  readonly first: number;
}

function joined(texts: readonly UnsavedText[]): { readonly text: string; readonly partAt: (line: number) => TextPart } {
  const parts: TextPart[] = [];
  let text = "";
  let next = 1;
  for (const own of texts) {
    parts.push({ own, first: next });
    const whole = own.text.endsWith("\n") ? own.text : `${own.text}\n`;
    text += whole;
    next += whole.split("\n").length - 1;
  }
  // Lines come in their order, and so do the parts.
  let at = 0;
  return {
    text,
    partAt: (line) => {
      while ((parts[at + 1]?.first ?? Infinity) <= line) at += 1;
      return parts[at] as TextPart;
    },
  };
}

/** With so many lines before and after each match, each line once. */
function withContext(found: readonly FoundLine[], text: string, count: number): readonly FoundLine[] {
  if (count === 0) return found;
  const all = text.split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  const lines: FoundLine[] = [];
  let next = 1;
  const beside = (from: number, to: number): void => {
    for (let line = Math.max(from, next); line <= Math.min(to, all.length); line += 1) {
      lines.push({ line, text: aroundMatch(all[line - 1] ?? ""), isMatch: false });
      next = line + 1;
    }
  };
  for (const [index, match] of found.entries()) {
    beside(match.line - count, match.line - 1);
    lines.push(match);
    next = match.line + match.text.split("\n").length;
    beside(next, Math.min(next + count, found[index + 1]?.line ?? Infinity) - 1);
  }
  return lines;
}
