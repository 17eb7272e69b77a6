/** What waits for the person, of all conversations: questions, and proposals that are not decided. */
import { firstOf } from "../../server/src/base/cut-text.ts";
import { given } from "../../server/src/base/given.ts";
import { plural } from "../../server/src/base/plural.ts";
import { approvalText } from "../../server/src/client/questions.ts";
import type { Check, HunksChanged, Proposal, TestVerdict } from "../../server/src/protocol/proposal-shapes.ts";
import type { Approval } from "../../server/src/protocol/tool-shapes.ts";
import { showHidden, withHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { ApprovalCard, Card, Field, ProposalCard } from "./page-messages.ts";

export class Waiting {
  readonly #approvals = new Map<string, Approval>();
  readonly #proposals = new Map<string, Proposal>();

  get size(): number {
    return this.#approvals.size + this.#proposals.size;
  }

  ask(approval: Approval): void {
    this.#approvals.set(approval.approvalId, approval);
  }

  answered(approvalId: string): void {
    this.#approvals.delete(approvalId);
  }

  propose(proposal: Proposal): void {
    if (proposal.state === "pending") this.#proposals.set(proposal.proposalId, proposal);
    else this.#proposals.delete(proposal.proposalId);
  }

  /** The proposal as it is now; undefined where it is not known. */
  change({ proposalId, hunks, ...more }: HunksChanged): Proposal | undefined {
    const known = this.#proposals.get(proposalId);
    if (known === undefined) return undefined;
    const changed = new Map(hunks.map((hunk) => [hunk.id, hunk]));
    const proposal = { ...known, ...more, hunks: known.hunks.map((hunk) => changed.get(hunk.id) ?? hunk) };
    this.propose(proposal);
    return proposal;
  }

  /** The arguments with what the person wrote in their place; undefined where that is what stood there. Throws a sentence. */
  changed(approvalId: string, fields: readonly Field[]): Record<string, unknown> | undefined {
    const { arguments: before = {} } = this.#approvals.get(approvalId) ?? {};
    const written = fields.filter(({ name, text }) => text !== fieldText(before[name]));
    if (written.length === 0) return undefined;
    const values = written.map(({ name, text }) => [name, valueOf(name, text, before[name])] as const);
    return { ...before, ...Object.fromEntries(values) };
  }

  clear(): void {
    this.#approvals.clear();
    this.#proposals.clear();
  }

  /** The oldest question first, then the proposals. */
  cards(sessionId: string): Card[] {
    return [
      ...[...this.#approvals.values()].map((approval) => approvalCard(approval, sessionId)),
      ...[...this.#proposals.values()].map((proposal) => proposalCard(proposal, sessionId)),
    ];
  }

  /** What the end of a conversation's turn withdraws, in words; empty for nothing. */
  loss(sessionId: string): string {
    const ofTurn = (each: Approval | Proposal): boolean =>
      each.sessionId === sessionId && each.toolCallId !== undefined;
    const questions = [...this.#approvals.values()].filter(ofTurn).length;
    const proposals = [...this.#proposals.values()].filter(ofTurn).length;
    return [
      ...(questions === 0 ? [] : [plural(questions, "question")]),
      ...(proposals === 0 ? [] : [plural(proposals, "proposal")]),
    ].join(" and ");
  }
}

function approvalCard(approval: Approval, shown: string): ApprovalCard {
  const { approvalId: id, sessionId, toolCallId, answers } = approval;
  const { approved: allow, denied: deny, always } = answers ?? { approved: "Allow", denied: "Deny" };
  const session = toolCallId === undefined || answers !== undefined ? undefined : "Allow for this conversation";
  const isOther = sessionId !== undefined && sessionId !== shown;
  const isCall = toolCallId !== undefined && approval.question === undefined;
  const fields = isCall
    ? Object.entries(approval.arguments).map(([name, value]) => ({ name, text: fieldText(value) }))
    : [];
  const question = approvalText({ ...approval, why: "", risk: "" });
  const why = showHidden([approval.why, approval.risk].filter((text) => text !== "").join("\n"));
  return {
    id,
    kind: "approval",
    question,
    why,
    fields,
    allow,
    deny,
    isOther,
    ...given({ session, always }),
  };
}

function fieldText(value: unknown): string {
  return showHidden(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

function valueOf(name: string, text: string, before: unknown): unknown {
  if (typeof before === "string") return withHidden(text);
  try {
    return JSON.parse(withHidden(text));
  } catch {
    throw new Error(`${name} has to be JSON; nothing was run.`);
  }
}

function proposalCard(
  { proposalId, sessionId, title, why, hunks, check, tests }: Proposal,
  shown: string,
): ProposalCard {
  const files = new Set(hunks.map(({ uri }) => uri)).size;
  const open = hunks.filter(({ state }) => state === "pending" || state === "conflict");
  const conflicts = open.filter(({ state }) => state === "conflict").length;
  const count =
    open.length < hunks.length ? `${open.length} of ${plural(hunks.length, "hunk")}` : plural(hunks.length, "hunk");
  const size = `${count} in ${plural(files, "file")}${conflicts === 0 ? "" : `, ${conflicts} in conflict`}`;
  const verdicts = [checkWords(check), ...(tests === undefined ? [] : [testWords(tests)])];
  const isBad = check.introduced.length > 0 || (tests?.failed ?? 0) > 0;
  return {
    id: proposalId,
    kind: "proposal",
    title: showHidden(title),
    why: showHidden(why),
    size,
    verdict: showHidden(verdicts.join("\n")),
    isBad,
    isOther: sessionId !== undefined && sessionId !== shown,
  };
}

function checkWords({ state, introduced, resolved, reason }: Check): string {
  if (state === "running") return "The compiler looks at it …";
  if (state === "unavailable") return `The compiler says nothing${reason === undefined ? "" : `: ${reason}`}`;
  const gone = resolved.length === 0 ? "" : `, ${plural(resolved.length, "error")} gone`;
  if (introduced.length === 0) return `The compiler finds no new errors${gone}`;
  const messages = firstOf(
    introduced.map(({ message }) => message),
    2,
  ).join("; ");
  return `The compiler finds ${plural(introduced.length, "new error")}${gone}: ${messages}`;
}

function testWords({ state, passed, failed, reason }: TestVerdict): string {
  if (state === "running") return "The tests run …";
  if (state === "unavailable") return `No test ran${reason === undefined ? "" : `: ${reason}`}`;
  return `${plural(passed, "test")} passed, ${failed} failed`;
}
