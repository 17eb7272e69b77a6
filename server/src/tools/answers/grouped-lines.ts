/** Lines under headings: what a page shows of a list in groups, and text that is kept short. */
import { headOf } from "../../base/cut-text.ts";
import type { Page } from "./answer-text.ts";

export interface GroupedEntry {
  readonly group: string;
  readonly text: string;
}

/** Each heading but an empty one comes before the first of its entries, on every page anew. */
export function groupedLines(entries: readonly GroupedEntry[], page: Page): string[] {
  const lines: string[] = [];
  let heading: string | undefined;
  for (const { group, text } of entries.slice(page.first, page.first + page.lines.length)) {
    if (group !== heading) lines.push("", ...(group === "" ? [] : [group]));
    heading = group;
    lines.push(text);
  }
  return lines;
}

export function cut(text: string, length: number): string {
  return text.length > length ? `${headOf(text, length - 1)}…` : text;
}
