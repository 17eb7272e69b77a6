/** A folder's listing as a model reads it: a line for each folder, and the files of a folder on few lines. */
import { lstat, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute } from "node:path";
import { realPathOf } from "../../workspace/real-path.ts";
import { isSecretName } from "../../workspace/secret-names.ts";
import { listAnswer, pageOf } from "../answers/answer-text.ts";
import type { ToolAnswer } from "../tool.ts";
import type { FolderListing, ListedFile, ListingPorts, ListingRow } from "./folder-listing.ts";
import type { FileCount } from "./kept-files.ts";
import { shownName } from "./shown-name.ts";

/** A smaller file is read in one piece, so that its size says nothing. */
const TELLING_SIZE = 24_000;
const NAMED_IGNORED = 8;

/** `path` is relative to the workspace folder; empty for that folder. */
export async function listingAnswer(
  ports: Pick<ListingPorts, "show">,
  path: string,
  listing: FolderListing,
  cursor: string | undefined,
): Promise<ToolAnswer> {
  const { rows, more } = listing;
  // Pages are measured before sizes and links are looked at: only those of the page are.
  const page = pageOf(
    rows.map((row) => lineOf(row, (file) => shownName(file.name), listing.isCounted)),
    { cursor },
  );
  const shown = rows.slice(page.first, page.first + page.lines.length);
  const marks = await marksOf(ports, shown);
  const lines = shown.map((row) => lineOf(row, (file) => marks.get(file.absolute) ?? "", listing.isCounted));
  const [first] = shown;
  const where = first !== undefined && first.level > 0 && page.first > 0 ? [`(goes on in ${folderOf(first)})`] : [];
  const rest =
    more > 0 && page.nextCursor === undefined
      ? [`… and ${number(more)} more entries, which are not listed: search for them by name.`]
      : [];
  const answer = listAnswer([headOf(path, listing), ...where, ...lines, ...rest], page, rows.length, "lines");
  return more > 0 ? { ...answer, truncated: true } : answer;
}

function headOf(path: string, { count, isCounted, by, ignored }: FolderListing): string {
  const name = path === "" ? "./" : `${shownName(path)}/`;
  const left = ignored.map(shownName);
  const over = left.length - NAMED_IGNORED;
  const named = over > 0 ? `${left.slice(0, NAMED_IGNORED).join(", ")} and ${over} more` : left.join(", ");
  const why = by === "ignored" ? ", ignored by git" : "";
  const without = left.length === 0 ? "" : `; ${by === "git" ? "ignored by git" : "not listed"}: ${named}`;
  return `${name} ${countText(count, isCounted)}${why}${without}`;
}

/** `1,549 files (1,321 TS/JS)`; only the number where all of them are such code. */
export function countText({ files, code }: FileCount, isCounted = true): string {
  if (files === 0) return "empty";
  const all = `${isCounted ? "" : "at least "}${number(files)} ${files === 1 ? "file" : "files"}`;
  if (code === files) return all;
  return `${all} (${code === 0 ? "no" : number(code)} TS/JS)`;
}

function lineOf(row: ListingRow, label: (file: ListedFile) => string, isCounted: boolean): string {
  // A line at the margin is the server's own, and whoever makes a file chooses the file's name.
  const indent = "  ".repeat(row.level + 1);
  if (row.kind === "files") return indent + row.files.map(label).join(", ");
  const inside = row.closed ?? countText(row.count, isCounted) + (row.ignored === 0 ? "" : `, ${row.ignored} ignored`);
  return `${indent}${shownName(row.name)}/ ${row.closed === undefined ? inside : `(${inside})`}`;
}

function folderOf(row: ListingRow): string {
  const path = row.kind === "files" ? row.path : row.path.split("/").slice(0, -1).join("/");
  return `${shownName(path)}/`;
}

/** The labels of the files that there is more to say of than their names, by absolute path. */
async function marksOf(
  ports: Pick<ListingPorts, "show">,
  rows: readonly ListingRow[],
): Promise<ReadonlyMap<string, string>> {
  const files = rows.flatMap((row) => (row.kind === "files" ? row.files : []));
  const marked = await Promise.all(files.map(async (file) => [file.absolute, await labelOf(ports, file)] as const));
  return new Map(marked);
}

async function labelOf({ show }: Pick<ListingPorts, "show">, { name, kind, absolute }: ListedFile): Promise<string> {
  const label = shownName(name);
  if (kind === "link") return `${label} → ${await leadsTo(show, absolute)}`;
  if (isSecretName(name, { above: basename(dirname(absolute)) })) return `${label} (secret: never read)`;
  if (kind === "unsaved") return `${label} (only in a buffer, not saved)`;
  if (kind === "special") return `${label} (no regular file)`;
  const size = await lstat(absolute).then(
    (stats) => stats.size,
    () => 0,
  );
  return size < TELLING_SIZE ? label : `${label} (${sizeText(size)})`;
}

/** Where a link leads, as far as that is inside of the workspace. */
export async function leadsTo(show: (absolute: string) => string, link: string): Promise<string> {
  const real = realPathOf(link);
  if (real === undefined) return "(leads in a circle)";
  const target = show(real.path);
  if (isAbsolute(target)) return "(outside of the workspace)";
  if (!real.exists) return `${shownName(target)} (does not exist)`;
  const isFolder = await stat(real.path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return shownName(target || ".") + (isFolder ? "/" : "");
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const [unit, size] = bytes < 1_000_000 ? ["kB", bytes / 1_000] : ["MB", bytes / 1_000_000];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}
