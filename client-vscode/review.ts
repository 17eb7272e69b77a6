/** A proposal in an editor that shows edits with checkboxes, applies what is ticked, and tells nobody what that was. */
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import { carryOut, rejection } from "../server/src/client/carry-out.ts";
import { decisionPorts, type ConversationClient, type Review } from "../server/src/client/conversation.ts";
import { hunkQuestion } from "../server/src/client/questions.ts";
import { fenced } from "../server/src/base/fenced.ts";
import type { Hunk, HunkDecision, Proposal } from "../server/src/protocol/proposal-shapes.ts";

export interface ReviewEditor {
  /** Contract: settles when the person has applied or closed the preview. What the edit has done is seen by the texts. */
  preview(edit: WorkspaceEdit): Promise<void>;
  /** Contract: adds to the chat's end, in the order of the calls, and does not throw. */
  append(markdown: string): void;
  /** Contract: takes no focus from where the person types; undefined where the question was closed without an answer. */
  ask(question: string, answers: readonly string[]): Promise<string | undefined>;
}

/**
 * The hunks of texts are previewed, and those that stand in the documents afterwards were ticked: the server compares as
 * well, and counts an accepted hunk whose text stands there already as applied. The others, and moves, deletions,
 * entries and what the person takes by itself, are asked about. Undefined where something was left without an answer.
 */
export async function reviewInPreview(
  { client, editor }: { readonly client: ConversationClient; readonly editor: ReviewEditor },
  { proposalId }: Proposal,
  signal: AbortSignal,
): Promise<Review | undefined> {
  const before = await client.request("agentq/openProposal", { proposalId });
  const shown = new Set(before.hunks.filter(isPreviewed).map(({ id }) => id));
  if (shown.size > 0) await editor.preview(editOf(before.edit, shown));
  if (signal.aborted) return undefined;
  const now = await client.request("agentq/openProposal", { proposalId });
  const waiting = now.hunks.filter(({ state }) => state === "pending" || state === "conflict");
  const applied = waiting.filter(stands).map(({ id }): HunkDecision => ({ id, decision: "accept" }));
  const rest = waiting.filter((hunk) => !stands(hunk));
  if (rest.length === 0) return { decisions: applied, then: "continue" };
  // What stands in the documents is told at once: a turn that is cancelled meanwhile has the truth about those hunks.
  // A conflict that nobody is asked about would hold up the turn for good.
  const ports = { ...decisionPorts(client), notMerged: "not merged here" };
  if (applied.length > 0) await carryOut(ports, { proposalId, hunks: applied });
  const [offered, left] = [rest.filter((hunk) => isAsked(hunk, shown)), rest.filter((hunk) => !isAsked(hunk, shown))];
  const decisions = left.map(({ id }) => rejection(id, ""));
  const ask = async (
    question: string,
    hunks: readonly Hunk[],
    answers: readonly string[],
  ): Promise<string | undefined> => {
    const texts = hunks.flatMap((hunk) => [hunkQuestion(now, hunk, pathOf, false), hunk.conflict ?? ""]);
    const detail = [...texts, now.why].filter((text) => text !== "").join("\n\n");
    editor.append(`\n\n${fenced("Asked:", detail)}\n\n`);
    const answer = await editor.ask(question, answers);
    return signal.aborted ? undefined : answer;
  };
  if (
    left.length > 0 &&
    (await ask(`Not applied: ${left.length} of ${waiting.length} hunks. Reject them?`, left, ["Reject"])) === undefined
  )
    return undefined;
  for (const hunk of offered) {
    const answer = await ask(`${hunk.title}?`, [hunk], ["Reject", "Accept"]);
    if (answer === undefined) return undefined;
    decisions.push(answer === "Accept" ? { id: hunk.id, decision: "accept" } : rejection(hunk.id, ""));
  }
  return { decisions, then: "continue" };
}

/** A hunk that no preview has shown. */
function isAsked({ id, state }: Hunk, shown: ReadonlySet<string>): boolean {
  return state === "pending" && !shown.has(id);
}

function isPreviewed({ kind, state, defaultDecision }: Hunk): boolean {
  return (kind === "edit" || kind === "create") && state === "pending" && defaultDecision !== "reject";
}

/** The text has got to its place without the server, which makes the place one that was touched. */
function stands({ state, currentText, newText }: Hunk): boolean {
  return state === "conflict" && currentText === newText;
}

function pathOf(uri: string): string {
  return decodeURIComponent(new URL(uri).pathname);
}

/** The part of the edit that is about these hunks; each of its changes is annotated with the id of its hunk. */
function editOf(
  { documentChanges = [], changeAnnotations = {} }: WorkspaceEdit,
  ids: ReadonlySet<string>,
): WorkspaceEdit {
  const isMeant = (change: object): boolean => "annotationId" in change && ids.has(String(change.annotationId));
  return {
    changeAnnotations,
    documentChanges: documentChanges.flatMap((change): typeof documentChanges => {
      if (!("textDocument" in change)) return isMeant(change) ? [change] : [];
      const edits = change.edits.filter(isMeant);
      return edits.length === 0 ? [] : [{ ...change, edits }];
    }),
  };
}
