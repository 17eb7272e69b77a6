/** Evaluates TypeScript inside a module's own scope. */
import { defineTool, type Tool, type ToolAnswer } from "../tool.ts";
import type { EvalFormOptions, EvaluationPort } from "./eval-form.ts";
import { renderEvaluation } from "./render-evaluation.ts";

const MAX_TIMEOUT_MS = 120_000;
const DEFAULT_TIMEOUT_MS = 30_000;
/** Starting, stopping and waiting for an earlier evaluation take time beyond the evaluation's own. */
const SLACK_MS = 60_000;

export function createEvalInPackage(image: EvaluationPort, options: EvalFormOptions = { safety: "cautious" }): Tool {
  return defineTool({
    name: "eval_in_package",
    description:
      "Evaluates TypeScript inside the scope of one project module in the running REPL process: the form reads and " +
      "changes what the module declares, exported or not, and what it declares itself stays there for later forms. A " +
      "module that is not loaded is loaded first; one whose source changed is loaded anew. Answers like eval_form. To " +
      "redefine a function or class and hear who keeps the old one, use compile_form.",
    input: {
      type: "object",
      properties: {
        form: { type: "string", minLength: 1, description: "TypeScript source: expressions, statements, imports." },
        package: { type: "string", minLength: 1, description: "The module file, e.g. src/total.ts." },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: `Stop after this many milliseconds (default ${DEFAULT_TIMEOUT_MS}).`,
        },
      },
      required: ["form", "package"],
      additionalProperties: false,
    },
    safety: options.safety,
    categories: ["execution"],
    timeoutMs: MAX_TIMEOUT_MS + SLACK_MS,
    ...(image.unavailable === undefined ? {} : { unavailable: image.unavailable }),
    run: async (args, { signal }): Promise<ToolAnswer> => {
      const found = image.findModule(args.package);
      if ("reason" in found) return { content: found.reason };
      const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT_MS;
      const request = { code: args.form, module: found.path, timeoutMs, by: "agent" } as const;
      const result = await image.evaluate(request, signal);
      return {
        content: renderEvaluation(result, image.showUri),
        ...(result.truncated ? { truncated: true, notes: ["The output was cut; its beginning is shown."] } : {}),
      };
    },
  });
}
