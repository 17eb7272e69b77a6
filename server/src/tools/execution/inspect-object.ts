/** Looks into a value of the running REPL, member by member and page by page, without running anything. */
import type { ValuePage } from "../../protocol/repl-shapes.ts";
import type { InspectAnswer } from "../../repl/image.ts";
import type { Repl } from "../../repl/repl.ts";
import { expressionOf, parsePath } from "../../repl/sight/inspect-path.ts";
import { lineAddress } from "../../typescript/names/line-address.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import { whyNotInvoke } from "./execution-safety.ts";
import { authorOf } from "./form-author.ts";
import type { ProjectNames } from "./project-names.ts";
import type { TraceNames, TraceTarget } from "./trace-function.ts";
import { renderEvaluation } from "../answers/rendered/render-evaluation.ts";
import { renderPage } from "../answers/rendered/render-page.ts";
import { given } from "../../base/given.ts";

type InspectedRepl = Pick<Repl, "inspect" | "evaluate" | "status" | "whyLocked">;

const PAGE_SIZE = 40;

type Locate = TraceNames["locate"];

export function createInspectObject(repl: InspectedRepl, names: ProjectNames, locate?: Locate): Tool {
  const { showUri } = names;
  return defineTool({
    name: "inspect_object",
    description:
      "Looks into a value of the REPL without running code: members, #private ones, getters uncalled, entries of maps, what " +
      "promises and proxies hold; reads on in what was cut.",
    input: {
      type: "object",
      properties: {
        value: { type: "string", minLength: 1, description: "$7, a name, an expression, or file#name." },
        inside: {
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
    told: {
      value: {
        type: "string",
        description: "$7, a name, an expression or src/cart.ts#rates.",
      },
      inside: { type: "string", description: "lines[0].cents, #secret, <3> (4th entry)" },
      page: { type: "integer" },
      invoke: { type: "boolean", description: "Call the getter there." },
    },
    safety: "cautious",
    categories: ["execution", "repl"],
    run: async ({ value, inside: way = "", page = 1, invoke = false }, context): Promise<ToolAnswer> => {
      const path = parsePath(way);
      if (path === undefined) throw new ToolFailure(`${way} is not a path: write lines[0].cents, "odd key" or <3>.`);
      const located = lineAddress(value) === undefined ? undefined : await locate?.(value, undefined, context.signal);
      if (located !== undefined && "content" in located) return located;
      const root = located === undefined ? rootOf(names, value) : valueAt(located);
      if ("reason" in root) throw new ToolFailure(root.reason);
      const answer = await repl.inspect({ ...root, path, page, size: PAGE_SIZE });
      if (answer.ok) return paged(answer.page, showUri);
      if (answer.why !== "getter" || !invoke) throw new ToolFailure(withHint(answer.reason, answer.why));
      return called({ repl, showUri }, { ...root, path }, context);
    },
  });
}

interface Getter {
  readonly value: string;
  readonly module?: string;
  readonly path: readonly string[];
}

async function called(
  { repl, showUri }: { readonly repl: InspectedRepl; readonly showUri: ProjectNames["showUri"] },
  { value, module, path }: Getter,
  context: ToolContext,
): Promise<ToolAnswer> {
  const code = expressionOf(value, path);
  if (code === undefined) {
    throw new ToolFailure("Only a getter on a path of plain properties can be called from here.");
  }
  const refused = whyNotInvoke(repl, code, context.caller);
  if (refused !== undefined) throw new ToolFailure(refused);
  const result = await repl.evaluate({ code, ...authorOf(context), ...given({ module }) }, context.signal);
  if (result.valueId === undefined) return { content: renderEvaluation(result, showUri) };
  const answer = await repl.inspect({ value: result.valueId, size: PAGE_SIZE });
  return answer.ok ? paged(answer.page, showUri) : { content: renderEvaluation(result, showUri) };
}

function paged(page: ValuePage, showUri: ProjectNames["showUri"]): ToolAnswer {
  return {
    content: renderPage(page, showUri),
    ...(page.page < page.pages ? { truncated: true } : {}),
    ...(page.complete ? {} : { complete: false, notes: ["Time was up: some members show … instead of their value."] }),
  };
}

/** `src/cart.ts#rates.eur` is an expression in the scope of a module. */
function rootOf(
  { findFile }: ProjectNames,
  value: string,
): { readonly value: string; readonly module?: string } | { readonly reason: string } {
  const match = /^([^#\s"'`()]+\.[cm]?[jt]sx?)#(.+)$/s.exec(value);
  if (match === null) return { value };
  const [, file = "", expression = ""] = match;
  const found = findFile(file);
  return "reason" in found ? found : { value: expression, module: found.path };
}

function valueAt({ file, path }: TraceTarget): { readonly value: string; readonly module: string } {
  return { value: path.join("."), module: file };
}

function withHint(reason: string, why: Extract<InspectAnswer, { ok: false }>["why"]): string {
  if (why === "getter") return `${reason} With invoke: true it is called, as an evaluation of its own.`;
  if (why === "effect") return `${reason} Evaluate it with eval_form and inspect the handle of its value.`;
  return reason;
}
