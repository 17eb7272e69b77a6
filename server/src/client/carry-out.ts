/** What a client does with decisions about a proposal: to send them, to apply what was accepted, and to confirm it. */
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import type { RequestParams } from "../protocol/methods.ts";
import type { DidApplyResult, DecideResult, DocumentStamp, Hunk, HunkDecision } from "../protocol/proposal-shapes.ts";

export interface DecisionPorts {
  readonly decide: (params: RequestParams<"agentq/decide">) => Promise<DecideResult>;
  readonly didApply: (params: RequestParams<"agentq/didApply">) => Promise<DidApplyResult>;
  /** Puts the edit into the client's documents and says what each one is now, or nothing where nobody can tell. */
  readonly apply: (edit: WorkspaceEdit) => Promise<DocumentStamp[]>;
  /** There for a client that cannot merge: the reason with which hunks in conflict are rejected. Else they stay open. */
  readonly notMerged?: string;
}

export interface CarriedOut {
  /** Hunks that were accepted, and could not be applied because the text at their place had changed. */
  readonly conflicts: readonly string[];
  /** Documents that hold something else than what was approved; undefined where all was applied. */
  readonly mismatched: readonly string[] | undefined;
}

export type Decisions = Pick<RequestParams<"agentq/decide">, "message" | "then"> & {
  readonly proposalId: string;
  readonly hunks: readonly HunkDecision[];
};

/** Rejects where the server refuses the decisions or the edit cannot be applied. */
export async function carryOut(ports: DecisionPorts, decisions: Decisions): Promise<CarriedOut> {
  const { proposalId, hunks, ...more } = decisions;
  const { edit, conflicts } = await ports.decide({ proposalId, hunks: [...hunks], ...more });
  let mismatched: CarriedOut["mismatched"];
  if (edit !== null) {
    const told = await ports.didApply({ proposalId, documents: await ports.apply(edit) });
    if (!told.verified) ({ mismatched } = told);
  }
  const { notMerged } = ports;
  if (conflicts.length > 0 && notMerged !== undefined) {
    await ports.decide({ proposalId, hunks: conflicts.map((id) => refusal(id, notMerged)), ...more });
  }
  return { conflicts, mismatched };
}

/** What becomes of a hunk when all are accepted at once: one that a person takes by itself is left out. */
export function acceptance({ id, defaultDecision }: Hunk): HunkDecision {
  return defaultDecision === "reject"
    ? refusal(id, "left out: it is accepted by itself only")
    : { id, decision: "accept" };
}

/** A rejection that no person decided: the reason is the program's. */
export function refusal(id: string, reason: string): HunkDecision {
  return { id, decision: "reject", reason, by: "program" };
}

export function rejection(id: string, reason: string): HunkDecision {
  return reason === "" ? { id, decision: "reject" } : { id, decision: "reject", reason };
}
