/** Tables of Markdown, with their columns under each other and no wider than the screen. */
import { widthOf, wrap } from "./screen.ts";

const BETWEEN = " │ ";
const NARROWEST = 6;
const EMPTY: Cell = { text: "", painted: "" };
/** A cell, a part of a cell or a row, as it is shown: without styles, and with them. */
export interface Cell {
  readonly text: string;
  readonly painted: string;
}

/** The lines of a table; rows that make no table come as they are. `shown` is asked about each cell. */
export function tableLines(rows: readonly string[], width: number, shown: (cell: string) => Cell): string[] {
  const [, rule = ""] = rows;
  if (!/^\|?[\s|:-]*-[\s|:-]*$/.test(rule)) return rows.map((row) => shown(row).painted);
  const isRight = cellsOf(rule).map((cell) => /^[^:].*:$/.test(cell));
  const cells = rows.filter((_row, index) => index !== 1).map((row) => cellsOf(row).map(shown));
  // What is stressed may not reach from one line of a cell into the next cell.
  const linesOf = (cell: Cell, wide: number): Cell[] =>
    widthOf(cell.text) <= wide ? [cell] : wrap(cell.text, wide).map((text) => ({ text, painted: text }));
  const widths = columnWidths(
    cells.map((row) => row.map(({ text }) => widthOf(text))),
    width,
  );
  const line = (row: readonly Cell[]): string[] => {
    const wrapped = widths.map((wide, column) => linesOf(row[column] ?? EMPTY, wide));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, index) =>
      widths
        .map((wide, column) => {
          const { text, painted } = wrapped[column]?.[index] ?? EMPTY;
          const gap = " ".repeat(Math.max(0, wide - widthOf(text)));
          return isRight[column] === true ? gap + painted : painted + gap;
        })
        .join(BETWEEN)
        .trimEnd(),
    );
  };
  const [head = [], ...body] = cells;
  return [...line(head), widths.map((wide) => "─".repeat(wide)).join("─┼─"), ...body.flatMap(line)];
}

function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** As wide as the widest cell; where that is more than there is, the widest columns give way. */
function columnWidths(rows: readonly (readonly number[])[], width: number): number[] {
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) => Math.max(1, ...rows.map((row) => row[column] ?? 0)));
  const room = width - BETWEEN.length * (count - 1);
  for (;;) {
    const widest = Math.max(...widths);
    if (widths.reduce((sum, each) => sum + each, 0) <= room || widest <= NARROWEST) return widths;
    widths[widths.indexOf(widest)] = widest - 1;
  }
}
