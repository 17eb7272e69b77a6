/** The report as Markdown, which a terminal shows just as well. */
import type { MachineFacts } from "./machine.ts";
import type { Goal, MeasureReport, Row, SkippedRow, Unit } from "./report.ts";

const HEAD = ["measure", "subject", "median", "p95", "n", "ratio", "goal"];
/** The figures stand right-aligned. */
const FIRST_FIGURE = 2;

export function renderReport(machine: MachineFacts, reports: readonly MeasureReport[]): string {
  const head = `Node ${machine.node}, ${machine.platform}, ${machine.cpus} CPUs (${machine.cpu}), ${machine.memoryGb} GB, load ${machine.loadAverage} at the start`;
  const notes = reports.flatMap((report) => report.notes.map((note) => `- ${note}`));
  const rows = reports.flatMap((report) => report.rows);
  return [head, "", ...renderRows(rows), ...(notes.length === 0 ? [] : ["", ...notes])].join("\n");
}

function renderRows(rows: readonly (Row | SkippedRow)[]): string[] {
  let above = "";
  const cells = rows.map((row) => {
    const measure = row.measure === above ? "" : row.measure;
    above = row.measure;
    return [measure, row.subject, ...("skipped" in row ? [`skipped: ${row.skipped}`, "", "", "", ""] : figures(row))];
  });
  // A skipped row's sentence may be longer than any figure and must not widen the column.
  const widths = HEAD.map((head, column) =>
    Math.max(3, head.length, ...cells.map((row) => (isSentence(row, column) ? 0 : (row[column] ?? "").length))),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column < FIRST_FIGURE ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column < FIRST_FIGURE ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(HEAD), rule, ...cells.map(line)];
}

function isSentence(row: readonly string[], column: number): boolean {
  return column === FIRST_FIGURE && (row[column] ?? "").startsWith("skipped: ");
}

function figures(row: Row): string[] {
  return [
    show(row.median, row.unit),
    show(row.p95, row.unit),
    String(row.samples),
    row.ratio === undefined ? "" : `${row.ratio.toFixed(2)} ×`,
    row.goal === undefined ? "" : goalText(row.goal),
  ];
}

function goalText({ text, met }: Goal): string {
  if (met === undefined) return `${text}: too few rounds`;
  return `${text}: ${met ? "met" : "MISSED"}`;
}

/** Three significant digits say all that a few repetitions can know. */
function show(value: number, unit: Unit): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}
