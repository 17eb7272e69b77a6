/** What a command wrote: the part that a person can review as a proposal, and words for the rest. */
import { entryDocument } from "../../proposals/entries/entry.ts";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import { loneCarriageReturnLine } from "../../proposals/texts/hunks.ts";
import type { Written } from "../../sandbox/sandbox.ts";
import type { CommandRun, WrittenPath } from "../../sandbox/runs/command-run.ts";
import type { DocumentText } from "../../workspace/documents.ts";
import { isWithin } from "../../workspace/within.ts";
import { decodeStrictly } from "../../workspace/utf8-text.ts";
import type { PathResolution, PlaceInside } from "../../workspace/workspace-paths.ts";
import { MAX_FILES, MAX_TEXT } from "../edit/draft-files.ts";
import { entryFrom, isChanged, isOrdinary, modeChange, type EntryFrom } from "./command-entries.ts";
import { CHANGED, CLOSED, DroppedPaths, IGNORED, WHOLE, type Reason } from "./dropped.ts";

export interface ChangePorts {
  readonly resolvePath: (path: string) => PathResolution;
  /** By an absolute path: the place of whatever is there, or why nothing may be put there. */
  readonly placeOf: (absolute: string) => PlaceInside | string;
  /** Contract: the open buffer's text before the disk's, undefined when neither exists; throws for what is no text. */
  readonly readDocument: (uri: string) => Promise<DocumentText | undefined>;
  /** Those of the absolute paths that git ignores. */
  readonly ignored: (paths: readonly string[], signal: AbortSignal) => Promise<ReadonlySet<string>>;
  readonly show: (absolute: string) => string;
}

export interface ReviewableChanges {
  readonly documents: readonly ProposedDocument[];
  /** A line for each kind of thing that is dropped. */
  readonly dropped: readonly string[];
  /** What nobody reviews, by absolute paths: installed or ignored, a folder where all of it is. */
  readonly output: ReadonlyMap<string, Reason>;
}

/** Bytes that are no text, of all files of a review. */
const ROOM = 24 * 2 ** 20;

export async function reviewableChanges(
  { written, begunAt }: Pick<CommandRun, "written" | "begunAt">,
  unsaved: ReadonlyMap<string, string>,
  ports: ChangePorts,
  signal: AbortSignal,
): Promise<ReviewableChanges> {
  // A folder comes and goes with what is in it.
  const files = written.filter(({ before, after, isWhole }) => isWhole || [before, after].some(isNoFolder));
  const turned = new Set(files.filter(isTurned).map(({ absolute }) => absolute));
  const from: From = { unsaved, begunAt, placeOf: ports.placeOf, turned, room: ROOM, ports };
  const ignored = await ignoredOf(files, from, signal);
  const documents: ProposedDocument[] = [];
  const dropped = new DroppedPaths();
  const output = new Map<string, Reason>();
  const left: string[] = [];
  /** More than anybody reviews: the rest is counted, and not read. */
  let beyond = 0;
  for (const change of files) {
    signal.throwIfAborted();
    const { absolute } = change;
    // A folder that became a file or a link, or the other way round, is left out with everything in it.
    if (left.some((path) => path !== absolute && isWithin(absolute, path))) continue;
    const whole = change.isWhole ? absolute : ignored(absolute);
    if (whole !== undefined) {
      output.set(whole, change.isWhole ? WHOLE : IGNORED);
      continue;
    }
    if (documents.length > MAX_FILES) {
      beyond += 1;
      continue;
    }
    const made = await documentFrom(change, from);
    if (made === undefined) continue;
    if ("uri" in made) documents.push(made);
    else {
      dropped.add(made, ports.show(absolute));
      if (turned.has(absolute)) left.push(absolute);
    }
  }
  if (documents.length > MAX_FILES) {
    const why = `${documents.length + beyond} files changed, more than the ${MAX_FILES} that one review shows`;
    return { documents: [], dropped: [why, ...dropped.lines()], output };
  }
  return { documents, dropped: dropped.lines(), output };
}

