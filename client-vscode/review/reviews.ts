/** Proposals, decided hunk by hunk in the editor. */
import * as vscode from "vscode";
import { acceptance, rejection } from "../../server/src/client/carry-out.ts";
import type { Hunk, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { type Agentq, tell } from "../server/agentq.ts";
import { Decisions } from "./decisions.ts";
import { ReviewedFiles } from "./files.ts";
import { OwnTexts, ownHunk } from "./own-text.ts";
import { type Stop, ReviewTabs } from "./tabs.ts";
import { counted, plain, statusWords } from "./texts.ts";
import { HunkThreads } from "./threads.ts";
import { openHunks, Waiting, type HunkName } from "./waiting.ts";

/** What a command is called with: a hunk or a proposal by name, a thread, a reply to one, or whatever a menu gives. */
type Given = Partial<HunkName> & { readonly thread?: unknown; readonly text?: string };

export function registerReviews(context: vscode.ExtensionContext, agentq: Agentq): void {
  const reviews = new Reviews(context, agentq);
  const commands: Readonly<Record<string, (given: Given | undefined) => Promise<unknown>>> = {
    "agentq.review": (given) => reviews.review(given),
    "agentq.acceptHunk": (given) => reviews.accept(given),
    "agentq.rejectHunk": (given) => reviews.reject(given),
    "agentq.rejectHunkWithReason": (given) => reviews.rejectWithReason(given),
    "agentq.editHunk": (given) => reviews.edit(given),
    "agentq.nextHunk": () => reviews.go(1),
    "agentq.previousHunk": () => reviews.go(-1),
    "agentq.acceptAll": (given) => reviews.decideAll(given, acceptance),
    "agentq.rejectAll": (given) => reviews.decideAll(given, ({ id }) => rejection(id, "")),
    "agentq.undoProposal": () => reviews.undo(),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(name, async (given: unknown) => {
        const work = run(typeof given === "object" && given !== null ? given : undefined);
        tell(work);
        await work.catch(() => undefined);
      }),
    );
  }
  context.subscriptions.push(reviews);
}

class Reviews implements vscode.Disposable {
  readonly #agentq: Agentq;
  readonly #waiting = new Waiting();
  readonly #own: OwnTexts;
  readonly #files: ReviewedFiles;
  readonly #threads = new HunkThreads();
  readonly #tabs: ReviewTabs;
  readonly #decisions: Decisions;
  readonly #status = vscode.window.createStatusBarItem("agentq.hunks", vscode.StatusBarAlignment.Left, 5);
  readonly #subscriptions: readonly vscode.Disposable[];
  #startedAt = Number.POSITIVE_INFINITY;
  /** The first server has said what waits: what is not among that is decided. */
  #isListed = false;
  /** The person decided in the editor, and not in the chat: the focus goes to what is behind a review that closes. */
  #isInEditor = false;

