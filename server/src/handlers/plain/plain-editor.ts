/**
 * The agent in an editor that knows only standard LSP. The server takes the part that our own clients have: answers open as
 * documents, a proposal is asked about hunk by hunk, and what is accepted is applied by the editor, file by file.
 */
import type { Range, WorkspaceEdit } from "vscode-languageserver-protocol";
import { carryOut } from "../../client/carry-out.ts";
import type {
  NotificationMethod,
  NotificationParams,
  RequestParams,
  SomeNotification,
} from "../../protocol/methods.ts";
import type { Hunk, HunkDecision, Proposal } from "../../protocol/proposal-shapes.ts";
import type { Approval } from "../../protocol/tool-shapes.ts";
import { pause } from "../../base/abort.ts";
import { showHidden } from "../../workspace/hidden-characters.ts";
import type { RequestHandlers } from "../requests.ts";
import { AnswerDocuments } from "./answer-documents.ts";
import { approvalQuestion, hunkQuestion, approvalText, isShort } from "../../client/questions.ts";
import type { PlainWire } from "./plain-wire.ts";

// Editors take the first answer where a person presses Enter, which may have been meant for the code.
const HUNK_ANSWERS = ["Later", "Accept", "Reject", "Accept all", "Reject all"] as const;
/** So long after the last change of a text the person is taken to look up. */
const QUIET_MS = 2_000;
const CANNOT_ASK = "The editor could not ask the person.";
const NOT_MERGED = "The text at its place changed, and this editor cannot merge.";

interface Waiting {
  readonly ask: (signal: AbortSignal) => Promise<void>;
  /** Takes the question back where it is being asked. */
  taken: AbortController;
}

export interface PlainEditorParts {
  readonly wire: PlainWire;
  readonly handlers: () => RequestHandlers;
  readonly pathOf: (uri: string) => string;
  readonly logBug: (error: unknown) => void;
}

export class PlainEditor {
  readonly answers: AnswerDocuments;
  readonly #parts: PlainEditorParts;
  readonly #proposals = new Map<string, Proposal>();
  /** By the id of a proposal or an approval. */
  readonly #waiting = new Map<string, Waiting>();
  #asking: Promise<void> = Promise.resolve();
  #editedAt = 0;
  #isApplying = false;
  /** The conversation that prompts go on with. */
  sessionId: string | undefined;

  constructor(parts: PlainEditorParts) {
    this.#parts = parts;
    this.answers = new AnswerDocuments(parts.wire);
  }

  /** How many questions the person put off. */
  get waiting(): number {
    return this.#waiting.size;
  }

  readonly notify = <Method extends NotificationMethod>(method: Method, params: NotificationParams[Method]): void => {
    const heard = { method, params } as SomeNotification;
    switch (heard.method) {
      case "agentq/event":
        return this.answers.hear(heard.params.turnId, heard.params.event);
      case "agentq/proposal":
        this.#proposals.set(heard.params.proposalId, heard.params);
        return this.#wait(heard.params.proposalId, (signal) => this.#review(heard.params.proposalId, signal));
      case "agentq/proposalChanged":
        return this.#changed(heard.params);
      case "agentq/approval":
        return this.#wait(heard.params.approvalId, (signal) => this.#approve(heard.params, signal));
      case "agentq/approvalChanged":
        return this.#over(heard.params.approvalId);
      default:
        return undefined;
    }
  };

  say(message: string): void {
    this.#parts.wire.say(message);
  }

