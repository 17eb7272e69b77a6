/** A screen as an SVG picture, and the text of such a picture. */
import type { Look, Run } from "../nvim/screen.ts";

/** Of one cell, in pixels. */
const WIDTH = 8;
const HEIGHT = 17;
const BASELINE = 13;

const MARGIN = 8;

/** A monospaced font of the reader's; each text is stretched to its columns, so that all fonts give the same picture. */
const FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

export function svgOf({
  rows,
  defaults,
}: {
  readonly rows: readonly (readonly Run[])[];
  readonly defaults: Look;
}): string {
  const columns = Math.max(...rows.map((row) => row.reduce((sum, run) => sum + run.columns, 0)));
  const width = columns * WIDTH + 2 * MARGIN;
  const height = rows.length * HEIGHT + 2 * MARGIN;
  const ground = colour(defaults.background);
  const parts = rows.flatMap((row, index) => row.flatMap((run) => drawn(run, MARGIN + index * HEIGHT, defaults)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" rx="6" fill="${ground}"/>`,
    `<g font-family="${FONT}" font-size="13.3" xml:space="preserve">`,
    ...parts,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** The text of a picture, row by row, without trailing blanks; rows without a text at the end are left out. */
export function textOf(svg: string): string {
  const rows: string[] = [];
  for (const [, x, y, text] of svg.matchAll(/<text x="(\d+)" y="(\d+)"[^>]*>(.*?)<\/text>/gs)) {
    const row = (Number(y) - MARGIN - BASELINE) / HEIGHT;
    rows[row] = (rows[row] ?? "").padEnd((Number(x) - MARGIN) / WIDTH) + unescape(text ?? "");
  }
  return Array.from(rows, (row) => row ?? "").join("\n");
}

/** The background of a run where it is not that of the picture, and its text where there is one. */
function drawn(run: Run, top: number, defaults: Look): string[] {
  const { look } = run;
  const [front, back] = [look.foreground ?? defaults.foreground, look.background ?? defaults.background];
  const [fill, ground] = look.reverse === true ? [back, front] : [front, back];
  const left = MARGIN + run.column * WIDTH;
  const box = `<rect x="${left}" y="${top}" width="${run.columns * WIDTH}" height="${HEIGHT}" fill="${colour(ground)}"/>`;
  const text = run.text.trim();
  const before = run.text.length - run.text.trimStart().length;
  const after = run.text.length - run.text.trimEnd().length;
  const style = [
    `fill="${colour(fill)}"`,
    ...(look.bold === true ? ['font-weight="bold"'] : []),
    ...(look.italic === true ? ['font-style="italic"'] : []),
    ...(look.underline === true ? ['text-decoration="underline"'] : []),
  ].join(" ");
  const place = `x="${left + before * WIDTH}" y="${top + BASELINE}" textLength="${(run.columns - before - after) * WIDTH}"`;
  return [
    ...(ground === defaults.background ? [] : [box]),
    ...(text === "" ? [] : [`<text ${place} ${style}>${escape(text)}</text>`]),
  ];
}

function colour(value = 0): string {
  return `#${value.toString(16).padStart(6, "0")}`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}
