/** The shapes of proposals, their hunks and what is decided about hunks, as they travel in `agentq/*` messages. */
import type { Range, WorkspaceEdit } from "vscode-languageserver-protocol";
import type { DiagnosticLine } from "./shapes.ts";

export type HunkState = "pending" | "accepted" | "edited" | "rejected" | "conflict";

export interface Hunk {
  readonly id: string;
  readonly uri: string;
  /** The hunk's place in the document that `Proposal.documents` names: `oldText`, or in a conflict `currentText`. */
  readonly range: Range;
  readonly oldText: string;
  readonly newText: string;
  /**
   * `delete` and `rename` are about the whole file at `uri`: a delete has all of its text as `oldText`, a rename has
   * no text and is decided beside the hunks of the file's text, which have the file's old place. An `entry` is what
   * no text says, told by its title: bytes, a mode, a symbolic link, a folder as it is. The server puts an accepted
   * one in its place.
   */
  readonly kind: "edit" | "create" | "delete" | "rename" | "entry";
  /** With kind `rename`: the file's new place. */
  readonly newUri?: string;
  readonly title: string;
  /** Hunks without which this one brings errors in, as far as the compiler can tell. */
  readonly requires?: readonly string[];
  /** Left out when all hunks are accepted at once, and then rejected: such a hunk is accepted by itself. */
  readonly defaultDecision?: "reject";
  readonly state: HunkState;
  /**
   * With state `accepted` or `edited`: the hunk was applied, and the text from before is back. Told of a decided
   * proposal too: another proposal took the hunk back (an undo, a rewind), or the person did by hand, as by an
   * editor's undo.
   */
  readonly takenBack?: true;
  /** With state `conflict`: a sentence, where the reason is not text that changed at the hunk's place. */
  readonly conflict?: string;
  /** With state `conflict`: what is at `range` in place of `oldText`. Absent where that is no text, or too long. */
  readonly currentText?: string;
}

/** The errors that come and go, compared with the moment at which the proposal was made. */
export interface Check {
  readonly state: "running" | "done" | "unavailable";
  readonly introduced: readonly DiagnosticLine[];
  readonly resolved: readonly DiagnosticLine[];
  /** Why the check is unavailable; of a check that is done, what was left out. */
  readonly reason?: string;
}

/** What the tests say of proposed text. */
export interface TestVerdict {
  readonly state: "running" | "done" | "unavailable";
  readonly passed: number;
  /** Tests that did not end are among them. */
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly FailedTest[];
  /** URIs of the test files that ran. */
  readonly files: readonly string[];
  /** Why the verdict is unavailable; of one that is done, what it does not cover. */
  readonly reason?: string;
}

export interface FailedTest {
  /** Titles from the outermost suite inwards, with " > " between them. */
  readonly name: string;
  readonly uri: string;
  readonly range?: Range;
  readonly message: string;
}

export interface DocumentStamp {
  readonly uri: string;
  /** The editor's version of an open document, null for one read from disk. */
  readonly version: number | null;
  /** Hex SHA-256 of the UTF-8 text, null for a document that does not exist. */
  readonly sha256: string | null;
}

export type ProposalState = "pending" | "applied" | "partiallyApplied" | "rejected" | "withdrawn";

export interface Proposal {
  readonly proposalId: string;
  readonly sessionId?: string;
  readonly toolCallId?: string;
  /** When it was made: ISO 8601, in UTC. */
  readonly at: string;
  readonly title: string;
  readonly why: string;
  readonly edit: WorkspaceEdit;
  readonly documents: readonly DocumentStamp[];
  readonly hunks: readonly Hunk[];
  readonly check: Check;
  /** There when the tests run by themselves. */
  readonly tests?: TestVerdict;
  readonly state: ProposalState;
}

/** A proposal as it is now: all but its `edit`, its words, and the hunks that are as they were. */
export interface HunksChanged {
  readonly proposalId: string;
  /** Those that are not as the client was told last. */
  readonly hunks: readonly Hunk[];
  readonly documents: readonly DocumentStamp[];
  readonly check: Check;
  readonly tests?: TestVerdict;
  readonly state: ProposalState;
}

export interface HunkDecision {
  readonly id: string;
  readonly decision: "accept" | "edit" | "reject";
  /** The person's own text, with decision `edit`. */
  readonly newText?: string;
  /**
   * With decision `edit`: the text at the hunk's place when the person wrote `newText`. Where another text is there
   * by then, the hunk is a conflict.
   */
  readonly currentText?: string;
  /** The person's words for the model, with decision `reject`. */
  readonly reason?: string;
  /** With decision `reject`: no person looked, and `reason` is the program's. The model is told so. */
  readonly by?: "program";
  /**
   * With decision `accept`: only these lines of a hunk of kind `edit`, as indexes from 0 into the lines of its `oldText` that
   * go and of its `newText` that come. A side that is absent follows from the other one. The rest of the hunk waits on.
   */
  readonly lines?: { readonly old?: readonly number[]; readonly new?: readonly number[] };
}

export interface DecideResult {
  /** What the client must apply to its own buffers now; null when nothing was accepted. */
  readonly edit: WorkspaceEdit | null;
  readonly conflicts: readonly string[];
  readonly remaining: readonly string[];
}

export interface DidApplyResult {
  /** True when every document's text is what was approved. */
  readonly verified: boolean;
  /** Documents whose text differs from what was approved. */
  readonly mismatched: readonly string[];
}

/** A hunk that could not come along, and a sentence why. */
export interface LeftHunk {
  readonly id: string;
  readonly why: string;
}

export interface LaterResult {
  /** The new proposal, which `agentq/proposal` announces; absent when there is nothing to propose. */
  readonly proposalId?: string;
  readonly left: readonly LeftHunk[];
}

export interface ExportResult {
  /** For `git apply` in the workspace folder; empty when none of the hunks changes a text. */
  readonly patch: string;
  readonly left: readonly LeftHunk[];
}

/** A message of the person's, and what the agent did to the files in its turn. */
export interface TurnInfo {
  readonly sessionId: string;
  readonly turnId: string;
  readonly text: string;
  readonly at: string;
  /** How many hunks were applied of what was proposed in the turn. */
  readonly applied: number;
}

/** A hunk that a rewind could not take back, and a sentence why. */
export interface UnrewoundHunk extends LeftHunk {
  readonly proposalId: string;
  readonly title: string;
}

export interface RewindResult {
  /** The new proposal, which `agentq/proposal` announces; absent when there is nothing to take back. */
  readonly proposalId?: string;
  readonly left: readonly UnrewoundHunk[];
  /** A sentence: what a rewind does not take back. */
  readonly note: string;
}