function isNoFolder(written: Written | undefined): boolean {
  return written !== undefined && written.kind !== "folder";
}

function isTurned({ before, after }: WrittenPath): boolean {
  return before !== undefined && after !== undefined && before.kind !== after.kind;
}

interface From extends EntryFrom {
  readonly ports: ChangePorts;
}

/**
 * The ignored path itself, or the outermost ignored folder that holds it. Git says nothing of paths behind a link, so
 * it is asked about a path that became a link, and not about paths below that.
 */
async function ignoredOf(
  files: readonly WrittenPath[],
  from: From,
  signal: AbortSignal,
): Promise<(absolute: string) => string | undefined> {
  const topOf = (absolute: string): string => turnedAbove(absolute, from) ?? absolute;
  const above = (absolute: string): string[] => {
    const names = absolute.split("/");
    return names.slice(0, -1).map((_, index) => `${names.slice(0, index + 1).join("/")}/`);
  };
  const tops = new Set(files.map(({ absolute }) => topOf(absolute)));
  const asked = new Set([...tops].flatMap((path) => [...above(path).filter((folder) => folder !== "/"), path]));
  const ignored = await from.ports.ignored([...asked], signal);
  return (absolute) => {
    const top = topOf(absolute);
    return [...above(top), top].find((path) => ignored.has(path))?.replace(/\/$/, "");
  };
}

function turnedAbove(absolute: string, { turned }: From): string | undefined {
  return turned.size === 0 ? undefined : [...turned].find((path) => path !== absolute && isWithin(absolute, path));
}

/** A document to review, why there is none, or undefined where nothing is lost. */
async function documentFrom(change: WrittenPath, from: From): Promise<ProposedDocument | Reason | undefined> {
  const { after, absolute } = change;
  const isBelowTurned = turnedAbove(absolute, from) !== undefined;
  if (isBelowTurned || !isFileOnly(change)) return entryFrom(change, from, isBelowTurned);
  const [resolution, place] = [from.ports.resolvePath(absolute), from.placeOf(absolute)];
  if (!resolution.ok || typeof place === "string" || resolution.path.uri !== place.path.uri) return CLOSED;
  const { uri, relative } = place.path;
  const target = after === undefined ? null : await textFrom(change);
  if (target === undefined) return entryFrom(change, from, false);
  const base = await baseOf(change, from, uri);
  if (base === "changed") return CHANGED;
  if (base === "none") return entryFrom(change, from, false);
  const entry = modeChange(change);
  if (base === null || base.text !== target) {
    return { uri, path: relative, base, target, ...(entry === undefined ? {} : { entry }) };
  }
  return entry === undefined ? undefined : entryDocument({ uri, path: relative }, entry);
}

/** Whether an editor can make the change. */
function isFileOnly({ before, after }: WrittenPath): boolean {
  if (before === undefined && after?.kind === "file") return isOrdinary(after);
  return [before, after].every((each) => each === undefined || each.kind === "file");
}

async function textFrom({ after, read }: WrittenPath): Promise<string | undefined> {
  if (after?.kind !== "file" || after.size > MAX_TEXT) return undefined;
  const decoded = decodeStrictly(await read());
  const isText = decoded.ok && !decoded.text.includes("\0") && loneCarriageReturnLine(decoded.text) === undefined;
  return isText ? decoded.text : undefined;
}

/** The text that the command began with, as long as it is still there. */
async function baseOf(
  change: WrittenPath,
  { unsaved, begunAt, ports }: From,
  uri: string,
): Promise<ProposedDocument["base"] | "changed" | "none"> {
  const now = await ports.readDocument(uri).catch(() => "none" as const);
  // Editors count the lines of such a text in another way.
  if (now === "none" || (now !== undefined && loneCarriageReturnLine(now.text) !== undefined)) return "none";
  const laid = unsaved.get(change.absolute);
  if (laid !== undefined) return now?.text === laid ? now : "changed";
  if (change.before === undefined) return now === undefined ? null : "changed";
  return now === undefined || (await isChanged(change, begunAt)) ? "changed" : now;
}
