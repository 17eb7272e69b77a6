/** What can still be made of a proposal after its review: its undoing, another try of what was rejected, a patch. Pure. */
import type { FilesNow } from "../apply/compose-decision.ts";
import { entryDocument, standsThere, type EntryChange } from "../entries/entry.ts";
import { known, textOf } from "../hunk-state.ts";
import type { PatchedFile } from "./git-patch.ts";
import { applyChanges, changesBetween, mapThrough, type TextChange } from "../texts/hunks.ts";
import type { ProposedDocument, TrackedDocument, TrackedHunk } from "../proposal.ts";
import { movedPlaces } from "../texts/standing.ts";

/** The documents of a new proposal, and the hunks that could not come along, with a sentence each. */
export interface LaterProposal {
  readonly documents: readonly ProposedDocument[];
  /** The hunks that come along: of another try the ones that its own hunks are, in their order. */
  readonly hunkIds: readonly string[];
  readonly left: readonly { readonly id: string; readonly why: string }[];
}

/** What one document becomes. A hunk that cannot come along is handed to `leave`. */
type Make = (document: TrackedDocument, hunks: readonly TrackedHunk[], leave: Leave) => ProposedDocument | undefined;
interface Making {
  readonly make: Make;
  readonly turn: (entry: EntryChange) => EntryChange;
  readonly look: FilesNow;
}
type Leave = (hunks: readonly TrackedHunk[], why: string) => void;

const UNREADABLE = "the file cannot be read.";
const CHANGED = "the text at that place changed since.";
const THERE = "its text stands there already.";

/** Takes back the hunks, which are in the documents. What anybody wrote since stays. */
export function undoing(hunks: readonly TrackedHunk[], look: FilesNow): LaterProposal {
  const turn = ({ before, after }: EntryChange): EntryChange => ({ before: after, after: before });
  const make: Make = (document, own, leave) => {
    const { from, movedTo = from } = document;
    // A move that was undone while its review was open has left the document at its first place.
    const at = look.isThere(document.at.uri) ? document.at : movedTo;
    const whole = own.find(({ kind }) => kind !== "edit");
    if (document.bytes !== undefined && whole?.kind !== "rename") {
      leave(own, "the file was no text, and its bytes are not kept.");
      return undefined;
    }
    if (whole?.kind === "delete") {
      if (!look.isThere(from.uri)) return { ...from, base: null, target: document.base };
      leave(own, "a file stands at its place again.");
      return undefined;
    }
    const base = look.textOf(at.uri);
    if (base === undefined) {
      leave(own, look.isThere(at.uri) ? UNREADABLE : "the file does not exist any more.");
      return undefined;
    }
    if (whole?.kind === "create") {
      if (base.text === known(whole).seen?.text) return { ...at, base, target: null };
      leave(own, "the file was changed since, and undoing would lose that.");
      return undefined;
    }
    const changes: TextChange[] = [];
    for (const hunk of own.filter((each) => each !== whole)) {
      const { seen } = known(hunk);
      const [place] = seen === undefined ? [] : movedPlaces([seen.place], seen.text, base.text);
      if (place === undefined) leave([hunk], CHANGED);
      else changes.push({ start: place.start, end: place.end, newText: place.oldText });
    }
    return moved({ ...at, base, target: applyChanges(base.text, changes) }, whole, from, { look, leave });
  };
  return eachDocument(hunks, { make, turn, look });
}

/**
 * Proposes the hunks again, which are not in the documents, against the text as it is now. `proposed` is what the hunks
 * were made of: a hunk that was decided does not follow its document's base any more.
 */
export function anotherTry(
  hunks: readonly TrackedHunk[],
  proposed: readonly ProposedDocument[],
  look: FilesNow,
): LaterProposal {
  const make: Make = (document, own, leave) => {
    const { at, movedTo } = document;
    const whole = own.find(({ kind }) => kind !== "edit");
    if (whole?.kind === "create") {
      if (!look.isThere(at.uri)) return { ...at, base: null, target: whole.newText };
      leave(own, "a file of that name exists by now.");
      return undefined;
    }
    const base = look.textOf(at.uri);
    if (base === undefined) {
      leave(own, look.isThere(at.uri) ? UNREADABLE : "the file does not exist any more.");
      return undefined;
    }
    const bytes = document.bytes === undefined ? {} : { bytes: document.bytes };
    if (whole?.kind === "delete") return { ...at, base, target: null, ...bytes };
    const since = changesBetween(textIn(proposed, document) ?? "", base.text);
    const sinceApplied = changesBetween(document.base, base.text);
    const changes: TextChange[] = [];
    for (const hunk of own.filter((each) => each !== whole)) {
      // The base holds what was applied: pieces of one hunk may stand at the same place of the proposed text.
      const place = mapThrough(hunk.planned, since) ?? mapThrough(hunk.now.change, sinceApplied);
      if (place === undefined) leave([hunk], CHANGED);
      else if (base.text.slice(place.start, place.end) === hunk.newText) leave([hunk], THERE);
      else changes.push({ ...place, newText: hunk.newText });
    }
    const again = { ...at, base, target: applyChanges(base.text, changes), changes, ...bytes };
    return moved(again, whole, movedTo, { look, leave });
  };
  return eachDocument(hunks, { make, turn: (entry) => entry, look });
}

