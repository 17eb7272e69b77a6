/** The way of a decision: to the server, into the documents, and in a word to the person. */
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import { carryOut, type DecisionPorts } from "../../server/src/client/carry-out.ts";
import type { DocumentStamp, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { Agentq } from "../server/agentq.ts";
import { pathOf } from "./files.ts";
import { counted, plain } from "./texts.ts";
import { withRequired, type Waiting } from "./waiting.ts";

/** `alreadyDecided` and `unknownProposal` of docs/protocol.md. */
const SETTLED = new Set([-33003, -33004]);
const SHOWN_MS = 6000;

export class Decisions {
  readonly #agentq: Agentq;
  readonly #waiting: Waiting;
  /** One after the other: each is composed against what the one before left. */
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  constructor(agentq: Agentq, waiting: Waiting) {
    this.#agentq = agentq;
    this.#waiting = waiting;
  }

  /** What is accepted meanwhile may wait again once the edit is not applied. */
  get isDeciding(): boolean {
    return this.#running > 0;
  }

  /** False where something was not carried out, which the person was told of. Rejects where the server refuses. */
  async decide(proposal: Proposal, chosen: readonly HunkDecision[]): Promise<boolean> {
    this.#running += 1;
    const decided = this.#last.then(() => this.#decide(proposal, chosen)).finally(() => (this.#running -= 1));
    this.#last = decided.catch(() => undefined);
    return await decided;
  }

  async #decide(proposal: Proposal, chosen: readonly HunkDecision[]): Promise<boolean> {
    const { proposalId } = proposal;
    const hunks = withRequired(this.#waiting.get(proposalId) ?? proposal, chosen);
    const ports = new GuardedPorts(this.#agentq, cleanDocuments(proposal));
    try {
      const { conflicts, mismatched } = await carryOut(ports, { proposalId, hunks });
      const problems = [
        ports.failure ?? "",
        ports.failure === undefined && mismatched !== undefined && mismatched.length > 0
          ? `Not all was applied: the text differs from what you accepted in ${mismatched.map(pathOf).join(", ")}.`
          : "",
        conflicts.length > 0 ? conflictWords(conflicts.length) : "",
      ].filter((problem) => problem !== "");
      if (problems.length > 0) void vscode.window.showWarningMessage(problems.join(" "));
      else this.#confirm(proposal, chosen, hunks);
      await ports.save();
      return problems.length === 0;
    } catch (error) {
      if (!SETTLED.has((error as { code?: number }).code ?? 0)) throw error;
      void vscode.window.showInformationMessage(`${(error as Error).message} Nothing was done twice.`);
      // Whoever decided, the review shows what is there now.
      const now = await this.#agentq.request("agentq/openProposal", { proposalId }).catch(() => undefined);
      this.#waiting.put(now ?? { ...proposal, state: "withdrawn" });
      return false;
    }
  }

  #confirm(proposal: Proposal, chosen: readonly HunkDecision[], all: readonly HunkDecision[]): void {
    const words = { accept: "Accepted", edit: "Accepted with your text", reject: "Rejected" };
    const [first] = chosen;
    const what =
      chosen.length === 1 && first !== undefined ? words[first.decision] : `${counted(chosen.length, "hunk")} decided`;
    const taken = all
      .slice(chosen.length)
      .map(({ id }) => plain(proposal.hunks.find((hunk) => hunk.id === id)?.title ?? id));
    const needed = taken.length === 0 ? "" : `, and what it needs: ${taken.join(", ")}`;
    void vscode.window.setStatusBarMessage(`$(check) ${what}${needed}`, SHOWN_MS);
  }
}

/** Applies nothing to a text that is no longer the one the edit was made for, and says of the documents what they are. */
class GuardedPorts implements DecisionPorts {
  readonly #agentq: Agentq;
  /** Files that held no changes of the person's before. */
  readonly #clean: readonly string[];
  failure: string | undefined;

  constructor(agentq: Agentq, clean: readonly string[]) {
    this.#agentq = agentq;
    this.#clean = clean;
  }

  readonly decide: DecisionPorts["decide"] = (params) => this.#agentq.request("agentq/decide", params);
  readonly didApply: DecisionPorts["didApply"] = (params) => this.#agentq.request("agentq/didApply", params);

  async apply(edit: WorkspaceEdit): Promise<DocumentStamp[]> {
    this.failure = whyNot(edit);
    if (this.failure === undefined) {
      await this.#agentq.apply(edit);
      // A file that has moved is a document of its own, whose text may come later than the file.
      await Promise.all(namesIn(edit).map((uri) => openAlways(uri)));
      await this.save((document) => !changesWhenSaved(document));
    }
    return namesIn(edit).flatMap((uri) => {
      const document = openAt(uri);
      if (document === undefined) return [];
      const sha256 = createHash("sha256").update(document.getText()).digest("hex");
      return [{ uri, version: document.version, sha256 }];
    });
  }

  async save(isWanted: (document: vscode.TextDocument) => boolean = () => true): Promise<void> {
    if (this.failure !== undefined) return;
    for (const uri of this.#clean) {
      const document = openAt(uri);
      if (document?.isDirty === true && isWanted(document)) await document.save();
    }
  }
}

/** Whether saving may make another text of what was accepted: then the server looks first. */
function changesWhenSaved(document: vscode.TextDocument): boolean {
  const get = (section: string, name: string): unknown =>
    vscode.workspace.getConfiguration(section, document).get(name);
  const trims = ["trimTrailingWhitespace", "insertFinalNewline", "trimFinalNewlines"];
  const actions = get("editor", "codeActionsOnSave") ?? {};
  return (
    get("editor", "formatOnSave") === true ||
    Object.keys(actions).length > 0 ||
    trims.some((name) => get("files", name) === true)
  );
}

function whyNot(edit: WorkspaceEdit): string | undefined {
  for (const { document, version } of openDocuments(edit)) {
    if (version !== null && version !== document.version)
      return `Nothing was applied: ${pathOf(document.uri.toString())} changed in that moment. Decide again.`;
  }
  for (const change of edit.documentChanges ?? []) {
    if (!("kind" in change) || change.kind !== "delete") continue;
    const document = openAt(change.uri);
    if (document?.isDirty === true)
      return `Nothing was applied: ${pathOf(change.uri)} has changes that are not saved, and would be deleted with them.`;
  }
  return undefined;
}

interface OpenDocument {
  readonly uri: string;
  readonly version: number | null;
  readonly document: vscode.TextDocument;
}

function openDocuments({ documentChanges = [] }: WorkspaceEdit): OpenDocument[] {
  return documentChanges.flatMap((change) => {
    if (!("textDocument" in change)) return [];
    const { uri, version } = change.textDocument;
    const document = openAt(uri);
    return document === undefined ? [] : [{ uri, version, document }];
  });
}

/** The documents that an edit leaves: those that it changes, and the new places of those that it moves. */
function namesIn({ documentChanges = [] }: WorkspaceEdit): readonly string[] {
  const names = documentChanges.flatMap((change) => {
    if ("textDocument" in change) return [change.textDocument.uri];
    return change.kind === "rename" ? [change.newUri] : [];
  });
  return [...new Set(names)];
}

/** What is gone by now, or is no text, is no document. */
async function openAlways(uri: string): Promise<void> {
  await Promise.resolve(vscode.workspace.openTextDocument(vscode.Uri.parse(uri))).catch(() => undefined);
}

function openAt(uri: string): vscode.TextDocument | undefined {
  const key = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === key);
}

/** The files of a proposal that hold no changes of the person's: they are saved with the edit, and others are left alone. */
function cleanDocuments({ hunks }: Proposal): readonly string[] {
  const uris = new Set(hunks.flatMap(({ uri, newUri }) => (newUri === undefined ? [uri] : [uri, newUri])));
  return [...uris].filter((uri) => openAt(uri)?.isDirty !== true);
}

function conflictWords(count: number): string {
  const were = count === 1 ? "1 hunk was" : `${count} hunks were`;
  return `${were} not applied: the text at the place changed. Edit merges, Accept tries again.`;
}
