/** Installs declarations in the running REPL, and says who sees them and who keeps an old copy. */
import type { Evaluated } from "../../repl/image.ts";
import type { Repl } from "../../repl/repl.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { CAUTIOUS, type ExecutionSafety } from "./execution-safety.ts";
import { authorOf } from "./form-author.ts";
import type { ProjectNames } from "./project-names.ts";
import { isRefused, renderAround, renderEvaluation } from "../answers/rendered/render-evaluation.ts";
import { renderInstallation } from "../../repl/redefine/installation-text.ts";
import { given } from "../../base/given.ts";

const TIMEOUT_MS = 30_000;
const SLACK_MS = 60_000;

export function createCompileForm(
  repl: Pick<Repl, "evaluate">,
  { findFile, showUri }: ProjectNames,
  options: ExecutionSafety = CAUTIOUS,
): Tool {
  return defineTool({
    name: "compile_form",
    description:
      "Installs declarations (function, class, enum, constant, default export, or a method as Invoice.total(rate: number): " +
      "number { … }) in a running module without reloading it: state stays, importers and instances follow, the " +
      "answer says who keeps an old copy. All or nothing. The file stays as it is.",
    input: {
      type: "object",
      properties: {
        form: { type: "string", minLength: 1, description: "Declarations in TypeScript, with `export` or without." },
        path: {
          type: "string",
          minLength: 1,
          description: "Module file or package that owns the names, e.g. src/total.ts.",
        },
        reload: {
          type: "boolean",
          description:
            "Load the module and its importers anew with the form in it, losing their state. Only for new exports or " +
            "imports; without it the answer says what would be lost.",
        },
      },
      required: ["form"],
      additionalProperties: false,
    },
    told: {
      form: { type: "string" },
      path: { type: "string", description: "The module that owns the names; else they are the REPL's." },
      reload: {
        type: "boolean",
        description: "For new exports or imports: loads it and its importers anew, state is lost.",
      },
    },
    ...options,
    categories: ["execution", "repl"],
    timeoutMs: TIMEOUT_MS + SLACK_MS,
    run: async (args, context): Promise<ToolAnswer> => {
      const found = args.path === undefined ? undefined : findFile(args.path);
      if (found !== undefined && "reason" in found) throw new ToolFailure(found.reason);
      const install = args.reload === true ? { reload: true } : {};
      const place = given({ module: found?.path });
      const request = { code: args.form, timeoutMs: TIMEOUT_MS, ...authorOf(context), ...place, install };
      const result = await repl.evaluate(request, context.signal);
      if (isRefused(result)) throw new ToolFailure(renderCompiled(result, showUri));
      return { content: renderCompiled(result, showUri) };
    },
  });
}

function renderCompiled(result: Evaluated, showUri: (uri: string) => string): string {
  const { installation } = result;
  if (installation === undefined) return `Nothing was installed.\n${renderEvaluation(result, showUri)}`;
  return [renderInstallation(installation), renderAround(result, showUri, "installed")].join("\n");
}