/** The hunks as they were proposed, with the person's own text where there is one, against the texts of that time. */
export function patchedFiles(hunks: readonly TrackedHunk[], proposed: readonly ProposedDocument[]): PatchedFile[] {
  return [...Map.groupBy(hunks, (hunk) => hunk.document)].flatMap(([document, own]) => {
    const { from, movedTo } = document;
    const whole = own.find(({ kind }) => kind !== "edit");
    const base = textIn(proposed, document);
    const changes = own.flatMap((hunk) =>
      hunk.kind === "rename" || hunk.kind === "delete" ? [] : [{ ...hunk.planned, newText: textOf(hunk) }],
    );
    const target = whole?.kind === "delete" ? null : applyChanges(base ?? "", changes);
    const to = whole?.kind === "rename" ? movedTo?.path : undefined;
    return [{ path: from.path, base, target, ...(to === undefined ? {} : { movedTo: to }) }];
  });
}

/** The text that a document's hunks were proposed against. */
function textIn(proposed: readonly ProposedDocument[], { from }: TrackedDocument): string | null {
  return proposed.find(({ uri }) => uri === from.uri)?.base?.text ?? null;
}

/** `turn`: an entry as it is to be proposed, from the one of the document. */
function eachDocument(hunks: readonly TrackedHunk[], { make, turn, look }: Making): LaterProposal {
  const left: { id: string; why: string }[] = [];
  const leave: Leave = (own, why) => left.push(...own.map(({ id }) => ({ id, why })));
  const came: TrackedHunk[] = [];
  const documents = [...Map.groupBy(hunks, (hunk) => hunk.document)].flatMap(([document, own]) => {
    const [entries, texts] = [own.filter(({ kind }) => kind === "entry"), own.filter(({ kind }) => kind !== "entry")];
    const made = texts.length === 0 ? undefined : make(document, texts, leave);
    const isSame = made === undefined || (made.base?.text === made.target && made.movedTo === undefined);
    const entry = entries.length === 0 ? undefined : entryNow(document, { turn, look });
    if (typeof entry === "string") leave(entries, entry);
    const isLeft = ({ id }: TrackedHunk): boolean => left.some((each) => each.id === id);
    const [edits, wholes] = [texts.filter(({ kind }) => kind === "edit"), texts.filter(({ kind }) => kind !== "edit")];
    const taken = [...(isSame ? [] : [...edits, ...wholes]), ...entries];
    came.push(...taken.filter((hunk) => !isLeft(hunk)));
    if (typeof entry !== "object") return isSame ? [] : [made];
    return [isSame ? entryDocument(document.at, entry) : { ...made, entry }];
  });
  return { documents, hunkIds: came.map(({ id }) => id), left };
}

/** What the entry of a document would be proposed as, or why it cannot be. */
function entryNow({ entry, at }: TrackedDocument, { turn, look }: Pick<Making, "turn" | "look">): EntryChange | string {
  const turned = entry === undefined ? undefined : turn(entry);
  const now = look.entryOf?.(at.uri);
  if (turned === undefined) return UNREADABLE;
  if ([turned.before, turned.after].some((each) => each?.kind === "folder"))
    return "a folder that was moved in is not kept.";
  return now !== "unknown" && standsThere(turned.before, now) ? turned : "what stands there changed since.";
}

/** The document at its other place too, where `rename` says so and that place is free. */
function moved(
  document: ProposedDocument,
  rename: TrackedHunk | undefined,
  to: ProposedDocument["movedTo"],
  { look, leave }: { readonly look: FilesNow; readonly leave: Leave },
): ProposedDocument {
  if (rename === undefined || to === undefined) return document;
  if (!look.isThere(to.uri)) return { ...document, movedTo: to };
  leave([rename], `there is a file ${to.path} by now.`);
  return document;
}
