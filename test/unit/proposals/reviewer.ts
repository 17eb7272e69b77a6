/** A person with an editor and a folder, as the store of proposals sees them. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, vi } from "vitest";
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { ProposalStore } from "../../../server/src/proposals/proposal-store.ts";
import type { ProposalOutcome, ProposedDocument } from "../../../server/src/proposals/proposal.ts";
import type { DecideResult, Hunk, HunkDecision, Proposal } from "../../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../../server/src/workspace/documents.ts";

export class Reviewer {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-review-")));
  readonly documents = new Documents();
  /** Every state of a proposal that the client was told. */
  readonly told: Proposal[] = [];
  readonly store = new ProposalStore({
    documents: this.documents,
    whyMoved: () => undefined,
    onProposal: (proposal) => this.told.push(proposal),
    onChanged: (proposal) => this.told.push(proposal),
  });
  readonly cancel = new AbortController();

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true }));
  }

  uri(name: string): string {
    return pathToFileURL(path.join(this.folder, name)).href;
  }

  open(name: string, text: string): void {
    this.documents.open({ uri: this.uri(name), languageId: "typescript", version: 1, text });
  }

  text(name: string): string {
    return this.documents.get(this.uri(name))?.text ?? "";
  }

  type(name: string, text: string): void {
    const uri = this.uri(name);
    this.documents.change(uri, (this.documents.get(uri)?.version ?? 0) + 1, [{ text }]);
  }

  /** What a proposal says of a file that is open or does not exist: null for the latter. */
  proposed(name: string, base: string | null, target: string | null): ProposedDocument {
    const at = { uri: this.uri(name), path: name };
    if (base === null) return { ...at, base, target };
    return { ...at, base: { text: base, version: 1, sha256: sha256(base) }, target };
  }

  propose(...documents: ProposedDocument[]): Promise<ProposalOutcome> {
    return this.store.propose({ title: "Edit", why: "because", documents, sessionId: "s1" }, this.cancel.signal);
  }

  /** The proposal as the client was told last. */
  get proposal(): Proposal {
    const last = this.told.at(-1);
    if (last === undefined) throw new Error("no proposal was announced");
    return last;
  }

  hunk(id: string): Hunk {
    const hunk = this.proposal.hunks.find((each) => each.id === id);
    if (hunk === undefined) throw new Error(`there is no hunk ${id}`);
    return hunk;
  }

  async untilHunk(id: string, expected: Partial<Hunk>): Promise<void> {
    await vi.waitFor(() => expect(this.hunk(id)).toMatchObject(expected), { timeout: 40_000, interval: 10 });
  }

  async decide(
    id: string,
    decision: HunkDecision["decision"],
    rest: Partial<HunkDecision> = {},
  ): Promise<DecideResult> {
    const { proposalId } = this.proposal;
    return this.store.review(proposalId).decide({ hunks: [{ id, decision, ...rest }] });
  }

  /** Decides, and does what an editor does with the answer. */
  async carryOut(
    id: string,
    decision: HunkDecision["decision"],
    rest: Partial<HunkDecision> = {},
  ): Promise<DecideResult> {
    const result = await this.decide(id, decision, rest);
    if (result.edit !== null) {
      this.apply(result.edit);
      await this.store.review(this.proposal.proposalId).didApply();
    }
    return result;
  }

  /** Applies the edits of texts. */
  apply(edit: WorkspaceEdit): void {
    for (const change of (edit.documentChanges ?? []) as TextDocumentEdit[]) {
      const open = this.documents.get(change.textDocument.uri);
      if (open === undefined) throw new Error(`${change.textDocument.uri} is not open`);
      expect(change.textDocument.version).toBe(open.version);
      const before = TextDocument.create(open.uri, "typescript", open.version, open.text);
      const text = TextDocument.applyEdits(before, change.edits as TextEdit[]);
      this.documents.change(open.uri, open.version + 1, [{ text }]);
    }
  }
}
