/** What was evaluated in the REPL, by the person and by the agent. */
import { pathToFileURL } from "node:url";
import { shortened } from "../../base/cut-text.ts";
import type { HistoryItem } from "../../protocol/repl-shapes.ts";
import type { CompilationNotes } from "../../repl/stages/checking/type-checks.ts";
import type { Repl } from "../../repl/repl.ts";
import { readCursor } from "../answers/read-cursor.ts";
import { renderError, renderNote } from "../answers/rendered/render-evaluation.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import type { ProjectNames } from "./project-names.ts";
import { given } from "../../base/given.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const MAX_CODE = 300;
const MAX_WHOLE_CODE = 8_000;

const MAX_NOTES = 20;

type RememberingRepl = Pick<Repl, "history" | "evaluation" | "lastError" | "errorsOf" | "compilationNotesOf">;

export function createGetReplHistory(repl: RememberingRepl, { showUri }: Pick<ProjectNames, "showUri">): Tool {
  return defineTool({
    name: "get_repl_history",
    description:
      "The evaluations of the REPL, the person's and yours, the latest last. With `id` one of them in full, with its errors " +
      "and what the compiler said.",
    input: {
      type: "object",
      properties: {
        id: { type: "string", minLength: 1, description: "One evaluation, such as 7." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LIMIT,
          description: `How many, by default ${DEFAULT_LIMIT}.`,
        },
        cursor: { type: "string", minLength: 1, description: "Reads on to older ones." },
      },
      additionalProperties: false,
    },
    told: { id: { type: "string" } },
    safety: "safe",
    categories: ["execution", "repl"],
    run: async ({ id, limit = DEFAULT_LIMIT, cursor }, { signal }): Promise<ToolAnswer> => {
      if (id !== undefined) return { content: await inFull(repl, idOf(repl, id), { showUri, signal }) };
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

/** The id of an evaluation by any of its names. */
function idOf(repl: Pick<Repl, "history" | "lastError">, name: string): string {
  const isError = name === "last_error";
  if (!isError && name !== "latest") return name.replace(/^(?:\$|#|form\s+)/i, "");
  const found = isError ? repl.lastError() : repl.history({ limit: 1 }).items[0];
  if (found === undefined)
    throw new ToolFailure(isError ? "No evaluation raised an error." : "Nothing was evaluated yet.");
  return found.evalId;
}

async function inFull(
  repl: RememberingRepl,
  id: string,
  { showUri, signal }: Pick<ProjectNames, "showUri"> & { readonly signal: AbortSignal },
): Promise<string> {
  const item = repl.evaluation(id);
  if (item === undefined) throw new ToolFailure(`There is no evaluation ${id}; without \`id\` they are listed.`);
  const { error: _brief, ...others } = item;
  const [own = [], late = []] = [false, true].map((isLate) => {
    const raised = repl.errorsOf(id).filter(({ isBackground = false }) => isBackground === isLate);
    return raised.map(({ error }) => renderError(error, showUri));
  });
  const later = late.length === 0 ? [] : ["Raised later, in the background:", ...late];
  const noted = await repl.compilationNotesOf(id, signal);
  const notes = noted === undefined ? [] : noteLines(noted, showUri);
  const head = renderItem(own.length > 0 ? others : item, showUri, MAX_WHOLE_CODE);
  return [head, ...own, ...later, ...notes].join("\n");
}

/** `3 agent in src/cart.ts: value $3 : number = 42 (1.2 ms)`, then the form. */
export function renderItem(item: HistoryItem, showUri: ProjectNames["showUri"], maxCode = MAX_CODE): string {
  const { evalId, by, module, outcome, valueId, preview, type, error, durationMs, replayOf, stateKept } = item;
  const where = module === undefined ? "" : ` in ${showUri(pathToFileURL(module).href)}`;
  const again = replayOf === undefined ? "" : ` (again ${replayOf})`;
  const value =
    valueId === undefined ? "" : ` ${valueId} : ${oneLine(type ?? "unknown", 80)} = ${oneLine(preview ?? "", 60)}`;
  const time = durationMs === undefined ? "" : ` (${durationMs} ms)`;
  const lost = stateKept ? "" : ", lost with its process";
  const result = `${outcome}${value}${error === undefined ? "" : ` ${oneLine(error, 80)}`}${time}${lost}`;
  const code = shortened(item.code, maxCode);
  return `${evalId} ${by}${where}${again}: ${result}\n${code.trim().replace(/^/gm, "  | ")}`;
}

function oneLine(text: string, limit: number): string {
  return shortened(text.replace(/\s+/g, " "), limit);
}

/** What the compiler said of one form. */
function noteLines(
  { state, reason, notes }: Pick<CompilationNotes, "state" | "reason" | "notes">,
  showUri: ProjectNames["showUri"],
): string[] {
  if (state === "pending") return ["still being checked"];
  if (state === "unchecked") return [`not checked: ${reason ?? "no reason given"}`];
  const outcome = state === "invalid" ? ["did not compile, nothing of it ran:"] : [];
  const rest = notes.length > MAX_NOTES ? [`… ${notes.length - MAX_NOTES} more`] : [];
  return [...outcome, ...notes.slice(0, MAX_NOTES).map((note) => renderNote(note, showUri)), ...rest];
}
