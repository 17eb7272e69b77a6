/** What a command wrote: the part that a person can review as a proposal, and words for the rest. */
import { lstat } from "node:fs/promises";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import { loneCarriageReturnLine } from "../../proposals/texts/hunks.ts";
import type { Written } from "../../sandbox/sandbox.ts";
import type { CommandRun, WrittenPath } from "../../sandbox/command-run.ts";
import type { DocumentText } from "../../workspace/documents.ts";
import { realPathOf } from "../../workspace/real-path.ts";
import { isWithin } from "../../workspace/shown-path.ts";
import { decodeStrictly } from "../../workspace/utf8-text.ts";
import type { PathResolution } from "../../workspace/workspace-paths.ts";
import { MAX_FILES, MAX_TEXT } from "../edit/draft-files.ts";
import { plural } from "../answers/answer-text.ts";
import { inOneLine } from "../answers/quoted-text.ts";

export interface ChangePorts {
  readonly resolvePath: (path: string) => PathResolution;
  /** Contract: the open buffer's text before the disk's, undefined when neither exists; throws for what is no text. */
  readonly readDocument: (uri: string) => Promise<DocumentText | undefined>;
  /** Of these absolute paths, those that git ignores. */
  readonly ignored: (paths: readonly string[], signal: AbortSignal) => Promise<ReadonlySet<string>>;
  readonly show: (absolute: string) => string;
}

export interface ReviewableChanges {
  readonly documents: readonly ProposedDocument[];
  /** A line for each kind of thing that is dropped. */
  readonly dropped: readonly string[];
}

const SHOWN = 5;
const EXECUTABLE = 0o111;

/** Why a path is dropped: of one, and of several. */
type Reason = readonly [string, string];

const IGNORED: Reason = ["git ignores", "git ignores"];
const CLOSED: Reason = ["no edit may touch", "no edit may touch"];
const WHOLE: Reason = ["is never reviewed", "are never reviewed"];
const NO_FILE: Reason = ["is a link, folder or socket", "are links, folders or sockets"];
const NO_TEXT: Reason = ["is no text, or too long", "are no text, or too long"];
const WAS_NO_TEXT: Reason = ["was no text before", "were no text before"];
const MODE_ONLY: Reason = ["changed its mode only", "changed their mode only"];
const WITHOUT_MODE: Reason = ["is proposed without its new mode", "are proposed without their new mode"];
const CHANGED: Reason = [
  "changed in the project or the editor while the command ran",
  "changed in the project or the editor while the command ran",
];

export async function reviewableChanges(
  { written, begunAt }: Pick<CommandRun, "written" | "begunAt">,
  unsaved: ReadonlyMap<string, string>,
  ports: ChangePorts,
  signal: AbortSignal,
): Promise<ReviewableChanges> {
  // A folder comes and goes with what is in it.
  const files = written.filter(({ before, after, isWhole }) => isWhole || [before, after].some(isNoFolder));
  const ignored = await ports.ignored(
    files.map(({ absolute }) => absolute),
    signal,
  );
  const documents: ProposedDocument[] = [];
  const reasons = new Map<Reason, string[]>();
  const left: string[] = [];
  /** More than anybody reviews: the rest is counted, and not read. */
  let beyond = 0;
  for (const change of files) {
    signal.throwIfAborted();
    const { absolute } = change;
    // What stands in a folder that was a file, or stood in one that is a link, goes with that.
    if (left.some((path) => isWithin(absolute, path))) continue;
    if (documents.length > MAX_FILES && !ignored.has(absolute)) {
      beyond += 1;
      continue;
    }
    const made = ignored.has(absolute) ? IGNORED : await documentFrom(change, { unsaved, begunAt, ports });
    if (made === undefined) continue;
    if ("uri" in made) documents.push(made);
    const reason = "uri" in made ? modeLeft(change) : made;
    if (reason !== undefined) {
      const paths = reasons.get(reason);
      if (paths === undefined) reasons.set(reason, [ports.show(absolute)]);
      else paths.push(ports.show(absolute));
    }
    if (made === NO_FILE) left.push(absolute);
  }
  if (documents.length > MAX_FILES) {
    const why = `${documents.length + beyond} files changed, more than the ${MAX_FILES} that one review shows`;
    return { documents: [], dropped: [why, ...droppedLines(reasons)] };
  }
  return { documents, dropped: droppedLines(reasons) };
}

/** A program that can be run is proposed as a text that cannot. */
function modeLeft({ before, after }: WrittenPath): Reason | undefined {
  if (after?.kind !== "file") return undefined;
  const old = before?.kind === "file" ? before.mode : 0;
  return (after.mode & EXECUTABLE) === (old & EXECUTABLE) ? undefined : WITHOUT_MODE;
}

function isNoFolder(written: Written | undefined): boolean {
  return written !== undefined && written.kind !== "folder";
}

function droppedLines(reasons: ReadonlyMap<Reason, readonly string[]>): string[] {
  return [...reasons].map(([reason, paths]) => {
    const shown = paths.slice(0, SHOWN).map(inOneLine).join(", ");
    const more = paths.length > SHOWN ? ", …" : "";
    const [one, many] = reason;
    return `${plural(paths.length, "path")} that ${paths.length === 1 ? one : many}: ${shown}${more}`;
  });
}

interface From {
  readonly unsaved: ReadonlyMap<string, string>;
  readonly begunAt: number;
  readonly ports: ChangePorts;
}

/** A document to review, why there is none, or undefined where nothing is lost. */
async function documentFrom(change: WrittenPath, from: From): Promise<ProposedDocument | Reason | undefined> {
  const { before, after, absolute, isWhole } = change;
  if (isWhole) return WHOLE;
  const resolution = from.ports.resolvePath(absolute);
  if (!resolution.ok) return CLOSED;
  const { uri, relative, absolute: given } = resolution.path;
  if (realPathOf(given)?.path !== absolute) return CLOSED;
  const kinds = [before?.kind, after?.kind].filter((kind) => kind !== undefined);
  if (kinds.some((kind) => kind !== "file")) return NO_FILE;
  const target = after === undefined ? null : await textFrom(change);
  if (target === undefined) return NO_TEXT;
  const base = await baseOf(change, from, uri);
  if (base === "changed") return CHANGED;
  if (base === "none") return WAS_NO_TEXT;
  if (base !== null && base.text === target) return after?.kind === "file" ? MODE_ONLY : undefined;
  return { uri, path: relative, base, target };
}

async function textFrom({ after, read }: WrittenPath): Promise<string | undefined> {
  if (after?.kind !== "file" || after.size > MAX_TEXT) return undefined;
  const decoded = decodeStrictly(await read());
  const isText = decoded.ok && !decoded.text.includes("\0") && loneCarriageReturnLine(decoded.text) === undefined;
  return isText ? decoded.text : undefined;
}

/** The text that the command began with, as long as it still stands there. */
async function baseOf(
  { before, absolute }: WrittenPath,
  { unsaved, begunAt, ports }: From,
  uri: string,
): Promise<ProposedDocument["base"] | "changed" | "none"> {
  const now = await ports.readDocument(uri).catch(() => "none" as const);
  if (now === "none") return now;
  const laid = unsaved.get(absolute);
  if (laid !== undefined) return now?.text === laid ? now : "changed";
  if (before === undefined) return now === undefined ? null : "changed";
  if (now === undefined || (await changedSince(absolute, begunAt))) return "changed";
  return now;
}

async function changedSince(absolute: string, begunAt: number): Promise<boolean> {
  const stats = await lstat(absolute).catch(() => undefined);
  return stats === undefined || stats.ctimeMs >= begunAt;
}
