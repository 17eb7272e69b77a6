/**
 * What is at a path as a whole: bytes, a mode, a symbolic link, a folder as it is. No edit of a text says any of
 * that, so the server itself puts an entry in its place once the person has accepted it. Pure.
 */
import { createHash } from "node:crypto";
import { decodeStrictly } from "../../workspace/utf8-text.ts";
import { showHiddenInPath } from "../../workspace/hidden-characters.ts";

export type Entry = FileEntry | LinkEntry | FolderEntry;

export interface FileEntry {
  readonly kind: "file";
  /** The nine bits of rights. */
  readonly mode: number;
  /** Absent where the mode alone changes. */
  readonly content?: Content;
}

export interface Content {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly base64: string;
}

export interface LinkEntry {
  readonly kind: "link";
  readonly target: string;
}

/** A folder, or a file, that nobody reviews. */
export interface FolderEntry {
  readonly kind: "folder";
  readonly files: number;
  readonly bytes: number;
  /**
   * Puts the folder in its place, and answers why not. Contract: changes nothing where it answers, and never rejects.
   * Absent where another server made the proposal.
   */
  readonly moveIn?: (signal: AbortSignal) => Promise<string | undefined>;
}

/** Null for nothing. */
export interface EntryChange {
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** What was found at a path; undefined for nothing. */
export type EntryNow =
  | { readonly kind: "file"; readonly mode: number; readonly sha256: string }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "folder" | "other" }
  | undefined;

/** Shaped like every document of a proposal: its texts are empty. */
export interface EntryDocument {
  readonly uri: string;
  readonly path: string;
  readonly base: { readonly text: string; readonly version: null; readonly sha256: string };
  readonly target: string;
  readonly bytes: number;
  readonly entry: EntryChange;
}

const EXECUTABLE = 0o111;
const OTHERS_WRITE = 0o002;

export function contentOf(bytes: Buffer): Content {
  return {
    sha256: createHash("sha256").update(bytes).digest("hex"),
    size: bytes.length,
    base64: bytes.toString("base64"),
  };
}

/** A document of a proposal of which only the entry changes. */
export function entryDocument(
  place: { readonly uri: string; readonly path: string },
  entry: EntryChange,
): EntryDocument {
  const base = { text: "", version: null, sha256: contentOf(Buffer.of()).sha256 };
  const bytes = sizeOf(entry.after) ?? sizeOf(entry.before) ?? 0;
  return { ...place, base, target: "", bytes, entry };
}

/** Whether the entry is at its place. A folder that was to come to a free place may turn out to be empty. */
export function standsThere(entry: Entry | null, now: EntryNow): boolean {
  if (entry === null) return now === undefined || now.kind === "folder";
  // A folder that moves in looks for itself; a single file may move in like one.
  if (entry.kind === "folder") return now !== undefined && now.kind !== "other";
  if (entry.kind === "link") return now?.kind === "link" && now.target === entry.target;
  return (
    now?.kind === "file" &&
    now.mode === entry.mode &&
    (entry.content === undefined || now.sha256 === entry.content.sha256)
  );
}

/** What becomes of the path, in words for people and models. */
export function describeEntry(path: string, { before, after }: EntryChange): string {
  if (after === null) return `delete ${path}${before === null ? "" : ` (${nature(before)})`}`;
  if (after.kind === "file" && after.content === undefined) return describeMode(path, before, after.mode);
  if (before === null) return `${after.kind === "folder" ? "add" : "create"} ${path} (${nature(after)})`;
  if (after.kind === "folder") return `change ${path} (${nature(after)})`;
  return `replace ${path} (${nature(before)}) by ${nature(after)}`;
}

/** The text of an entry, where a person can read it. */
export function shownText(entry: Entry | null): string {
  if (entry?.kind !== "file" || entry.content === undefined) return "";
  return textIn(entry.content) ?? "";
}

function describeMode(path: string, before: Entry | null, mode: number): string {
  const old = before?.kind === "file" ? before.mode : 0;
  const changed = old ^ mode;
  if ((changed & ~EXECUTABLE) !== 0 || ((old & EXECUTABLE) !== 0) === ((mode & EXECUTABLE) !== 0)) {
    return `mode of ${path}: ${old.toString(8)} → ${mode.toString(8)}`;
  }
  return `${path} becomes ${(mode & EXECUTABLE) === 0 ? "not executable" : "executable"}`;
}

function nature(entry: Entry): string {
  if (entry.kind === "link") return `link to ${showHiddenInPath(entry.target)}`;
  if (entry.kind === "folder")
    return `${count(entry.files, "file")}, ${sizeInWords(entry.bytes)}, as ${entry.files === 1 ? "it is" : "they are"}`;
  if (entry.content === undefined) return `mode ${entry.mode.toString(8)}`;
  const kind = textIn(entry.content) === undefined ? "binary" : "text";
  const mode = (entry.mode & EXECUTABLE) === 0 ? "" : ", executable";
  const others = (entry.mode & OTHERS_WRITE) === 0 ? "" : ", writable by everybody";
  return `${kind}, ${count(entry.content.size, "byte")}${mode}${others}`;
}

function count(number: number, word: string): string {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}

function sizeInWords(bytes: number): string {
  return bytes < 2 ** 20 ? count(bytes, "byte") : `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

function textIn({ base64 }: Content): string | undefined {
  const decoded = decodeStrictly(Buffer.from(base64, "base64"));
  return decoded.ok && !decoded.text.includes("\0") ? decoded.text : undefined;
}

function sizeOf(entry: Entry | null): number | undefined {
  if (entry?.kind === "file") return entry.content?.size;
  return entry?.kind === "folder" ? entry.bytes : undefined;
}
