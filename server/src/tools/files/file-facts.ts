/** What is worth knowing about a file besides its text: only what is not as one would expect gets words. */
import { constants } from "node:fs";
import { access, lstat, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { DocumentText } from "../../workspace/documents.ts";
import { askGitForNames } from "../../process/git-names.ts";
import { FileError, readRegularBytes } from "../../workspace/regular-file.ts";
import { decodeStrictly, withoutByteOrderMark } from "../../workspace/utf8-text.ts";
import { sizeText } from "./listing-text.ts";
import { plural } from "../../base/plural.ts";

const GIT_LIMIT_MS = 5_000;

export interface FileFacts {
  /** `120 lines, 3.4 kB, changed 2026-01-31 10:20 UTC`; undefined where nothing is on the disk. */
  readonly size: string | undefined;
  /** The encoding, line ends and rights that are out of the ordinary. */
  readonly unusual: readonly string[];
  readonly diskText: string | undefined;
}

/** `shown` is the file's name for a message. Rejects with a `FileError` for what is no file. */
export async function factsOnDisk(file: string, shown: string): Promise<FileFacts> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined) return { size: undefined, unusual: [], diskText: undefined };
  const when = `changed ${stats.mtime.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const rights = await unusualRights(file, stats.mode);
  const read = await readRegularBytes(file, { shown }).catch((error: unknown) => {
    if (error instanceof FileError && error.trouble === "large") return undefined;
    throw error;
  });
  if (read === undefined) return { size: `${sizeText(stats.size)}, ${when}`, unusual: rights, diskText: undefined };
  const text = decodeStrictly(read);
  const size = `${sizeText(stats.size)}, ${when}`;
  if (!text.ok) return { size, unusual: [text.finding.replace(/^is /, ""), ...rights], diskText: undefined };
  const isMarked = withoutByteOrderMark(read.toString("utf8")).length < read.toString("utf8").length;
  const unusual = [...(isMarked ? ["a byte order mark"] : []), ...unusualLineEnds(text.text), ...rights];
  return { size: `${lineCount(text.text)}, ${size}`, unusual, diskText: text.text };
}

export function lineCount(text: string): string {
  const lines = text.split(/\r?\n/);
  const count = lines.length - (lines.at(-1) === "" ? 1 : 0);
  return plural(count, "line");
}

/** `open in the editor, version 3, with unsaved changes` */
export function openState(open: DocumentText | undefined, diskText: string | undefined): string[] {
  if (open === undefined) return [];
  const changes = open.text === diskText ? "saved" : `unsaved changes, ${lineCount(open.text)}`;
  return [`open in the editor: version ${open.version ?? 0}, ${diskText === undefined ? "never saved" : changes}`];
}

/** Undefined where there is no repository. */
export async function gitState(file: string, signal: AbortSignal): Promise<string | undefined> {
  const name = `:(literal)${basename(file)}`;
  const args = ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard", "--", name];
  let tag: string | undefined;
  const isAnswered = await askGitForNames({ folder: dirname(file), args, limitMs: GIT_LIMIT_MS, signal }, (line) => {
    tag ??= line.slice(0, 1);
  });
  if (!isAnswered) return undefined;
  if (tag === undefined) return "ignored by git";
  return tag === "?" ? "not tracked by git" : "tracked by git";
}

/** Whether the name is a link, which the path of an answer does not show. */
export function isLink(named: string): Promise<boolean> {
  return lstat(named).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

function unusualLineEnds(text: string): string[] {
  const crlf = text.split("\r\n").length - 1;
  const lf = text.split("\n").length - 1 - crlf;
  if (crlf === 0) return [];
  return [lf === 0 ? "CRLF line ends" : `mixed line ends (${crlf} CRLF, ${lf} LF)`];
}

async function unusualRights(file: string, mode: number): Promise<string[]> {
  const isWritable = await access(file, constants.W_OK).then(
    () => true,
    () => false,
  );
  const isExecutable = process.platform !== "win32" && (mode & 0o111) !== 0;
  return [...(isExecutable ? ["executable"] : []), ...(isWritable ? [] : ["read-only"])];
}
