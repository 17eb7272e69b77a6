/** A proposal: edits to documents that wait for a person's decision, hunk by hunk. */
import type { ExportResult, Check, Hunk, HunkState, TestVerdict } from "../protocol/proposal-shapes.ts";
import type { EntryChange } from "./entries/entry.ts";
import type { HunkNow, Known, Trouble } from "./hunk-state.ts";
import type { TextChange } from "./texts/hunks.ts";

/** The place of a file. */
export interface FilePlace {
  readonly uri: string;
  /** How people and models name it. */
  readonly path: string;
}

export interface ProposedDocument extends FilePlace {
  /** The text the proposal was made against, null for a document that does not exist yet. */
  readonly base: { readonly text: string; readonly version: number | null; readonly sha256: string } | null;
  /** The whole text that is proposed, null for a document that is to be deleted. */
  readonly target: string | null;
  /** How `target` differs from the base, in order, where the caller knows: each is one hunk. Left out, it is worked out. */
  readonly changes?: readonly TextChange[];
  /** The file gets this place, and `target` is its text there. */
  readonly movedTo?: FilePlace;
  /**
   * The size of a file that is no text and is moved or deleted whole. Its texts are then empty, and `base.sha256` is of its
   * bytes.
   */
  readonly bytes?: number;
  /** What the server itself puts in its place: beside a change of the text a mode, else all of the change; `bytes` is given then. */
  readonly entry?: EntryChange;
  /**
   * Changes of the base that are no part of `target`: hunks of their own, left out unless the person takes them. On other
   * lines than the changes to `target`.
   */
  readonly apart?: readonly { readonly title: string; readonly change: TextChange }[];
}

/** The message of the person's in whose turn a proposal was made. */
export interface ProposalTurn {
  readonly id: string;
  readonly text: string;
  readonly at: string;
}

/** What the compiler says about a proposal, and about parts of it, and what the tests say. */
export interface ProposalChecks {
  /** As soon as that is known. Contract: never rejects. */
  readonly check?: Promise<Check>;
  readonly checkTexts?: CheckTexts;
  /** What the tests say about the proposal, where they run by themselves. Contract: never rejects. */
  readonly tests?: Promise<TestVerdict>;
  /** Asks anew, for files around the proposal that have changed; what was asked before may end. Must not throw. */
  readonly judgeAgain?: () => ProposalChecks;
}

export interface ProposeRequest extends ProposalChecks {
  /** Called right before the proposal is announced. Must not throw. */
  readonly onWaiting?: () => void;
  readonly sessionId?: string;
  readonly turn?: ProposalTurn;
  readonly toolCallId?: string;
  /**
   * The person asked for hunks of another proposal again: that proposal, and for each hunk of this one the id of its
   * hunk.
   */
  readonly again?: { readonly proposalId: string; readonly hunkIds: readonly string[] };
  readonly title: string;
  readonly why: string;
  readonly documents: readonly ProposedDocument[];
}

/**
 * What the compiler says when the proposal's documents have these texts, by URI; null for a document that does not exist.
 * Contract: remembers what was answered, so that the same texts asked again cost nothing; rejects only once `signal` aborts; a compiler that cannot answer is an unavailable check.
 */
export type CheckTexts = (texts: CheckedTexts, signal: AbortSignal) => Promise<Check>;

export interface CheckedTexts {
  /** By URI; null for a document that does not exist. */
  readonly texts: ReadonlyMap<string, string | null>;
  /** What the documents would be without the proposal, of those that the person has changed since it was made. */
  readonly without: readonly { readonly uri: string; readonly text: string }[];
}

/** One hunk while it is decided. */
export interface TrackedHunk {
  readonly id: string;
  /** The hunk that was proposed, where this one is a piece of it. */
  readonly partOf?: string;
  readonly document: TrackedDocument;
  readonly kind: Hunk["kind"];
  readonly title: string;
  /** Not accepted together with the others, but by itself. */
  readonly isLeftOut: boolean;
  readonly oldText: string;
  readonly newText: string;
  /** The change as it was proposed, which refers to the text of that time. */
  readonly planned: TextChange;
  /** What changes of the hunk, by `raise` alone. */
  readonly now: HunkNow;
}

export interface TrackedDocument {
  /** The document's place now: another one once its move was applied. */
  at: FilePlace;
  /** Its place when it was proposed, and its place when the proposal is applied. */
  readonly from: FilePlace;
  readonly movedTo: FilePlace | undefined;
  /** Another file of the proposal has, or had, the place where this one is created. */
  readonly isAfterOther: boolean;
  /** The size of a file that is no text. */
  readonly bytes: number | undefined;
  readonly entry: EntryChange | undefined;
  readonly existed: boolean;
  /** The hash of the text that the proposal was made against. */
  readonly sha256: string | null;
  /** The text that the pending hunks' changes refer to: moves on as hunks are applied. */
  base: string;
  /** Which text the hunks' ranges are of: the last one in which they were looked for. */
  shown: { readonly version: number | null; readonly sha256: string | null };
  /** The last answer to what became of `base`. */
  since?: { readonly base: string; readonly now: string; readonly changes: readonly TextChange[] };
}

/** A hunk as its review left it. */
export interface HunkOutcome
  extends
    Pick<TrackedHunk, "id" | "partOf" | "kind" | "title" | "oldText" | "newText">,
    Pick<Known, "editedText" | "reason" | "by" | "later"> {
  /** Index of its document in the request. */
  readonly document: number;
  readonly path: string;
  readonly isLeftOut?: boolean;
  readonly state: HunkState;
  readonly applied: boolean;
  readonly conflict?: string;
  readonly trouble?: Trouble["kind"];
}

export interface DocumentOutcome {
  readonly path: string;
  /** The disk holds the text. */
  readonly saved: boolean;
  /** Other places of the document are not what the proposal was made against. */
  readonly changedElsewhere: boolean;
  /** The file is gone, as the person agreed. */
  readonly isDeleted?: boolean;
  /** Where the file came from, when it was moved. */
  readonly movedFrom?: string;
  /** What the document would be without the proposal, where the person has changed it since the proposal was made. */
  readonly without?: { readonly uri: string; readonly text: string };
}

export interface ProposalOutcome {
  readonly state: "applied" | "partiallyApplied" | "rejected" | "withdrawn";
  readonly hunks: readonly HunkOutcome[];
  /** Documents whose text was not what was approved when the client said it had applied the edit. */
  readonly mismatched: readonly string[];
  /** Documents the edit was applied to, as they were when the last hunk was decided. */
  readonly documents: readonly DocumentOutcome[];
  readonly message?: string;
  /** `stop`: the person wants the turn to end after this answer. */
  readonly then: "continue" | "stop";
  /** There where nobody reviews proposals: nothing was applied, and this is what whoever asked may apply. */
  readonly asPatch?: ExportResult;
}
