/** Keeps the table in docs/benchmarks.md: what stands between the two markers is replaced, the rest is written by hand. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { repository } from "./install.ts";

const BEGIN = "<!-- bench:begin -->";
const END = "<!-- bench:end -->";

export function writeDocs(table: string, options: readonly string[]): void {
  const file = path.join(repository, "docs/benchmarks.md");
  const text = readFileSync(file, "utf8");
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/benchmarks.md has no place between ${BEGIN} and ${END}`);
  const date = new Date().toISOString().slice(0, 10);
  const command = ["npm run bench --", ...options].join(" ");
  const body = `\n\`${command}\`, ${date}: ${table}\n\n`;
  writeFileSync(file, `${text.slice(0, begin + BEGIN.length)}\n${body}${text.slice(end)}`);
}
