/** One turn as a client lives it: shows the events, asks about proposals, applies what was accepted and confirms it. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Approval, Hunk, HunkDecision, Proposal, TurnEvent } from "../../../server/src/protocol/shapes.ts";
import type { AgentqClient } from "../client/agentq-client.ts";
import type { HunkPlace } from "../terminal/hunk-diff.ts";
import type { Screen } from "../terminal/screen.ts";
import { Transcript } from "../terminal/transcript.ts";
import type { Reviewer } from "./review.ts";

export interface DecidedHunk {
  readonly hunk: Hunk;
  /** `src/allocate.ts:16` */
  readonly place: string;
  readonly decision: HunkDecision;
  /** False also for an accepted hunk whose place had changed, so that it could not be applied. */
  readonly applied: boolean;
}

export interface TurnReport {
  readonly end: TurnEvent & { readonly kind: "turnEnded" };
  readonly hunks: readonly DecidedHunk[];
}

export interface TurnParts {
  readonly client: AgentqClient;
  readonly screen: Screen;
  readonly folder: string;
  readonly review: Reviewer;
  readonly approve: (approval: Approval) => Promise<boolean>;
  /** After so long the turn has failed; undefined waits for ever. */
  readonly limitMs: number | undefined;
}

export async function runTurn(parts: TurnParts, text: string): Promise<TurnReport> {
  const { client, screen } = parts;
  const transcript = new Transcript(screen);
  const hunks: DecidedHunk[] = [];
  const ended = Promise.withResolvers<TurnReport["end"]>();
  // Notifications are taken one after another, also while a person thinks about a hunk.
  let last: Promise<void> = Promise.resolve();
  const inOrder = (work: () => void | Promise<void>): void => {
    last = last.then(work).catch((error: unknown) => ended.reject(error));
  };
  client.on("agentq/event", ({ event }) =>
    inOrder(() => {
      transcript.show(event);
      if (event.kind === "turnEnded") ended.resolve(event);
    }),
  );
  client.on("agentq/proposal", (proposal) =>
    inOrder(async () => {
      transcript.endParagraph();
      hunks.push(...(await decide(parts, proposal)));
    }),
  );
  client.on("agentq/approval", (approval) =>
    inOrder(async () => {
      transcript.endParagraph();
      const decision = (await parts.approve(approval)) ? "approved" : "denied";
      await client.request("agentq/answerApproval", { approvalId: approval.approvalId, decision, then: "continue" });
    }),
  );
  await client.request("agentq/prompt", { text });
  const gone = client.gone.then((reason): never => {
    throw new Error(`the server has stopped in the middle of the turn: ${reason}`);
  });
  const limit = setTimeout(
    () => ended.reject(new Error(`the turn did not end within ${Number(parts.limitMs) / 1000} s`)),
    parts.limitMs ?? 2 ** 31 - 1,
  );
  try {
    return { end: await Promise.race([ended.promise, gone]), hunks };
  } finally {
    clearTimeout(limit);
  }
}

async function decide(parts: TurnParts, proposal: Proposal): Promise<DecidedHunk[]> {
  const { client, screen } = parts;
  for (const uri of new Set(proposal.hunks.filter((hunk) => hunk.kind !== "create").map((hunk) => hunk.uri))) {
    await client.buffers.open(uri);
  }
  const pathOf = (hunk: Hunk): string => relative(parts.folder, fileURLToPath(hunk.uri)).replaceAll("\\", "/");
  const review = await parts.review(proposal, (hunk): HunkPlace => ({
    path: pathOf(hunk),
    text: client.buffers.textOf(hunk.uri) ?? "",
    index: proposal.hunks.indexOf(hunk) + 1,
    total: proposal.hunks.length,
  }));
  const { proposalId } = proposal;
  const answer = await client.request("agentq/decide", {
    proposalId,
    hunks: [...review.decisions],
    then: review.then,
  });
  if (answer.edit !== null) {
    const documents = await client.buffers.apply(answer.edit);
    const { verified, mismatched } = await client.request("agentq/didApply", { proposalId, documents });
    if (!verified) throw new Error(`the server sees another text than was approved in ${mismatched.join(", ")}`);
  }
  if (answer.conflicts.length > 0) {
    // This client does not merge: what the file has become since stays.
    const rest = answer.conflicts.map((id) => ({ id, decision: "reject" as const, reason: "not merged here" }));
    await client.request("agentq/decide", { proposalId, hunks: rest, then: review.then });
  }
  screen.line();
  return review.decisions.flatMap((decision) => {
    const hunk = proposal.hunks.find(({ id }) => id === decision.id);
    if (hunk === undefined) return [];
    const place = `${pathOf(hunk)}:${hunk.range.start.line + 1}`;
    const applied = decision.decision !== "reject" && !answer.conflicts.includes(hunk.id);
    return [{ hunk, place, decision, applied }];
  });
}
