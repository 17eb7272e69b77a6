/** A tool whose edit the compiler makes: planned in one query, reviewed by the person, and looked at again afterwards. */
import type { SchemaType } from "../../schema/schema-type.ts";
import type { JsonSchema } from "../../protocol/shapes.ts";
import { describeOutcome } from "../../proposals/describe-outcome.ts";
import type { ProposalOutcome } from "../../proposals/proposal.ts";
import type { View } from "../../typescript/view.ts";
import { answerFrom } from "../answers/answer-text.ts";
import { ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import type { PreparedEdit } from "./compiler-edit.ts";
import { defineEdit, propose, type EditDefinition, type EditPorts } from "./define-edit.ts";

/** What the compiler made, ready to be proposed. */
export interface PlannedEdit {
  readonly title: string;
  /** What the person reads; `missing` tells what was not searched. */
  readonly why: (missing: readonly string[]) => string;
  readonly edit: PreparedEdit;
  /** What the model reads before the outcome, and after it. */
  readonly summary?: readonly string[];
  readonly left?: (outcome: ProposalOutcome) => readonly string[];
  /** The answer when the edit changes nothing. */
  readonly nothing: string;
}

type CompilerEdit<Schema extends JsonSchema> = Omit<EditDefinition<Schema>, "run"> & {
  /** Runs inside a query, more than once when the text moves meanwhile. */
  readonly plan: (view: View, args: SchemaType<Schema>) => Promise<PlannedEdit | ToolAnswer>;
};

const DEADLINE_MS = 60_000;

export function defineCompilerEdit<const Schema extends JsonSchema>(
  ports: EditPorts,
  { plan, ...rest }: CompilerEdit<Schema>,
): Tool {
  return defineEdit(ports, {
    ...rest,
    run: async (args, context): Promise<ToolAnswer> => {
      let planned: PlannedEdit | undefined;
      const answer = await withinDeadline(context.signal, (signal) =>
        answerFrom(ports.typescript, signal, async (view) => {
          planned = undefined;
          const found = await plan(view, args);
          if ("content" in found) return found;
          if (found.edit.documents.length > 0) planned = found;
          return { content: found.nothing };
        }),
      );
      if (planned === undefined) return answer;
      const { title, edit, why, summary = [], left } = planned;
      const missing = answer.complete === false ? (answer.notes ?? []) : [];
      const { documents, related } = edit;
      const proposal = { title, why: why(missing), documents, related };
      const { outcome, checked } = await propose(ports, context, proposal);
      const lines = [
        ...summary,
        describeOutcome(outcome, { countApplied: true }),
        ...(left?.(outcome) ?? []),
        ...checked,
      ];
      return { ...answer, content: lines.join("\n") };
    },
  });
}

/** Computing an edit ends; only the person may take as long as they like. */
async function withinDeadline<Result>(
  signal: AbortSignal,
  compute: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await compute(AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw new ToolFailure(`The compiler did not make the edit within ${DEADLINE_MS / 1000} s. Nothing changed.`);
  }
}
