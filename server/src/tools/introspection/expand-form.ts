/** What `macroexpand_form` answers. Loaded with its first call: the parser comes with it. */
import type { Target } from "../../typescript/expand/targets.ts";
import { expandCode } from "../../typescript/expand/expand-code.ts";
import { OutwardName } from "../../typescript/expand/outward-names.ts";
import { expandType } from "../../typescript/expand/expand-type.ts";
import { planExpansion, type CodePlan, type ExpansionPlan } from "../../typescript/expand/expansion-plan.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { ToolFailure, type ToolAnswer } from "../tool.ts";
import { answerFrom, explainResolution, type Paging } from "../answers/answer-text.ts";
import { codeText } from "../answers/rendered/code-expansion-text.ts";
import { typeText } from "../answers/rendered/type-expansion-text.ts";
import { given } from "../../base/given.ts";

export interface ExpandRequest extends Paging {
  readonly form: string;
  readonly full?: boolean | undefined;
  readonly target?: Target | undefined;
  readonly path?: string | undefined;
  readonly as?: "type" | "code" | undefined;
  readonly decorators?: "standard" | "experimental" | undefined;
  readonly jsx?: "preserve" | "react" | "react-jsx" | "react-jsxdev" | undefined;
}

/** One step shows the type's own members; full goes down until only built-in types keep their names. */
const ONE_STEP = { depth: 1, members: 300 };
const FULL = { depth: 8, members: 600 };

export async function expandForm(
  service: TypeScriptService,
  args: ExpandRequest,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const full = args.full === true;
  const planned = await plan(service, signal, args);
  if (planned.kind === "answer") return planned.answer;
  const { expansion, answer, view } = planned;
  if (expansion.kind === "type") {
    const result = await expandType(expansion.question, full ? FULL : ONE_STEP, signal).catch((error: unknown) => {
      throw error instanceof OutwardName ? new ToolFailure(error.message) : error;
    });
    return { ...answer, ...typeText(view, expansion, result, { ...args, full }) };
  }
  const result = await lowered(expansion, args, full);
  return { ...answer, ...codeText(expansion, result, { ...args, full }) };
}

interface Planned {
  readonly kind: "plan";
  readonly expansion: Extract<ExpansionPlan, { kind: "type" | "code" }>;
  /** The parts that every answer from the compiler carries; the content is still to come. */
  readonly answer: ToolAnswer;
  readonly view: View;
}

/** Asks the first compiler, which answers everybody; the expansion itself then goes on without that compiler. */
async function plan(
  service: TypeScriptService,
  signal: AbortSignal,
  args: ExpandRequest,
): Promise<Planned | { readonly kind: "answer"; readonly answer: ToolAnswer }> {
  let planned: Omit<Planned, "answer"> | undefined;
  const answer = await answerFrom(service, signal, async (view) => {
    const expansion = await planExpansion(view, { form: args.form, package: args.path, as: args.as });
    if (expansion.kind === "unresolved") return explainResolution(view, expansion.asked, expansion.resolution);
    if (expansion.kind === "not possible") throw new ToolFailure(expansion.reason);
    planned = { kind: "plan", expansion, view };
    return { content: "" };
  });
  return planned === undefined ? { kind: "answer", answer } : { ...planned, answer };
}

async function lowered(
  expansion: CodePlan,
  { target, decorators, jsx }: ExpandRequest,
  full: boolean,
): Promise<Extract<Awaited<ReturnType<typeof expandCode>>, { kind: "code" }>> {
  const result = await expandCode(expansion, choicesOf({ target, decorators, jsx }), full);
  if (result.kind === "code") return result;
  const { message, line, column } = result.problem;
  throw new ToolFailure(`The form is neither a type nor code that parses: line ${line}:${column}: ${message}`);
}

function choicesOf(args: Pick<ExpandRequest, "target" | "decorators" | "jsx">): Parameters<typeof expandCode>[1] {
  return {
    ...given({ target: args.target, decorators: args.decorators, jsx: args.jsx }),
  };
}
