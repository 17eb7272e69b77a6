/** What the store remembers of one proposal, and its picture on the wire. */
import type { ChangeAnnotation, CreateFile, TextDocumentEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import type { Check, Hunk, Proposal, ProposalState, TestVerdict } from "../protocol/shapes.ts";
import { showHidden } from "../workspace/hidden-characters.ts";
import type { ComposedDocument } from "./compose-edit.ts";
import { hiddenNotes, type DocumentChanges, type HiddenNotes } from "./hidden-notes.ts";
import { changesBetween, rangeOf } from "./hunks.ts";
import type { ProposalOutcome, ProposeRequest, TrackedDocument, TrackedHunk } from "./proposal.ts";
import { given } from "../given.ts";

export interface Tracked {
  readonly id: string;
  readonly request: ProposeRequest;
  readonly documents: readonly TrackedDocument[];
  readonly hunks: readonly TrackedHunk[];
  readonly settled: PromiseWithResolvers<ProposalOutcome>;
  /** Composed edits the client has not confirmed yet, in their order; a document may have several. */
  readonly awaitingApply: Set<ComposedDocument>;
  readonly mismatched: Set<string>;
  /** When the first edit was composed; what the editor saves after that holds what was applied. */
  composedAt?: number;
  state: ProposalState;
  /**
   * The call was cancelled: nothing more is decided, and the proposal settles once the editor has confirmed what it
   * applies.
   */
  isWithdrawn: boolean;
  check: Check;
  tests?: TestVerdict;
  message?: string;
  then: "continue" | "stop";
}

const RUNNING: TestVerdict = { state: "running", passed: 0, failed: 0, skipped: 0, failures: [], files: [] };

export function createTracked(id: string, request: ProposeRequest): Tracked {
  const documents: TrackedDocument[] = request.documents.map((document) => ({
    uri: document.uri,
    path: document.path,
    existed: document.base !== null,
    version: document.base?.version ?? null,
    sha256: document.base?.sha256 ?? null,
    base: document.base?.text ?? "",
  }));
  const hunks: TrackedHunk[] = [];
  const changed: DocumentChanges[] = [];
  for (const document of request.documents) {
    const base = document.base?.text ?? "";
    const changes =
      document.base === null ? [{ start: 0, end: 0, newText: document.target }] : changesBetween(base, document.target);
    changed.push({ path: document.path, base, target: document.target, changes });
    for (const change of changes) {
      const firstLine = rangeOf(base, change.start, change.end).start.line + 1;
      hunks.push({
        id: `h${hunks.length + 1}`,
        uri: document.uri,
        kind: document.base === null ? "create" : "edit",
        title: document.base === null ? `create ${document.path}` : `${document.path}:${firstLine}`,
        oldText: base.slice(change.start, change.end),
        newText: change.newText,
        change,
        state: "pending",
        applied: false,
      });
    }
  }
  return {
    id,
    request: withHiddenNamed(request, hiddenNotes(changed)),
    documents,
    hunks,
    settled: Promise.withResolvers<ProposalOutcome>(),
    awaitingApply: new Set(),
    mismatched: new Set(),
    state: "pending",
    isWithdrawn: false,
    check: { state: request.check === undefined ? "unavailable" : "running", introduced: [], resolved: [] },
    ...(request.tests === undefined ? {} : { tests: RUNNING }),
    then: "continue",
  };
}

/** People decide by what they read: characters that do not show are named before anything else. */
function withHiddenNamed(request: ProposeRequest, notes: HiddenNotes | undefined): ProposeRequest {
  const [title, why] = [showHidden(request.title), showHidden(request.why)];
  if (notes === undefined) return { ...request, title, why };
  return { ...request, title: `${title} (hidden: ${notes.names})`, why: `${notes.sentence} ${why}` };
}

export function toProposal(tracked: Tracked): Proposal {
  const { request } = tracked;
  const baseOf = (uri: string): string => tracked.documents.find((document) => document.uri === uri)?.base ?? "";
  const hunks: Hunk[] = tracked.hunks.map((hunk) => ({
    id: hunk.id,
    uri: hunk.uri,
    range: rangeOf(baseOf(hunk.uri), hunk.change.start, hunk.change.end),
    oldText: hunk.oldText,
    newText: hunk.editedText ?? hunk.newText,
    kind: hunk.kind,
    title: hunk.title,
    state: hunk.state,
    ...given({ requires: hunk.requires, conflict: hunk.conflict }),
  }));
  return {
    proposalId: tracked.id,
    ...given({ sessionId: request.sessionId, toolCallId: request.toolCallId }),
    title: request.title,
    why: request.why,
    edit: wholeEdit(tracked, hunks),
    documents: tracked.documents.map(({ uri, version, sha256 }) => ({ uri, version, sha256 })),
    hunks,
    check: tracked.check,
    ...given({ tests: tracked.tests }),
    state: tracked.state,
  };
}

/** Every undecided hunk as a standard WorkspaceEdit with one annotation a hunk, for clients that can show it as it is. */
function wholeEdit(tracked: Tracked, hunks: readonly Hunk[]): WorkspaceEdit {
  const pending = hunks.filter((hunk) => hunk.state === "pending");
  const changeAnnotations: Record<string, ChangeAnnotation> = {};
  for (const hunk of pending) changeAnnotations[hunk.id] = { label: hunk.title, needsConfirmation: true };
  const documentChanges: (TextDocumentEdit | CreateFile)[] = [];
  for (const document of tracked.documents) {
    const own = pending.filter((hunk) => hunk.uri === document.uri);
    const first = own[0];
    if (first === undefined) continue;
    if (!document.existed) {
      documentChanges.push({
        kind: "create",
        uri: document.uri,
        options: { ignoreIfExists: true },
        annotationId: first.id,
      });
    }
    documentChanges.push({
      textDocument: { uri: document.uri, version: document.version },
      edits: own.map((hunk) => ({ range: hunk.range, newText: hunk.newText, annotationId: hunk.id })),
    });
  }
  return { documentChanges, changeAnnotations };
}
