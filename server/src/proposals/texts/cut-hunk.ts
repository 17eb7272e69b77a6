/** Cuts the change of one hunk into pieces that can be made or left out each by itself. Pure: two texts and their lines. */
import { atomsOf, type Atom, type HunkTexts } from "./hunk-atoms.ts";
import type { Row } from "./line-rows.ts";

/** A part of the change: `newText` replaces the hunk's old text from `start` to `end`. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
  readonly isTaken: boolean;
}

/**
 * Indexes of lines, counted from 0. A side that is not given follows from the other side: the lines that are paired
 * with that side's lines.
 */
export interface ChosenLines {
  readonly old?: readonly number[];
  readonly new?: readonly number[];
}

/** More pieces at once help nobody: a piece can be cut again. */
const MAX_PIECES = 32;

/** The lines that are taken and the rest, in the order of the text; a sentence where that makes no sense. */
export function cutByLines(texts: HunkTexts, lines: ChosenLines): Piece[] | string {
  const cut = atomsOf(texts);
  const chosen = withPartners(cut.rows, lines);
  const pieces: Piece[] = [];
  for (const run of cut.runs) {
    let open: Piece | undefined;
    for (const atom of run) {
      const parts = chosenParts(atom, chosen);
      if (typeof parts === "string") return parts;
      for (const part of parts) {
        if (open?.isTaken === part.isTaken) {
          open = { ...part, start: open.start, newText: open.newText + part.newText };
          pieces.pop();
        } else open = part;
        pieces.push(open);
      }
    }
  }
  return pieces;
}

/** Smaller pieces of the whole change, none taken; fewer than two where nothing is left to cut. */
export function cutSmaller(texts: HunkTexts): Piece[] {
  const { runs } = atomsOf(texts);
  const atoms = runs.length === 1 ? (runs[0] ?? []) : [];
  const ways = [runs, byKind(atoms), byParagraph(atoms), atoms.map((atom) => [atom])];
  const groups = ways.find(({ length }) => length > 1) ?? [];
  const size = Math.ceil(groups.length / MAX_PIECES);
  const merged = groups.length <= MAX_PIECES || groups === runs ? groups : inGroupsOf(size, groups);
  return merged.map((group) => ({
    start: group[0]?.start ?? 0,
    end: group.at(-1)?.end ?? 0,
    newText: group.map(({ newText }) => newText).join(""),
    isTaken: false,
  }));
}

interface Chosen {
  readonly old: ReadonlySet<number>;
  readonly new: ReadonlySet<number>;
}

function withPartners(rows: readonly Row[], lines: ChosenLines): Chosen {
  const [old, now] = [new Set(lines.old), new Set(lines.new)];
  for (const row of rows) {
    if (row.old === undefined || row.new === undefined) continue;
    if (lines.new === undefined && old.has(row.old)) now.add(row.new);
    if (lines.old === undefined && now.has(row.new)) old.add(row.old);
  }
  return { old, new: now };
}

function chosenParts(atom: Atom, chosen: Chosen): Piece[] | string {
  const { start, end, newText } = atom;
  const [goes, stays] = halves(atom.old, chosen.old);
  const [comes, waits] = halves(atom.new, chosen.new);
  if (stays + waits === 0) return [{ start, end, newText, isTaken: true }];
  if (goes + comes === 0) return [{ start, end, newText, isTaken: false }];
  if (atom.isTail) {
    const names = [named("old", atom.old), named("new", atom.new)].filter((name) => name !== "").join(" and ");
    return `all or none of ${names}: the text ends there without a newline, so these lines go together`;
  }
  return [
    { start, end, newText: "", isTaken: goes > 0 },
    { start: end, end, newText, isTaken: comes > 0 },
  ];
}

/** How many are among the chosen ones, and how many are not. */
function halves(lines: readonly number[], chosen: ReadonlySet<number>): [number, number] {
  const count = lines.filter((line) => chosen.has(line)).length;
  return [count, lines.length - count];
}

function named(side: string, lines: readonly number[]): string {
  return lines.length === 0 ? "" : `${side} ${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}`;
}

/** Every changed line by itself, lines that only go together, lines that only come together. */
function byKind(atoms: readonly Atom[]): Atom[][] {
  const kind = ({ oldText, newText, isTail }: Atom): string | undefined =>
    isTail || (oldText !== "" && newText !== "") ? undefined : oldText === "" ? "comes" : "goes";
  return grouped(atoms, (before, atom) => kind(before) !== undefined && kind(before) === kind(atom));
}

/** A blank line ends its paragraph. */
function byParagraph(atoms: readonly Atom[]): Atom[][] {
  const text = ({ oldText, newText }: Atom): string => (newText === "" ? oldText : newText).trim();
  return grouped(atoms, (before, atom) => text(before) !== "" || text(atom) === "");
}

function grouped(atoms: readonly Atom[], belongs: (before: Atom, atom: Atom) => boolean): Atom[][] {
  const groups: Atom[][] = [];
  for (const atom of atoms) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    if (last !== undefined && before !== undefined && belongs(before, atom)) last.push(atom);
    else groups.push([atom]);
  }
  return groups;
}

/** Neighbouring groups in one. */
function inGroupsOf(size: number, groups: readonly Atom[][]): Atom[][] {
  const count = Math.ceil(groups.length / size);
  return Array.from({ length: count }, (_, index) => groups.slice(index * size, (index + 1) * size).flat());
}