  /** Asks again what the person put off. */
  askAgain(): void {
    for (const id of this.#waiting.keys()) this.#ask(id);
  }

  async prompt(asked: RequestParams<"agentq/prompt">): Promise<unknown> {
    const known = this.sessionId === undefined ? {} : { sessionId: this.sessionId };
    const said = await this.#call("agentq/prompt", { ...known, ...asked });
    this.sessionId = said.sessionId;
    return said;
  }

  dispose(): void {
    for (const id of this.#waiting.keys()) this.#over(id);
    this.answers.dispose();
  }

  #wait(id: string, ask: Waiting["ask"]): void {
    this.#waiting.set(id, { ask, taken: new AbortController() });
    this.#ask(id);
  }

  /** One question after another: editors show one at a time. */
  #ask(id: string): void {
    this.#asking = this.#asking.then(async () => {
      const waiting = this.#waiting.get(id);
      if (waiting === undefined) return;
      await waiting.ask(waiting.taken.signal).catch(this.#parts.logBug);
    });
  }

  #over(id: string): void {
    this.#waiting.get(id)?.taken.abort();
    this.#waiting.delete(id);
  }

  #changed(proposal: Proposal): void {
    const { proposalId, state } = proposal;
    if (state === "pending") this.#proposals.set(proposalId, proposal);
    else {
      this.#proposals.delete(proposalId);
      this.#over(proposalId);
    }
  }

  async #review(proposalId: string, signal: AbortSignal): Promise<void> {
    const isOpen = await this.#showWhole(proposalId);
    const decided: HunkDecision[] = [];
    let rest: HunkDecision["decision"] | undefined;
    for (const hunk of this.#open(proposalId)) {
      if (rest === undefined || (rest === "accept" && hunk.defaultDecision === "reject")) {
        const answer = await this.#askAbout(proposalId, hunk, isOpen, signal);
        if (signal.aborted) return;
        if (answer === "Later" || answer === null) continue;
        if (answer === "Accept all") rest = "accept";
        if (answer === "Reject all" || answer === undefined) rest = "reject";
        const decision = answer === "Accept" || answer === "Accept all" ? "accept" : "reject";
        decided.push({ id: hunk.id, decision, ...(answer === undefined ? { reason: CANNOT_ASK } : {}) });
      } else decided.push({ id: hunk.id, decision: rest });
    }
    if (decided.length > 0) await this.#decide(proposalId, decided);
  }

  #open(proposalId: string): Hunk[] {
    const hunks = this.#proposals.get(proposalId)?.hunks ?? [];
    return hunks.filter(({ state }) => state === "pending" || state === "conflict");
  }

  #askAbout(proposalId: string, hunk: Hunk, isOpen: boolean, signal: AbortSignal): Promise<HunkAnswer> {
    const proposal = this.#proposals.get(proposalId);
    if (proposal === undefined) return Promise.resolve(null);
    const now = proposal.hunks.find(({ id }) => id === hunk.id) ?? hunk;
    const answers = this.#open(proposalId).length > 1 ? HUNK_ANSWERS : (["Later", "Accept", "Reject"] as const);
    return this.#choose(hunkQuestion(proposal, now, this.#parts.pathOf, isOpen), answers, signal);
  }

  /**
   * An editor that takes the first key for an answer would take one that was meant for the code: so nobody is asked who
   * is typing.
   */
  async #choose<Answer extends string>(
    question: string,
    answers: readonly Answer[],
    signal: AbortSignal,
  ): Promise<Answer | null | undefined> {
    const left = (): number => this.#editedAt + QUIET_MS - Date.now();
    while (left() > 0 && !signal.aborted) await pause(left(), signal).catch(() => undefined);
    if (signal.aborted) return null;
    return this.#parts.wire.choose(question, answers, signal);
  }

  /** The person, or what the person runs, has changed a text. */
  edited(): void {
    if (!this.#isApplying) this.#editedAt = Date.now();
  }

  /** All of the proposal as a patch to read. */
  async #showWhole(proposalId: string): Promise<boolean> {
    const { patch } = await this.#call("agentq/exportProposal", { proposalId });
    return this.answers.show("proposal", "diff", showHidden(patch));
  }

  async #decide(proposalId: string, hunks: HunkDecision[]): Promise<void> {
    const { wire, pathOf } = this.#parts;
    const { conflicts, mismatched } = await carryOut(
      {
        decide: (params) => this.#call("agentq/decide", params),
        didApply: (params) => this.#call("agentq/didApply", params),
        apply: (edit) => this.#apply(edit),
        notMerged: NOT_MERGED,
      },
      { proposalId, hunks },
    );
    if (conflicts.length > 0) wire.say(`${conflicts.length} of the hunks could not be applied. ${NOT_MERGED}`);
    if (mismatched === undefined) return;
    const names = mismatched.map(pathOf).join(", ");
    wire.say(`What was accepted does not stand in ${names === "" ? "the files" : names}: decide anew.`);
    this.#ask(proposalId);
  }

  /** The editor is not believed when it says that an edit was applied: the server looks at the texts. */
  async #apply(edit: WorkspaceEdit): Promise<[]> {
    const { wire, pathOf } = this.#parts;
    this.#isApplying = true;
    try {
      for (const [uri, part] of byFile(edit)) await wire.applyEdit(`Agent-Q: ${pathOf(uri)}`, withFirstLine(part));
    } finally {
      this.#isApplying = false;
    }
    return [];
  }

  async #approve(approval: Approval, signal: AbortSignal): Promise<void> {
    const { approvalId, answers } = approval;
    const yes = answers?.approved ?? "Allow";
    const always = answers?.always;
    const choices = [answers?.denied ?? "Deny", yes, ...(always === undefined ? [] : [always])];
    const isOpen = !isShort(approval) && (await this.answers.open("question", "txt", `${approvalText(approval)}\n`));
    const answer = await this.#choose(approvalQuestion(approval, isOpen), choices, signal);
    if (signal.aborted || answer === null) return;
    const isYes = answer === yes || (always !== undefined && answer === always);
    await this.#call("agentq/answerApproval", {
      approvalId,
      decision: isYes ? "approved" : "denied",
      ...(answer === always ? { remember: "workspace" } : {}),
      ...(answer === undefined ? { message: CANNOT_ASK } : {}),
    });
  }

  async #call<Method extends keyof RequestHandlers>(
    method: Method,
    params: RequestParams<Method>,
  ): Promise<Awaited<ReturnType<RequestHandlers[Method]>>> {
    const handler = this.#parts.handlers()[method] as (given: unknown, signal: AbortSignal) => unknown;
    return (await handler(params, new AbortController().signal)) as Awaited<ReturnType<RequestHandlers[Method]>>;
  }
}

