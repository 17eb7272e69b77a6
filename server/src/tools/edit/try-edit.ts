/** `try_edit`: what a form evaluates to with edits in the project that nobody has proposed yet. */
import { given } from "../../base/given.ts";
import type { Evaluated } from "../../repl/image.ts";
import type { Repl } from "../../repl/repl.ts";
import { evaluationAnswer, isRefused, renderEvaluation } from "../answers/rendered/render-evaluation.ts";
import type { ExecutionSafety } from "../execution/execution-safety.ts";
import { defineTool, ToolFailure, type Tool } from "../tool.ts";
import { toldEdits, triedEditsSchema } from "../edit-schema.ts";
import { editedTexts, type TrialPorts } from "./edited-texts.ts";

export interface TryEditPorts extends TrialPorts {
  readonly repl: Pick<Repl, "evaluateWith">;
  readonly showUri: (uri: string) => string;
}

const MAX_TIMEOUT_MS = 120_000;
const DEFAULT_TIMEOUT_MS = 30_000;
/** The process has to start and to load the project first. */
const SLACK_MS = 60_000;

export function createTryEdit(ports: TryEditPorts, safety: Required<ExecutionSafety>): Tool {
  return defineTool({
    name: "try_edit",
    description:
      "Evaluates TypeScript with edits that you have not proposed yet, in a throw-away process that imports the edited text. " +
      "The REPL's state is not there.",
    input: {
      type: "object",
      properties: {
        edits: triedEditsSchema,
        form: {
          type: "string",
          minLength: 1,
          description: "TypeScript source, e.g. import { total } from './src/total.ts'; total([]).",
        },
        path: {
          type: "string",
          minLength: 1,
          description: "Module file in whose own scope to evaluate, e.g. src/total.ts: its edited text.",
        },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: `Stop after this many milliseconds (default ${DEFAULT_TIMEOUT_MS}).`,
        },
      },
      required: ["edits", "form"],
      additionalProperties: false,
    },
    told: {
      edits: toldEdits,
      form: { type: "string" },
      path: { type: "string", description: "Inside this module." },
      timeout_ms: { type: "integer" },
    },
    ...safety,
    categories: ["edit", "execution"],
    timeoutMs: MAX_TIMEOUT_MS + SLACK_MS,
    run: async (args, context) => {
      const { signal } = context;
      const texts = await editedTexts(ports, args.edits, context);
      const place = args.path === undefined ? undefined : ports.resolvePath(args.path);
      if (place !== undefined && !place.ok) throw new ToolFailure(place.reason);
      const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT_MS;
      const form = { code: args.form, timeoutMs, ...given({ module: place?.path.absolute }) };
      const result = await ports.repl.evaluateWith(texts, form, signal);
      if (typeof result === "string") throw new ToolFailure(result);
      if (isRefused(result)) throw new ToolFailure(renderEvaluation(result, ports.showUri));
      return evaluationAnswer(thrownAway(result), ports.showUri);
    },
  });
}

/** Without the handle, which nobody can use any more; and the end of the process is nothing to be told. */
function thrownAway(result: Evaluated): Evaluated {
  const { valueId, preview, ...rest } = result;
  if (valueId === undefined || preview === undefined) return { ...result, stateKept: true };
  return { ...rest, preview: `${preview}\n: ${result.type ?? "unknown"}`, stateKept: true };
}
