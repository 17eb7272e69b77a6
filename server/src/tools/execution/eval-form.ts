/** Evaluates TypeScript in the running image of the project. */
import type { EvalResult } from "../../protocol/repl-shapes.ts";
import type { ProveRequest } from "../../repl/image.ts";
import { defineTool, ToolFailure, type NeedsApproval, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import type { ExecutionSafety } from "./execution-safety.ts";
import { authorOf, type FormAuthor } from "./form-author.ts";
import { isRefused, renderEvaluation } from "../answers/render-evaluation.ts";
import { given } from "../../given.ts";

/** What the tool needs of the image. Contract: `evaluate` does not throw for what the code does. */
export interface EvaluationPort {
  readonly evaluate: (
    request: ProveRequest & { readonly timeoutMs?: number; readonly by: FormAuthor; readonly proven?: string },
    signal: AbortSignal,
  ) => Promise<EvalResult>;
  /** What proves that a form has no side effect: a token to evaluate it with, or undefined. */
  readonly prove?: (request: ProveRequest) => Promise<string | undefined>;
  /** The absolute path of the project module that the model named, or why there is none. */
  readonly findModule: (name: string) => { readonly path: string } | { readonly reason: string };
  /** A path as the model shall read it: relative to the project. */
  readonly showUri: (uri: string) => string;
  readonly unavailable?: () => string | undefined;
}

const MAX_TIMEOUT_MS = 120_000;
const DEFAULT_TIMEOUT_MS = 30_000;
/** Starting, stopping and waiting for an earlier evaluation take time beyond the evaluation's own. */
const SLACK_MS = 60_000;

export function createEvalForm(image: EvaluationPort, options: ExecutionSafety = { safety: "cautious" }): Tool {
  return defineFormTool(image, options, {
    name: "eval_form",
    description:
      "Evaluates TypeScript in the project's running REPL process and answers the value of the last expression, output " +
      "and errors. State lasts between calls: declarations stay and can be declared again; $n names the value of " +
      "evaluation n, $signal is aborted when the evaluation is stopped. Imports work as from a file in the project root, " +
      "e.g. import { total } from './src/total.ts' (an import after an edit gives the new code); top-level await works. " +
      "With `package` the form runs inside that module's own scope and can read and change its non-exported bindings.",
    packageDescription: "Module file or package in whose scope to evaluate, e.g. src/total.ts.",
    required: ["form"],
  });
}

export function createEvalInPackage(image: EvaluationPort, options: ExecutionSafety = { safety: "cautious" }): Tool {
  return defineFormTool(image, options, {
    name: "eval_in_package",
    description:
      "Evaluates TypeScript inside the scope of one project module in the running REPL process: the form reads and " +
      "changes what the module declares, exported or not, and what it declares itself stays there for later forms. A " +
      "module that is not loaded is loaded first; one whose source changed is loaded anew. Answers like eval_form. To " +
      "redefine a function or class and hear who keeps the old one, use compile_form.",
    packageDescription: "The module file or package, e.g. src/total.ts.",
    required: ["form", "package"],
  });
}

interface FormTool {
  readonly name: string;
  readonly description: string;
  readonly packageDescription: string;
  readonly required: readonly string[];
}

function defineFormTool(
  image: EvaluationPort,
  options: ExecutionSafety,
  { name, description, packageDescription, required }: FormTool,
): Tool {
  const { needsApproval } = options;
  const evaluate = async (
    args: FormArguments,
    { signal, caller }: ToolContext,
    proven?: string,
  ): Promise<ToolAnswer> => {
    const place = placeOf(image, args);
    if ("reason" in place) throw new ToolFailure(place.reason);
    const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT_MS;
    const request = { ...place, timeoutMs, by: authorOf(caller), ...given({ proven }) };
    const result = await image.evaluate(request, signal);
    if (isRefused(result)) throw new ToolFailure(renderEvaluation(result, image.showUri));
    return {
      content: renderEvaluation(result, image.showUri),
      ...(result.truncated ? { truncated: true, notes: ["The output was cut; its beginning is shown."] } : {}),
    };
  };
  const unlessProven =
    (ask: NeedsApproval<unknown>): NeedsApproval<FormArguments> =>
    async (args, context) => {
      const need = await ask(args, context);
      if ("refused" in need || !need.ask) return need;
      const place = placeOf(image, args);
      const proven = "reason" in place ? undefined : await image.prove?.(place);
      if (proven === undefined) return need;
      return { ask: false, because: PROVEN, run: (_, running) => evaluate(args, running, proven) };
    };
  return defineTool({
    name,
    description,
    input: {
      type: "object",
      properties: {
        form: { type: "string", minLength: 1, description: "TypeScript source: expressions, statements, imports." },
        package: { type: "string", minLength: 1, description: packageDescription },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: `Stop after this many milliseconds (default ${DEFAULT_TIMEOUT_MS}).`,
        },
      },
      required,
      additionalProperties: false,
    } as const,
    safety: options.safety,
    categories: ["execution"],
    timeoutMs: MAX_TIMEOUT_MS + SLACK_MS,
    ...given({ unavailable: image.unavailable }),
    ...(needsApproval === undefined ? {} : { needsApproval: unlessProven(needsApproval) }),
    run: (args, context) => evaluate(args, context),
  });
}

const PROVEN = "not asked: V8 proved that the form has no side effect";

interface FormArguments {
  readonly form?: string;
  readonly package?: string;
  readonly timeout_ms?: number;
}

function placeOf(image: EvaluationPort, args: FormArguments): ProveRequest | { readonly reason: string } {
  const code = args.form ?? "";
  if (args.package === undefined) return { code };
  const found = image.findModule(args.package);
  return "reason" in found ? found : { code, module: found.path };
}
