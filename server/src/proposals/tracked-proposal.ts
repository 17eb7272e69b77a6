/** What the store remembers of one proposal, and its picture on the wire. */
import type { ChangeAnnotation, DeleteFile, RenameFile, WorkspaceEdit } from "vscode-languageserver-protocol";
import type { Hunk, Proposal } from "../protocol/proposal-shapes.ts";
import { isOpen, known, stateOf, textOf } from "./hunk-state.ts";
import { opened, proposalState, type ProposalNow } from "./proposal-state.ts";
import { showHidden } from "../workspace/hidden-characters.ts";
import { describeEntry, shownText } from "./entries/entry.ts";
import { hiddenNotes, type DocumentChanges, type HiddenNotes } from "./texts/hidden-notes.ts";
import { rangeOf, rangesIn, type TextChange } from "./texts/hunks.ts";
import { plannedChanges } from "./texts/planned-changes.ts";
import type { ProposeRequest, TrackedDocument, TrackedHunk } from "./proposal.ts";
import { given } from "../base/given.ts";

export interface Tracked {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly request: ProposeRequest;
  readonly documents: readonly TrackedDocument[];
  /** In the order of each document's text; a hunk that was cut is replaced by its pieces. */
  hunks: readonly TrackedHunk[];
  /** Hunks that were cut for an acceptance of some lines, until their edit was seen in the document. */
  cut: readonly TrackedHunk[];
  /** What changes of the proposal as a whole, by `record` alone. */
  readonly now: ProposalNow;
}

const NOBODY_WAITS = "KEPT from a server that ended before you decided: nobody waits for the answer";

function keptWords({ sessionId, toolCallId }: ProposeRequest): string {
  const isHeard = sessionId !== undefined && toolCallId !== undefined;
  return `${NOBODY_WAITS}, ${isHeard ? "and the model hears of it with your next message" : "and no model is told of it"}.`;
}

export function createTracked(id: string, request: ProposeRequest): Tracked {
  const existing = new Set(request.documents.flatMap(({ uri, base }) => (base === null ? [] : [uri])));
  const documents: TrackedDocument[] = request.documents.map(({ uri, path, base, movedTo, bytes, entry }) => ({
    at: { uri, path },
    from: { uri, path },
    movedTo,
    isAfterOther: base === null && existing.has(uri),
    bytes,
    entry,
    existed: base !== null,
    sha256: base?.sha256 ?? null,
    base: base?.text ?? "",
    shown: { version: base?.version ?? null, sha256: isOnlyEntry({ bytes, entry }) ? null : (base?.sha256 ?? null) },
  }));
  const hunks: TrackedHunk[] = [];
  const changed: DocumentChanges[] = [];
  for (const [index, document] of documents.entries()) {
    const target = request.documents[index]?.target ?? null;
    const proposed = request.documents[index];
    const planned = plannedHunks(document, target, proposed === undefined ? [] : plannedChanges(proposed));
    const apart = request.documents[index]?.apart ?? [];
    if (target !== null && !isOnlyEntry(document)) {
      const changes = planned.flatMap(({ kind, change }) => (kind === "rename" ? [] : [change]));
      changed.push({ path: document.from.path, base: document.base, target, changes });
    }
    const rangeIn = rangesIn(document.base);
    const leftOut = apart.map((each) => ({ ...each, kind: "edit" as const, isLeftOut: true }));
    for (const { kind, title, change, isLeftOut = false } of [...planned, ...leftOut, ...entryHunks(document)]) {
      const { before = null, after = null } = kind === "entry" ? (document.entry ?? {}) : {};
      const oldText = kind === "entry" ? shownText(before) : document.base.slice(change.start, change.end);
      const newText = kind === "entry" ? shownText(after) : change.newText;
      hunks.push({
        id: `h${hunks.length + 1}`,
        document,
        kind,
        title,
        isLeftOut,
        oldText,
        newText,
        planned: change,
        now: { is: "pending", change, range: rangeIn(change) },
      });
    }
  }
  return {
    id,
    madeAt: Date.now(),
    request: withHiddenNamed(request, hiddenNotes(changed)),
    documents,
    hunks,
    cut: [],
    now: opened(request),
  };
}

type PlannedHunk = Pick<TrackedHunk, "kind" | "title"> & { readonly change: TextChange; readonly isLeftOut?: boolean };

/** The hunks of one document: those of its text first, then the one that moves it. */
function plannedHunks(document: TrackedDocument, target: string | null, changes: readonly TextChange[]): PlannedHunk[] {
  const { base, existed, movedTo, bytes, from } = document;
  const size = bytes === undefined ? "" : ` (no text, ${bytes} bytes)`;
  if (target === null) {
    const change = { start: 0, end: base.length, newText: "" };
    return [{ kind: "delete", title: `delete ${from.path}${size}`, change }];
  }
  if (!existed) {
    return [{ kind: "create", title: `create ${from.path}`, change: { start: 0, end: 0, newText: target } }];
  }
  const edits = changes.map((change): PlannedHunk => {
    const firstLine = rangeOf(base, change.start, change.end).start.line + 1;
    return { kind: "edit", title: `${from.path}:${firstLine}`, change };
  });
  if (movedTo === undefined) return edits;
  const title = `move ${from.path} → ${movedTo.path}${size}`;
  return [...edits, { kind: "rename", title, change: { start: 0, end: 0, newText: "" } }];
}

