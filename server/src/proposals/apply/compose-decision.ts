/** From decisions to the one edit that the client applies: texts first, then the operations on whole files in a safe order. */
import type {
  CreateFile,
  DeleteFile,
  RenameFile,
  TextDocumentEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import {
  composeNewText,
  composeOverFile,
  composeText,
  type ComposedPlace,
  type ComposedText,
  type CurrentText,
} from "./compose-edit.ts";
import { isOver } from "./place-now.ts";
import { textOf } from "../hunk-state.ts";
import type { EntryNow } from "../entries/entry.ts";
import type { FilePlace, TrackedDocument, TrackedHunk } from "../proposal.ts";

/** One document of an edit, and what it must be once the client has applied the edit. */
export interface ComposedDocument {
  readonly document: TrackedDocument;
  /** The place of the text then. */
  readonly at: FilePlace;
  /** What it reads then; null when there must be no file. */
  readonly expected: string | null;
  /** The places of the accepted text hunks in `expected`. */
  readonly places: readonly ComposedPlace[];
  /** The accepted hunk that moves or deletes the file. */
  readonly whole?: TrackedHunk;
  readonly edits: readonly TextDocumentEdit[];
  readonly operations: readonly (CreateFile | RenameFile | DeleteFile | TextDocumentEdit)[];
}

/** How the files are now. Contract: for the places of the documents and of their moves; throws nothing. `entryOf` answers for documents with an entry. */
export interface FilesNow {
  readonly textOf: (uri: string) => (CurrentText & { readonly sha256: string }) | undefined;
  /** Whether anything is at a place, also a folder or a file that cannot be read. */
  readonly isThere: (uri: string) => boolean;
  /** What is at a place, text or not; `unknown` where that cannot be found out. */
  readonly entryOf?: (uri: string) => EntryNow | "unknown";
  /** Why a path must not be read or written any more. */
  readonly whyMoved: (uri: string) => string | undefined;
}

export interface Composition {
  readonly composed: readonly ComposedDocument[];
  /** The accepted hunks that cannot be applied; `why` where the reason is not text that changed at their place. */
  readonly conflicts: readonly { readonly hunk: TrackedHunk; readonly why?: string }[];
}

const CHANGED = "the file changed since you read it.";
const GONE = "the file does not exist any more.";

/** Without the entries, which are no part of an edit. */
export function composeDecision(accepted: readonly TrackedHunk[], now: FilesNow): Composition {
  const conflicts: { hunk: TrackedHunk; why?: string }[] = [];
  const refuse = (hunks: readonly TrackedHunk[], why?: string): void => {
    for (const hunk of hunks) conflicts.push(why === undefined ? { hunk } : { hunk, why });
  };
  const parts: Part[] = [];
  for (const [document, own] of Map.groupBy(accepted.filter(isOfEdit), (hunk) => hunk.document)) {
    const problem = now.whyMoved(document.at.uri);
    if (problem === undefined) parts.push(partOf(document, own, now, refuse));
    else refuse(own, problem);
  }
  return { composed: inSafeOrder(parts, now, refuse), conflicts };
}

function isOfEdit({ kind }: TrackedHunk): boolean {
  return kind !== "entry";
}

export function workspaceEditOf(composed: readonly ComposedDocument[]): WorkspaceEdit | null {
  if (composed.length === 0) return null;
  return {
    documentChanges: [...composed.flatMap(({ edits }) => edits), ...composed.flatMap(({ operations }) => operations)],
  };
}

type Refuse = (hunks: readonly TrackedHunk[], why?: string) => void;

/** What can be done to one document, before the places of moved and new files are known to be free. */
interface Part {
  readonly document: TrackedDocument;
  readonly text: ComposedText | undefined;
  readonly current: CurrentText | undefined;
  /** The hunk that creates, moves or deletes the file. */
  readonly whole: TrackedHunk | undefined;
}

function partOf(document: TrackedDocument, accepted: readonly TrackedHunk[], now: FilesNow, refuse: Refuse): Part {
  const current = now.textOf(document.at.uri);
  let whole = accepted.find(({ kind }) => kind !== "edit");
  if (whole?.kind === "create" && current !== undefined && current.text !== "" && mayReplace(whole, current.text)) {
    return { document, text: composeOverFile(document, whole, current), current, whole: undefined };
  }
  const edits = accepted.filter(({ kind }) => kind === "edit");
  const { text, conflicts, why } = composeText(document, edits, current ?? null);
  refuse(conflicts, why);
  if (whole !== undefined && whole.kind !== "create") {
    const problem = whyNotWhole(document, whole, now);
    if (problem !== undefined) {
      refuse([whole], problem);
      whole = undefined;
    }
  }
  return { document, text, current, whole };
}

/** Nothing is there to lose. Editors that end each line say that an empty buffer holds a line's end. */
function isBlank(current: CurrentText | undefined): boolean {
  if (current === undefined) return false;
  return current.text === "" || (current.version !== null && /^\r?\n$/.test(current.text));
}

/** The person has seen what stands there, or what is approved stands there already. */
function mayReplace(create: TrackedHunk, now: string): boolean {
  return isOver(create, now) || (textOf(create) === now && !create.document.isAfterOther);
}

function whyNotWhole(document: TrackedDocument, { kind }: TrackedHunk, now: FilesNow): string | undefined {
  const current = now.textOf(document.at.uri);
  if (kind === "delete" && isGone(document, now)) return undefined;
  if (current === undefined) return now.isThere(document.at.uri) ? CHANGED : GONE;
  if (kind === "rename") return document.movedTo === undefined ? GONE : now.whyMoved(document.movedTo.uri);
  const isSame = document.bytes === undefined ? current.text === document.base : current.sha256 === document.sha256;
  return isSame ? undefined : CHANGED;
}

function isGone({ at }: TrackedDocument, now: FilesNow): boolean {
  return !now.isThere(at.uri) && now.textOf(at.uri) === undefined;
}

/** A file may come to a place that another one of the same decision leaves, and only after that one has left. */
function inSafeOrder(parts: readonly Part[], now: FilesNow, refuse: Refuse): ComposedDocument[] {
  const left = new Set<string>();
  const taken = new Set<string>();
  const isFree = (uri: string, { document, whole, current }: Part): boolean => {
    // An empty buffer that the editor opened for a new file does not occupy the place.
    const isEmpty = whole?.kind === "create" && isBlank(current) && !document.isAfterOther;
    if (isEmpty) return !taken.has(uri);
    return !taken.has(uri) && (left.has(uri) || !now.isThere(uri));
  };
  const composed: ComposedDocument[] = [];
  let waiting = parts.filter(({ text, whole }) => text !== undefined || whole !== undefined);
  for (let isMoving = true; isMoving;) {
    const later: Part[] = [];
    for (const part of waiting) {
      const goal = goalOf(part);
      if (goal !== undefined && !isFree(goal.uri, part)) {
        later.push(part);
        continue;
      }
      const made = composePart(part, goal !== undefined && left.has(goal.uri));
      const isDone = part.whole?.kind === "delete" && isGone(part.document, now);
      composed.push(isDone ? { ...made, operations: [] } : made);
      if (goal !== undefined) taken.add(goal.uri);
      if (part.whole?.kind === "delete" || part.whole?.kind === "rename") left.add(part.document.at.uri);
    }
    isMoving = later.length < waiting.length;
    waiting = later;
  }
  for (const { whole, text, document, ...rest } of waiting) {
    if (whole === undefined) continue;
    const why = `${(goalOf({ whole, text, document, ...rest }) ?? document.at).path} exists by now.`;
    refuse([whole], why);
    if (whole.kind === "rename" && text !== undefined) {
      composed.push(composePart({ whole: undefined, text, document, ...rest }, false));
    }
  }
  return composed;
}

/** The place that must be free for this document. */
function goalOf({ whole, document }: Part): FilePlace | undefined {
  if (whole?.kind === "create") return document.at;
  return whole?.kind === "rename" ? document.movedTo : undefined;
}

function composePart({ document, text, current, whole }: Part, isPlaceLeft: boolean): ComposedDocument {
  const { at, movedTo } = document;
  if (whole?.kind === "create") {
    const made = composeNewText(document, whole, isPlaceLeft ? undefined : current);
    const create: CreateFile = { kind: "create", uri: at.uri, options: { ignoreIfExists: true } };
    return { document, at, ...made, edits: [], operations: [create, made.edit] };
  }
  const edits = text === undefined ? [] : [text.edit];
  const [expected, places] = [text?.expected ?? current?.text ?? "", text?.places ?? []];
  if (whole?.kind === "delete") {
    const remove: DeleteFile = { kind: "delete", uri: at.uri, options: { recursive: false } };
    return { document, at, expected: null, places: [], whole, edits: [], operations: [remove] };
  }
  if (whole?.kind === "rename" && movedTo !== undefined) {
    const rename: RenameFile = { kind: "rename", oldUri: at.uri, newUri: movedTo.uri, options: { overwrite: false } };
    return { document, at: movedTo, expected, places, whole, edits, operations: [rename] };
  }
  return { document, at, expected, places, edits, operations: [] };
}
