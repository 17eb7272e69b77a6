/** Looks into a value of the running image, member by member and page by page, without running anything. */
import type { EvalResult, ValuePage } from "../../protocol/repl-shapes.ts";
import type { InspectAnswer, InspectRequest } from "../../repl/image.ts";
import { expressionOf, parsePath } from "../../repl/sight/inspect-path.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import { authorOf, type FormAuthor } from "./form-author.ts";
import { renderEvaluation } from "../answers/render-evaluation.ts";
import { renderPage } from "../answers/render-page.ts";

export interface InspectPort {
  /** Contract: runs nothing of the user's. */
  readonly inspect: (request: InspectRequest) => Promise<InspectAnswer>;
  readonly evaluate: (
    request: { readonly code: string; readonly module?: string; readonly by: FormAuthor },
    signal: AbortSignal,
  ) => Promise<EvalResult>;
  readonly findModule: (name: string) => { readonly path: string } | { readonly reason: string };
  readonly showUri: (uri: string) => string;
  /** Why this getter is not to be called from here: in the open mode only a tool that asks the person may run code. */
  readonly whyNotInvoke: (code: string, caller: ToolContext["caller"]) => string | undefined;
}

const PAGE_SIZE = 40;

export function createInspectObject(image: InspectPort): Tool {
  return defineTool({
    name: "inspect_object",
    description:
      "Looks into a value of the running REPL without running code: the kept value of an evaluation ($7), a name of the " +
      "session, an expression without effects (cart.lines), or a binding of a loaded module (src/cart.ts#rates), " +
      "exported or not. Lists members with short values, #private fields, getters (never called), Map and Set entries, " +
      "what a promise or proxy holds, where a function is written. `path` goes inside, `page` reads on. Big values are " +
      "cheap: only the page is read.",
    input: {
      type: "object",
      properties: {
        value: { type: "string", minLength: 1, description: "$7, a name, an expression, or file#name." },
        path: {
          type: "string",
          description:
            'Way inside, e.g. lines[0].cents, #secret, <3> (4th map or set entry), <key 3>, "odd key", <prototype>.',
        },
        page: { type: "integer", minimum: 1, description: "Page to show, from 1." },
        invoke: { type: "boolean", description: "Call the getter that the path ends at and show what it gives." },
      },
      required: ["value"],
      additionalProperties: false,
    },
    safety: "cautious",
    categories: ["execution"],
    run: async ({ value, path: way = "", page = 1, invoke = false }, context): Promise<ToolAnswer> => {
      const path = parsePath(way);
      if (path === undefined) throw new ToolFailure(`${way} is not a path: write lines[0].cents, "odd key" or <3>.`);
      const root = rootOf(image, value);
      if ("reason" in root) throw new ToolFailure(root.reason);
      const answer = await image.inspect({ ...root, path, page, size: PAGE_SIZE });
      if (answer.ok) return paged(answer.page, image.showUri);
      if (answer.why !== "getter" || !invoke) throw new ToolFailure(withHint(answer.reason, answer.why));
      return called(image, root, path, context);
    },
  });
}

async function called(
  image: InspectPort,
  root: { readonly value: string; readonly module?: string },
  path: readonly string[],
  { signal, caller }: ToolContext,
): Promise<ToolAnswer> {
  const code = expressionOf(root.value, path);
  if (code === undefined) {
    throw new ToolFailure("Only a getter on a path of plain properties can be called from here.");
  }
  const refused = image.whyNotInvoke(code, caller);
  if (refused !== undefined) throw new ToolFailure(refused);
  const module = root.module === undefined ? {} : { module: root.module };
  const result = await image.evaluate({ code, by: authorOf(caller), ...module }, signal);
  if (result.valueId === undefined) return { content: renderEvaluation(result, image.showUri) };
  const answer = await image.inspect({ value: result.valueId, size: PAGE_SIZE });
  return answer.ok ? paged(answer.page, image.showUri) : { content: renderEvaluation(result, image.showUri) };
}

function paged(page: ValuePage, showUri: InspectPort["showUri"]): ToolAnswer {
  return {
    content: renderPage(page, showUri),
    ...(page.page < page.pages ? { truncated: true } : {}),
    ...(page.complete ? {} : { complete: false, notes: ["Time was up: some members show … instead of their value."] }),
  };
}

/** `src/cart.ts#rates.eur` is an expression in the scope of a module. */
function rootOf(
  image: InspectPort,
  value: string,
): { readonly value: string; readonly module?: string } | { readonly reason: string } {
  const match = /^([^#\s"'`()]+\.[cm]?[jt]sx?)#(.+)$/s.exec(value);
  if (match === null) return { value };
  const [, file = "", expression = ""] = match;
  const found = image.findModule(file);
  return "reason" in found ? found : { value: expression, module: found.path };
}

function withHint(reason: string, why: Extract<InspectAnswer, { ok: false }>["why"]): string {
  if (why === "getter") return `${reason} With invoke: true it is called, as an evaluation of its own.`;
  if (why === "effect") return `${reason} Evaluate it with eval_form and inspect the handle of its value.`;
  return reason;
}
