/** A proposal: edits to documents that wait for a person's decision, hunk by hunk. */
import type { ExportResult, Check, Hunk, HunkState, TestVerdict } from "../protocol/proposal-shapes.ts";
import type { Range } from "vscode-languageserver-protocol";
import type { EntryChange } from "./entries/entry.ts";
import type { Stretch, TextChange } from "./texts/hunks.ts";
import type { HunkPlace } from "./texts/standing.ts";

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

/** `undone`: the old text is back; `changed`: neither the old nor the approved text is there. */
export type Later = "undone" | "changed";

/**
 * `changed`: the hunk's place is not what the proposal was made for; `unconfirmed`: after the hunk was accepted, the place
 * held neither the old nor the approved text.
 */
export type Trouble = "changed" | "unconfirmed";

/** One hunk while it is decided. `change` refers to the text in `TrackedDocument.base`; a rename has none. */
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
  change: TextChange;
  /** The hunk's place in the text that `TrackedDocument.shown` is about. */
  range: Range;
  /** With state `conflict`: the text at `range`, unless the text is too long to be shown. */
  currentText?: string;
  /** The text that the person's own text replaces, where `oldText` is not there any more. */
  over?: string;
  /** What an accepted hunk replaces in `TrackedDocument.base`, where that is another stretch than that of `change`. */
  wide?: Stretch;
  /** Why the person had to decide again. */
  trouble?: Trouble;
  /** `change` as it was proposed, which refers to the text of that time. */
  readonly planned: TextChange;
  state: HunkState;
  /** The hunks without which this one brings errors in. */
  requires?: readonly string[];
  /** What the person wrote instead, for state `edited`. */
  editedText?: string;
  reason?: string;
  /** Who rejected it, where it was no person. */
  by?: "program";
  /** Why the hunk is a conflict, where the reason is not text that changed at its place. */
  conflict?: string;
  /** True while the document was seen to hold the approved text. */
  applied: boolean;
  /** The document when the approved text was last seen in it, and the places of that text. */
  seen?: { readonly text: string; readonly place: HunkPlace };
  /** What became of the approved text after it was applied. */
  later?: Later;
  /** After the hunk's call was answered and the hunk turned: whether the model takes it to be in place. */
  heard?: boolean;
  /** The person had the hunk proposed again and accepted it, and the model has not heard of that. */
  isAcceptedAgain?: true;
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

export interface HunkOutcome {
  readonly id: string;
  /** The hunk that was proposed, where this one is a piece of it. */
  readonly partOf?: string;
  readonly kind: Hunk["kind"];
  /** Index of its document in the request. */
  readonly document: number;
  readonly path: string;
  readonly title: string;
  readonly isLeftOut?: boolean;
  readonly state: HunkState;
  readonly applied: boolean;
  readonly oldText: string;
  readonly newText: string;
  readonly editedText?: string;
  readonly reason?: string;
  readonly by?: "program";
  readonly conflict?: string;
  readonly trouble?: Trouble;
  readonly later?: Later;
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