type HunkAnswer = (typeof HUNK_ANSWERS)[number] | null | undefined;
/** An edit for each file: an editor that fails at one has done the others. */
function byFile({ documentChanges = [], changeAnnotations }: WorkspaceEdit): [uri: string, edit: WorkspaceEdit][] {
  const uriOf = (change: (typeof documentChanges)[number]): string =>
    "kind" in change ? (change.kind === "rename" ? change.newUri : change.uri) : change.textDocument.uri;
  const groups = Map.groupBy(documentChanges, uriOf);
  const annotated = changeAnnotations === undefined ? {} : { changeAnnotations };
  return [...groups].map(([uri, changes]) => [uri, { documentChanges: changes, ...annotated }]);
}

/** Vim's buffer of a new file has one empty line, which stays below the text unless the edit is in its place. */
function withFirstLine({ documentChanges = [], ...edit }: WorkspaceEdit): WorkspaceEdit {
  const created = new Set(
    documentChanges.flatMap((change) => ("kind" in change && change.kind === "create" ? [change.uri] : [])),
  );
  const changes = documentChanges.map((change) => {
    if ("kind" in change || !created.has(change.textDocument.uri)) return change;
    const edits = change.edits.map((each) => (isNothing(each.range) ? { ...each, range: FIRST_LINE } : each));
    return { ...change, edits };
  });
  return { ...edit, documentChanges: changes };
}

const FIRST_LINE: Range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };

function isNothing({ end }: Range): boolean {
  return end.line === 0 && end.character === 0;
}
