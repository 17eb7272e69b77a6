/** The smallest changes of whole lines that one hunk consists of. Pure. */
import { linesOf, rowsBetween, type Row } from "./line-rows.ts";

export interface HunkTexts {
  readonly oldText: string;
  readonly newText: string;
}

/** The smallest change that leaves whole lines behind, whatever becomes of its neighbours. */
export interface Atom {
  readonly start: number;
  readonly end: number;
  readonly oldText: string;
  readonly newText: string;
  /** The lines that have to be chosen: all, or only one side of a pair. */
  readonly old: readonly number[];
  readonly new: readonly number[];
  /** Lines that end a file without a newline: another line after them would be joined to them. */
  readonly isTail: boolean;
}

/** Runs of atoms without a line between them that stays. */
export function atomsOf({ oldText, newText }: HunkTexts): { readonly rows: readonly Row[]; readonly runs: Atom[][] } {
  const [old, now] = [linesOf(oldText), linesOf(newText)];
  const rows = rowsBetween(old, now);
  const tail = tailOf(rows, old, now);
  const runs: Atom[][] = [];
  let open: Atom[] | undefined;
  let offset = 0;
  for (const part of [...rows.slice(0, tail).map((row) => [row]), rows.slice(tail)]) {
    const [gone, come] = [part.flatMap((row) => row.old ?? []), part.flatMap((row) => row.new ?? [])];
    const text = (lines: readonly string[], indexes: readonly number[]): string =>
      indexes.map((index) => lines[index] ?? "").join("");
    const [before, after] = [text(old, gone), text(now, come)];
    const [start, end] = [offset, offset + before.length];
    offset = end;
    if (before === after) {
      if (before !== "") open = undefined;
      continue;
    }
    const isTail = part.length !== 1 || !/\n$/.test(before || after) || !/\n$/.test(after || before);
    const differing = part.filter((row) => !isSameLine(row, old, now));
    const lines = differing.length === 0 ? part : differing;
    const atom = { start, end, oldText: before, newText: after, isTail };
    if (open === undefined) runs.push((open = []));
    open.push({ ...atom, old: lines.flatMap((row) => row.old ?? []), new: lines.flatMap((row) => row.new ?? []) });
  }
  return { rows, runs };
}

/** The first row from which on all lines go together, because a text ends there without a newline. */
function tailOf(rows: readonly Row[], old: readonly string[], now: readonly string[]): number {
  const isOpen = (lines: readonly string[]): boolean => lines.at(-1)?.endsWith("\n") === false;
  const found = [
    isOpen(old) ? rows.findIndex((row) => row.old === old.length - 1) : -1,
    isOpen(now) ? rows.findIndex((row) => row.new === now.length - 1) : -1,
  ].filter((index) => index !== -1);
  return Math.min(rows.length, ...found);
}

/** Whether two lines differ in nothing but their ending. */
function isSameLine(row: Row, old: readonly string[], now: readonly string[]): boolean {
  if (row.old === undefined || row.new === undefined) return false;
  return old[row.old]?.replace(/\r?\n$/, "") === now[row.new]?.replace(/\r?\n$/, "");
}
