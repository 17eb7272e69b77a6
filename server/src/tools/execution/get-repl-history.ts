/** What was evaluated in the REPL, by the person and by the agent. */
import { pathToFileURL } from "node:url";
import { shortened } from "../../protocol/cut-text.ts";
import type { HistoryItem } from "../../protocol/repl-shapes.ts";
import type { Repl } from "../../repl/repl.ts";
import { readCursor } from "../answers/read-cursor.ts";
import { defineTool, type Tool, type ToolAnswer } from "../tool.ts";
import type { ProjectNames } from "./project-names.ts";
import { given } from "../../given.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const MAX_CODE = 300;

export function createGetReplHistory(repl: Pick<Repl, "history">, { showUri }: Pick<ProjectNames, "showUri">): Tool {
  return defineTool({
    name: "get_repl_history",
    description:
      "Lists the evaluations of the REPL, the person's and the agent's, oldest of the page first: id, who, module, form, " +
      "outcome with value handle, duration. Survives crashes; says which values are lost. The ids serve restart_repl.",
    input: {
      type: "object",
      properties: {
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LIMIT,
          description: `How many, by default ${DEFAULT_LIMIT}.`,
        },
        cursor: { type: "string", description: "Reads on to older ones." },
      },
      additionalProperties: false,
    },
    safety: "safe",
    categories: ["execution"],
    run: async ({ limit = DEFAULT_LIMIT, cursor }): Promise<ToolAnswer> => {
      readCursor(cursor);
      const { items, total, nextCursor } = repl.history({ limit, ...given({ cursor }) });
      if (total === 0) return { content: "Nothing was evaluated yet." };
      const lines = items.toReversed().map((item) => renderItem(item, showUri));
      const more = nextCursor === undefined ? "" : `; cursor ${nextCursor} reads on to older ones`;
      lines.push(`(${items.length} of ${total} evaluations${more})`);
      return { content: lines.join("\n"), ...(nextCursor === undefined ? {} : { truncated: true, nextCursor }) };
    },
  });
}

/** `3 agent in src/cart.ts: value $3 : number = 42 (1.2 ms)`, then the form. */
export function renderItem(item: HistoryItem, showUri: ProjectNames["showUri"]): string {
  const { evalId, by, module, outcome, valueId, preview, type, error, durationMs, replayOf, stateKept } = item;
  const where = module === undefined ? "" : ` in ${showUri(pathToFileURL(module).href)}`;
  const again = replayOf === undefined ? "" : ` (again ${replayOf})`;
  const value =
    valueId === undefined ? "" : ` ${valueId} : ${oneLine(type ?? "unknown", 80)} = ${oneLine(preview ?? "", 80)}`;
  const time = durationMs === undefined ? "" : ` (${durationMs} ms)`;
  const lost = stateKept ? "" : ", lost with its process";
  const result = `${outcome}${value}${error === undefined ? "" : ` ${oneLine(error, 160)}`}${time}${lost}`;
  const code = shortened(item.code, MAX_CODE);
  return `${evalId} ${by}${where}${again}: ${result}\n${code.trim().replace(/^/gm, "  | ")}`;
}

function oneLine(text: string, limit: number): string {
  return shortened(text.replace(/\s+/g, " "), limit);
}