  constructor(context: vscode.ExtensionContext, agentq: Agentq) {
    this.#agentq = agentq;
    this.#own = new OwnTexts(this.#waiting, context.workspaceState, () => this.#files.soon());
    this.#files = new ReviewedFiles(this.#waiting, (proposal, hunk) => this.#own.of(proposal, hunk));
    this.#tabs = new ReviewTabs(this.#waiting, this.#files, context.workspaceState);
    this.#decisions = new Decisions(agentq, this.#waiting);
    this.#status.name = "Agent-Q: hunks that wait";
    this.#status.command = "agentq.review";
    this.#subscriptions = [
      agentq.on("agentq/proposal", (proposal) => tell(this.#arrive(proposal))),
      agentq.on("agentq/proposalChanged", (proposal) => tell(this.#put(proposal))),
      agentq.on("agentq/event", ({ event }) => {
        if (event.kind === "turnStarted") this.#tabs.asked();
      }),
      agentq.onDidStart(() => tell(this.#list())),
      agentq.onDidStop(() => this.#waiting.doubt()),
      this.#files.onDidCompose(() => {
        this.#threads.show(this.#files.all);
        this.#tellStatus();
        tell(this.#closeDecided());
      }),
    ];
  }

  async review(given: Given | undefined): Promise<void> {
    const proposal = await this.#chosen(given);
    if (proposal === undefined) return;
    await this.#files.refresh();
    await this.#tabs.open(proposal);
  }

  async accept(given: Given | undefined): Promise<void> {
    const stop = await this.#stop(given);
    if (stop === undefined) return;
    const editor = vscode.window.activeTextEditor?.document.uri;
    const isHere = editor !== undefined && ownHunk(editor)?.hunkId === stop.hunk.id;
    await this.#decide(stop, this.#own.acceptance(stop.file.proposal, stop.hunk, isHere));
  }

  async reject(given: Given | undefined): Promise<void> {
    const stop = await this.#stop(given);
    if (stop !== undefined) await this.#decide(stop, rejection(stop.hunk.id, given?.text?.trim() ?? ""));
  }

  async rejectWithReason(given: Given | undefined): Promise<void> {
    const stop = await this.#stop(given);
    if (stop === undefined) return;
    const reason = await vscode.window.showInputBox({
      title: `Why not? ${plain(stop.hunk.title)}`,
      prompt: "The model reads the reason. Escape decides nothing.",
      ignoreFocusOut: true,
    });
    if (reason !== undefined) await this.#decide(stop, rejection(stop.hunk.id, reason.trim()));
  }

  async edit(given: Given | undefined): Promise<void> {
    const stop = await this.#stop(given);
    if (stop === undefined) return;
    const { hunk, file } = stop;
    if (hunk.kind === "edit" || hunk.kind === "create") return await this.#own.edit(file.proposal, hunk);
    void vscode.window.setStatusBarMessage(`“${plain(hunk.title)}” has no text to change.`, 5000);
  }

  async go(step: 1 | -1): Promise<void> {
    const proposal = this.#tabs.shown ?? (await this.#chosen(undefined));
    if (proposal !== undefined) await this.#tabs.go(proposal, step);
  }

  async decideAll(given: Given | undefined, decision: (hunk: Hunk) => HunkDecision): Promise<void> {
    const proposal = await this.#chosen(given);
    if (proposal === undefined) return;
    const decisions = openHunks(proposal).map((hunk) => {
      const usual = decision(hunk);
      return usual.decision === "accept" ? this.#own.acceptance(proposal, hunk, false) : usual;
    });
    this.#isInEditor = given?.proposalId === undefined;
    await this.#carryOut(proposal, decisions);
  }

  /** The person chooses among what was applied; that the server takes it back is a proposal of its own. */
  async undo(): Promise<void> {
    const { items } = await this.#agentq.request("agentq/listProposals", {});
    const applied = items.filter(({ state }) => state === "applied" || state === "partiallyApplied");
    if (applied.length === 0) return void vscode.window.showInformationMessage("Nothing that was proposed is applied.");
    const choices = applied.toReversed().map(({ proposalId, title, why, at }) => ({
      label: plain(title),
      description: new Date(at).toLocaleString(),
      detail: plain(why),
      proposalId,
    }));
    const chosen = await vscode.window.showQuickPick(choices, {
      title: "Take which proposal back?",
      matchOnDetail: true,
    });
    if (chosen === undefined) return;
    this.#tabs.asked();
    const { left } = await this.#agentq.request("agentq/undoProposal", { proposalId: chosen.proposalId });
    if (left.length > 0) void vscode.window.showWarningMessage(left.map(({ why }) => plain(why)).join(" "));
  }

  dispose(): void {
    const all = [this.#own, this.#files, this.#threads, this.#tabs, this.#status, ...this.#subscriptions];
    for (const each of all) each.dispose();
  }

  async #arrive(proposal: Proposal): Promise<void> {
    const isNew = this.#waiting.get(proposal.proposalId) === undefined && Date.parse(proposal.at) > this.#startedAt;
    await this.#put(proposal);
    const opens = vscode.workspace.getConfiguration("agentq").get("review.open", "always") === "always";
    if (isNew && opens) await this.#tabs.arrive(proposal);
  }

  async #put(proposal: Proposal): Promise<void> {
    this.#waiting.put(proposal);
    await this.#files.refresh();
  }

  async #list(): Promise<void> {
    this.#startedAt = Date.now();
    const { items } = await this.#agentq.request("agentq/listProposals", { state: "pending" });
    const lost = this.#waiting.take(items);
    const isFirst = !this.#isListed;
    this.#isListed = true;
    if (lost.length > 0) {
      const titles = lost.map(({ title }) => `“${plain(title)}”`).join(", ");
      void vscode.window.showInformationMessage(`${titles} waits no more: the server that proposed it is gone.`);
    }
    await this.#files.refresh();
    if (isFirst) await this.#tabs.restore();
  }

  async #decide({ file, hunk }: Stop, decision: HunkDecision): Promise<void> {
    const { proposal } = file;
    this.#isInEditor = true;
    if (await this.#carryOut(proposal, [decision])) await this.#tabs.goOn(proposal.proposalId, { file, hunk });
  }

  async #carryOut(proposal: Proposal, decisions: readonly HunkDecision[]): Promise<boolean> {
    try {
      return await this.#decisions.decide(proposal, decisions);
    } finally {
      await this.#files.refresh();
    }
  }

  /** The hunk that a command is given, else the one at the cursor. Where the cursor is at none, nothing is decided. */
  async #stop(given: Given | undefined): Promise<Stop | undefined> {
    const { proposalId, hunkId } = this.#threads.nameOf(given?.thread ?? given) ?? given ?? {};
    if (proposalId !== undefined && hunkId !== undefined) {
      const stop = this.#tabs.stopOf({ proposalId, hunkId });
      if (stop === undefined) void vscode.window.showInformationMessage("This hunk is decided already.");
      return stop;
    }
    const { current } = this.#tabs;
    if (current !== undefined) return current;
    await this.go(1);
    if (this.#waiting.count > 0)
      void vscode.window.setStatusBarMessage(
        "The cursor was at no hunk: nothing was decided, and this is the next one.",
        6000,
      );
    return undefined;
  }

  /** The proposal that is named, else the one that is shown, else the only one, else the one that the person picks. */
  async #chosen(given: Given | undefined): Promise<Proposal | undefined> {
    const waiting = this.#waiting.all;
    if (given?.proposalId !== undefined) {
      const known = this.#waiting.get(given.proposalId);
      if (known === undefined) void vscode.window.showInformationMessage("This proposal is decided already.");
      return known;
    }
    if (this.#tabs.shown !== undefined) return this.#tabs.shown;
    if (waiting.length === 0) void vscode.window.showInformationMessage("Nothing waits for your decision.");
    if (waiting.length < 2) return waiting[0];
    const choices = waiting.map((proposal) => ({
      label: plain(proposal.title),
      description: counted(openHunks(proposal).length, "hunk"),
      detail: plain(proposal.why),
      proposal,
    }));
    return (await vscode.window.showQuickPick(choices, { title: "Review which proposal?" }))?.proposal;
  }

  async #closeDecided(): Promise<void> {
    if (!this.#isListed || this.#decisions.isDeciding) return;
    const closed = await Promise.all([
      this.#own.closeDecided(!this.#isInEditor),
      this.#tabs.closeDecided(!this.#isInEditor),
    ]);
    if (closed.includes(true)) this.#isInEditor = false;
  }

  #tellStatus(): void {
    const { count } = this.#waiting;
    this.#status.text = statusWords(count);
    this.#status.tooltip = "Agent-Q: review what is proposed";
    if (count > 0) this.#status.show();
    else this.#status.hide();
  }
}
