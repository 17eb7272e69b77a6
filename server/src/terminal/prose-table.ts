/** Tables of Markdown, with their columns under each other and no wider than the screen. */
import { widthOf, wrap } from "./screen.ts";

const BETWEEN = " │ ";
const NARROWEST = 6;
/** What no cell has: every mark is shown. */
export const NO_MARKS = /(?!)/g;
/** The marks of code and stress. */
const MARKS = /`|\*\*/g;

/**
 * The lines of a table, marks of code and stress still in them; rows that make no table come as they are.
 *
 * @param marks what is in the cells and not shown
 */
export function tableLines(rows: readonly string[], width: number, marks: RegExp = MARKS): string[] {
  const [, rule = ""] = rows;
  if (!/^\|?[\s|:-]*-[\s|:-]*$/.test(rule)) return [...rows];
  const isRight = cellsOf(rule).map((cell) => /^[^:].*:$/.test(cell));
  const cells = rows.filter((_row, index) => index !== 1).map(cellsOf);
  const shownWidth = (cell: string): number => widthOf(cell.replaceAll(marks, ""));
  // What is stressed may not reach from one line of a cell into the next cell.
  const linesOf = (cell: string, wide: number): string[] =>
    shownWidth(cell) <= wide ? [cell] : wrap(cell.replaceAll(MARKS, ""), wide);
  const widths = columnWidths(
    cells.map((row) => row.map(shownWidth)),
    width,
  );
  const line = (row: readonly string[]): string[] => {
    const wrapped = widths.map((wide, column) => linesOf(row[column] ?? "", wide));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, index) =>
      widths
        .map((wide, column) => {
          const text = wrapped[column]?.[index] ?? "";
          const gap = " ".repeat(Math.max(0, wide - shownWidth(text)));
          return isRight[column] === true ? gap + text : text + gap;
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