/** What the server puts in its place by itself. */
function entryHunks({ entry, from }: TrackedDocument): PlannedHunk[] {
  if (entry === undefined) return [];
  return [{ kind: "entry", title: describeEntry(from.path, entry), change: { start: 0, end: 0, newText: "" } }];
}

/** A document of which no text changes. */
export function isOnlyEntry({ bytes, entry }: Pick<TrackedDocument, "bytes" | "entry">): boolean {
  return bytes !== undefined && entry !== undefined;
}

/** People decide by what they read: characters that do not show are named before anything else. */
function withHiddenNamed(request: ProposeRequest, notes: HiddenNotes | undefined): ProposeRequest {
  const [title, why] = [showHidden(request.title), showHidden(request.why)];
  if (notes === undefined) return { ...request, title, why };
  return { ...request, title: `${title} (hidden: ${notes.names})`, why: `${notes.sentence} ${why}` };
}

export function toProposal(tracked: Tracked): Proposal {
  const { request, now } = tracked;
  const hunks: Hunk[] = tracked.hunks.map((hunk) => ({
    id: hunk.id,
    uri: hunk.document.at.uri,
    range: hunk.now.range,
    oldText: hunk.oldText,
    newText: textOf(hunk),
    kind: hunk.kind,
    title: titleNow(hunk),
    state: stateOf(hunk),
    ...(hunk.isLeftOut ? { defaultDecision: "reject" as const } : {}),
    ...(known(hunk).later === "undone" ? { takenBack: true as const } : {}),
    ...given({
      requires: hunk.now.requires,
      ...(hunk.now.is === "conflict" ? { conflict: hunk.now.trouble.why, currentText: hunk.now.trouble.text } : {}),
      newUri: hunk.kind === "rename" ? hunk.document.movedTo?.uri : undefined,
    }),
  }));
  return {
    proposalId: tracked.id,
    ...given({ sessionId: request.sessionId, toolCallId: request.toolCallId }),
    at: new Date(tracked.madeAt).toISOString(),
    title: request.title,
    why: now.cutOff === undefined ? request.why : `${keptWords(request)} ${request.why}`,
    edit: wholeEdit(tracked, hunks),
    documents: tracked.documents.map(({ at: { uri }, shown }) => ({ uri, ...shown })),
    hunks,
    check: now.check,
    ...given({ tests: now.tests }),
    state: proposalState(tracked),
  };
}

/** A person reads the line on which the hunk stands now, the model the line that it knows. */
function titleNow({ kind, isLeftOut, title, document, now }: TrackedHunk): string {
  return kind === "edit" && !isLeftOut ? `${document.from.path}:${now.range.start.line + 1}` : title;
}

/** Every undecided hunk as a standard WorkspaceEdit with one annotation a hunk, for clients that can show it as it is. */
function wholeEdit(tracked: Tracked, hunks: readonly Hunk[]): WorkspaceEdit {
  const pending = hunks.filter(isIncluded);
  const changeAnnotations: Record<string, ChangeAnnotation> = {};
  for (const hunk of pending) changeAnnotations[hunk.id] = { label: hunk.title, needsConfirmation: true };
  const documentChanges: NonNullable<WorkspaceEdit["documentChanges"]> = [];
  const operations: (RenameFile | DeleteFile)[] = [];
  const byDocument = Map.groupBy(hunks.keys(), (index) => tracked.hunks[index]?.document);
  for (const document of tracked.documents) {
    const own = (byDocument.get(document) ?? []).flatMap((index) => hunks[index] ?? []).filter(isIncluded);
    const { at, movedTo, shown } = document;
    const whole = own.find(({ kind }) => kind !== "edit" && kind !== "entry");
    const texts = own.filter(({ kind }) => kind === "edit" || kind === "create");
    if (whole?.kind === "create") {
      documentChanges.push({
        kind: "create",
        uri: at.uri,
        options: { ignoreIfExists: true },
        annotationId: whole.id,
      });
    }
    if (texts.length > 0) {
      const edits = texts.map(({ id, range, newText }) => ({ range, newText, annotationId: id }));
      documentChanges.push({ textDocument: { uri: at.uri, version: shown.version }, edits });
    }
    if (whole?.kind === "delete") operations.push({ kind: "delete", uri: at.uri, annotationId: whole.id });
    if (whole?.kind === "rename" && movedTo !== undefined) {
      operations.push({ kind: "rename", oldUri: at.uri, newUri: movedTo.uri, annotationId: whole.id });
    }
  }
  return { documentChanges: [...documentChanges, ...operations], changeAnnotations };
}

/** What is left out by default is no part of an edit that is taken as a whole. */
function isIncluded({ state, defaultDecision }: Hunk): boolean {
  return state === "pending" && defaultDecision === undefined;
}

export function openIds(tracked: Tracked): string[] {
  return tracked.hunks.filter(isOpen).map(({ id }) => id);
}
