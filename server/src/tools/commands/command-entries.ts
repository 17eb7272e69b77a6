/** What a command left that no text says: bytes, modes and symbolic links, each as one item of a review. */
import { lstat } from "node:fs/promises";
import { contentOf, entryDocument, type Entry, type FileEntry } from "../../proposals/entries/entry.ts";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import type { Written } from "../../sandbox/sandbox.ts";
import type { WrittenPath } from "../../sandbox/runs/command-run.ts";
import { whyNotLinked } from "../../workspace/link-target.ts";
import { readRegularBytes } from "../../workspace/regular-file.ts";
import type { PlaceInside } from "../../workspace/workspace-paths.ts";
import { CHANGED, CLOSED, LARGE, LINKED_OUT, NO_FILE, NO_UTF8, UNSAVED, type Reason } from "./dropped.ts";

export interface EntryFrom {
  /** When the command began, in milliseconds since 1970. */
  readonly begunAt: number;
  readonly unsaved: ReadonlyMap<string, string>;
  readonly placeOf: (absolute: string) => PlaceInside | string;
  /** So many bytes one review still takes. */
  room: number;
  /**
   * Paths that became a folder, a file or a link and were another of these: whatever is below them is or was in
   * another place.
   */
  readonly turned: ReadonlySet<string>;
}

/** Bytes of one file, before and after, that a review takes: all of it is kept until the proposal goes. */
const LARGEST = 4 * 2 ** 20;

/** An item of a review, why there is none, or undefined where nothing is lost. */
export async function entryFrom(
  change: WrittenPath,
  from: EntryFrom,
  isBelowTurned: boolean,
): Promise<ProposedDocument | Reason | undefined> {
  const { absolute, before, after } = change;
  const place = from.placeOf(absolute);
  if (typeof place === "string" || isSecondName(place, absolute)) return CLOSED;
  if (before?.kind === "other" || after?.kind === "other") return change.path.includes("\uFFFD") ? NO_UTF8 : NO_FILE;
  if (from.unsaved.has(absolute)) return UNSAVED;
  if (!isBelowTurned && (await isChanged(change, from.begunAt))) return CHANGED;
  const sizes = [before, after].map((each) => (each?.kind === "file" ? each.size : 0));
  const size = sizes.reduce((sum, each) => sum + each, 0);
  if (sizes.some((each) => each > LARGEST) || size > from.room) return LARGE;
  from.room -= size;
  const [old, made] = [await entryOf(before, () => readRegularBytes(absolute)), await entryOf(after, change.read)];
  if (old === null && made === null) return undefined;
  if (made?.kind === "link" && whyNotLinked(place.root, place.names, made.target) !== undefined) return LINKED_OUT;
  const { uri, relative: path } = place.path;
  return entryDocument({ uri, path }, { before: old, after: made });
}

/** The mode alone, beside a text or by itself; undefined where it stays. */
export function modeChange({ before, after }: WrittenPath): ProposedDocument["entry"] {
  if (before?.kind !== "file" || after?.kind !== "file" || before.mode === after.mode) return undefined;
  const entry = (mode: number): FileEntry => ({ kind: "file", mode });
  return { before: entry(before.mode), after: entry(after.mode) };
}

/** Whether an editor that makes the file would give it these rights by itself. */
export function isOrdinary({ mode }: Extract<Written, { kind: "file" }>): boolean {
  return mode === (0o666 & ~process.umask());
}

export async function isChanged({ absolute, before }: WrittenPath, begunAt: number): Promise<boolean> {
  const stats = await lstat(absolute).catch(() => undefined);
  if (before === undefined || stats === undefined) return (before === undefined) !== (stats === undefined);
  // What is done to the files of a folder changes the folder, and is found at those.
  return !stats.isDirectory() && stats.ctimeMs >= begunAt;
}

/** A folder comes and goes with what is in it. */
async function entryOf(written: Written | undefined, read: () => Promise<Buffer>): Promise<Entry | null> {
  if (written?.kind === "link") return { kind: "link", target: written.target };
  if (written?.kind !== "file") return null;
  return { kind: "file", mode: written.mode, content: contentOf(await read()) };
}

function isSecondName({ root, names }: PlaceInside, absolute: string): boolean {
  return [root, ...names].join("/") !== absolute;
}
