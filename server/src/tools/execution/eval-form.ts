/** Evaluates TypeScript in the running REPL of the project. */
import type { TrialRequest } from "../../repl/image.ts";
import type { Repl } from "../../repl/repl.ts";
import { defineTool, ToolFailure, type NeedsApproval, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import { CAUTIOUS, type ExecutionSafety } from "./execution-safety.ts";
import { authorOf } from "./form-author.ts";
import type { ProjectNames } from "./project-names.ts";
import { evaluationAnswer, isRefused, renderEvaluation } from "../answers/rendered/render-evaluation.ts";
import { given } from "../../base/given.ts";

/** What models are told of a limit in time. */
const TOLD_TIMEOUT = { type: "integer", description: "Default 30000." } as const;

type FormRepl = Pick<Repl, "evaluate" | "tryOut">;

const MAX_TIMEOUT_MS = 120_000;
const DEFAULT_TIMEOUT_MS = 30_000;
/** Starting, stopping and waiting for an earlier evaluation take time beyond the evaluation's own. */
const SLACK_MS = 60_000;

export function createEvalForm(repl: FormRepl, names: ProjectNames, options: ExecutionSafety = CAUTIOUS): Tool {
  const { needsApproval } = options;
  const evaluate = async (args: FormArguments, context: ToolContext, trial?: string): Promise<ToolAnswer> => {
    const place = placeOf(names, args);
    if ("reason" in place) throw new ToolFailure(place.reason);
    const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT_MS;
    const request = { ...place, timeoutMs, ...authorOf(context), ...given({ trial }) };
    const result = await repl.evaluate(request, context.signal);
    if (isRefused(result)) throw new ToolFailure(renderEvaluation(result, names.showUri));
    const hint = result.error?.name === "SyntaxError" ? hintAbout(place.code) : undefined;
    const answer = evaluationAnswer(result, names.showUri);
    return hint === undefined ? answer : { ...answer, content: `${answer.content}\n${hint}` };
  };
  const unlessPure =
    (ask: NeedsApproval<unknown>): NeedsApproval<FormArguments> =>
    async (args, context) => {
      const need = await ask(args, context);
      if ("refused" in need || !need.ask) return need;
      const place = placeOf(names, args);
      const trial = "reason" in place ? undefined : await repl.tryOut(place);
      if (trial === undefined) return need;
      return { ask: false, because: PURE, run: (_, running) => evaluate(args, running, trial) };
    };
  return defineTool({
    name: "eval_form",
    description:
      "Evaluates TypeScript in the REPL, the project's running process, and answers the value of the last expression, output, errors " +
      "and type errors. State stays; $7 is the value of evaluation 7; top-level await works. Imports go from the project " +
      "root, and see edited text. With `path` the form runs inside that " +
      "module, and reads and changes what it does not export.",
    told: { form: { type: "string" }, path: { type: "string" }, timeout_ms: TOLD_TIMEOUT },
    input: {
      type: "object",
      properties: {
        form: { type: "string", minLength: 1, description: "TypeScript source: expressions, statements, imports." },
        path: {
          type: "string",
          minLength: 1,
          description: "Module file or package in whose scope to evaluate, e.g. src/total.ts.",
        },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: `Stop after this many milliseconds (default ${DEFAULT_TIMEOUT_MS}).`,
        },
      },
      required: ["form"],
      additionalProperties: false,
    },
    safety: options.safety,
    categories: ["execution", "repl"],
    timeoutMs: MAX_TIMEOUT_MS + SLACK_MS,
    ...(needsApproval === undefined ? {} : { needsApproval: unlessPure(needsApproval) }),
    run: (args, context) => evaluate(args, context),
  });
}

/** What a form is not, and is often taken for. */
function hintAbout(code: string): string | undefined {
  if (/^\s*return\b/m.test(code)) return "A form has no return: the value of its last expression is its value.";
  const isShell = /^\s*(?:[$>] )?(?:npm|npx|pnpm|yarn|bun|node|git|tsc|ls|cat|cd|grep|rg)\s+[\w./-]/.test(code);
  return isShell ? "A form is TypeScript: run_command runs a line for the shell." : undefined;
}

const PURE = "not asked: V8 proved that the form has no side effect";

interface FormArguments {
  readonly form?: string;
  readonly path?: string;
  readonly timeout_ms?: number;
}

function placeOf(names: ProjectNames, args: FormArguments): TrialRequest | { readonly reason: string } {
  const code = args.form ?? "";
  if (args.path === undefined) return { code };
  const found = names.findFile(args.path);
  return "reason" in found ? found : { code, module: found.path };
}
