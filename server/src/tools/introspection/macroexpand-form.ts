/** The tool `macroexpand_form`: what a type stands for, and what code becomes at run time. Nothing is executed. */
import { TARGETS } from "../../typescript/expand/code-features.ts";
import { expandCode } from "../../typescript/expand/expand-code.ts";
import { expandType } from "../../typescript/expand/expand-type.ts";
import { planExpansion, type CodePlan, type ExpansionPlan } from "../../typescript/expand/expansion-plan.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { answerFrom, explainResolution, pageSchema } from "./answer-text.ts";
import { codeText } from "./code-expansion-text.ts";
import { typeText } from "./type-expansion-text.ts";

const input = {
  type: "object",
  properties: {
    form: {
      type: "string",
      minLength: 1,
      maxLength: 20_000,
      description:
        "A type (Partial<User>, src/a.ts#Config, keyof Pick<…>), code (enum, decorators, JSX, using, …), or the address of either.",
    },
    full: {
      type: "boolean",
      description: "Types: all levels in place of one step. Code: helpers written out. Default false.",
    },
    target: { enum: TARGETS, description: "What code is lowered to. Default: the tsconfig's target." },
    package: { type: "string", description: "The module file the form is read in; for code also a tsconfig." },
    as: { enum: ["type", "code"], description: "Read the form as this. Default: a type when it parses as one." },
    decorators: { enum: ["standard", "experimental"], description: "Default: what the tsconfig says." },
    jsx: { enum: ["preserve", "react", "react-jsx", "react-jsxdev"], description: "Default: what the tsconfig says." },
    ...pageSchema,
  },
  required: ["form"],
  additionalProperties: false,
} as const;

/** One step shows the type's own members; full goes down until what is named is built in. */
const ONE_STEP = { depth: 1, members: 300 };
const FULL = { depth: 8, members: 600 };

export function createMacroexpandForm(service: TypeScriptService): Tool {
  return defineTool({
    name: "macroexpand_form",
    description:
      "What a type stands for (an alias's body with its arguments, then what the compiler makes of it; full: every level), or what code becomes at run time (enum, namespace, decorators, JSX, using, async, optional chaining, class fields, …) at a target. Nothing is run.",
    input,
    safety: "safe",
    categories: ["introspection"],
    run: async (args, context) => {
      const full = args.full === true;
      const planned = await plan(service, context.signal, args);
      if (planned.kind === "answer") return planned.answer;
      const { expansion, answer, view } = planned;
      if (expansion.kind === "type") {
        const result = await expandType(expansion.question, full ? FULL : ONE_STEP, context.signal);
        return { ...answer, ...typeText(view, expansion, result, { ...args, full }) };
      }
      const result = await lowered(expansion, args, full);
      return { ...answer, ...codeText(expansion, result, { ...args, full }) };
    },
  });
}

interface Planned {
  readonly kind: "plan";
  readonly expansion: Extract<ExpansionPlan, { kind: "type" | "code" }>;
  /** What every answer from the compiler carries; its content is still to come. */
  readonly answer: ToolAnswer;
  readonly view: View;
}

/** What is asked of the compiler that answers everybody; the expansion itself then goes on without it. */
async function plan(
  service: TypeScriptService,
  signal: AbortSignal,
  args: { readonly form: string; readonly package?: string | undefined; readonly as?: "type" | "code" | undefined },
): Promise<Planned | { readonly kind: "answer"; readonly answer: ToolAnswer }> {
  let planned: Omit<Planned, "answer"> | undefined;
  const answer = await answerFrom(service, signal, async (view) => {
    const expansion = await planExpansion(view, { form: args.form, package: args.package, as: args.as });
    if (expansion.kind === "unresolved") return explainResolution(view, expansion.asked, expansion.resolution);
    if (expansion.kind === "not possible") throw new ToolFailure(expansion.reason);
    planned = { kind: "plan", expansion, view };
    return { content: "" };
  });
  return planned === undefined ? { kind: "answer", answer } : { ...planned, answer };
}

async function lowered(
  expansion: CodePlan,
  { target, decorators, jsx }: Parameters<typeof choicesOf>[0],
  full: boolean,
): Promise<Extract<Awaited<ReturnType<typeof expandCode>>, { kind: "code" }>> {
  const { text, prefersJsx, options } = expansion;
  const result = await expandCode(text, prefersJsx, options, choicesOf({ target, decorators, jsx }), full);
  if (result.kind === "code") return result;
  const { message, line, column } = result.problem;
  throw new ToolFailure(`The form is neither a type nor code that parses: line ${line}:${column}: ${message}`);
}

function choicesOf(args: {
  readonly target?: (typeof TARGETS)[number] | undefined;
  readonly decorators?: "standard" | "experimental" | undefined;
  readonly jsx?: "preserve" | "react" | "react-jsx" | "react-jsxdev" | undefined;
}): Parameters<typeof expandCode>[3] {
  return {
    ...(args.target === undefined ? {} : { target: args.target }),
    ...(args.decorators === undefined ? {} : { decorators: args.decorators }),
    ...(args.jsx === undefined ? {} : { jsx: args.jsx }),
  };
}
