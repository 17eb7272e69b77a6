/** Long answers of other servers, which are read on page by page: such a server knows nothing of our pages. */
import { headOf } from "../../base/cut-text.ts";
import { fenced } from "../../base/fenced.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";

interface Kept {
  readonly from: string;
  readonly text: string;
  readonly lost: number;
}

const PAGE = 16_000;
/** A page ends with a line where one ends not far before. */
const TAIL = 2_000;
const MAX_ANSWERS = 10;
const MAX_TEXT = 4_000_000;

export class KeptAnswers {
  readonly #answers = new Map<string, Kept>();
  #count = 0;

  /** The first page. `from` is who says that, such as "The MCP server files". */
  add(from: string, text: string): ToolAnswer {
    const kept = { from, text: headOf(text, MAX_TEXT), lost: Math.max(0, text.length - MAX_TEXT) };
    const id = `r${(this.#count += 1)}`;
    if (text.length > PAGE) {
      this.#answers.set(id, kept);
      const [oldest = ""] = this.#answers.keys();
      if (this.#answers.size > MAX_ANSWERS) this.#answers.delete(oldest);
    }
    return page(id, kept, 0);
  }

  read(cursor: string): ToolAnswer {
    const [, id = "", start = ""] = /^(r\d{1,9}):(\d{1,9})$/.exec(cursor.trim()) ?? [];
    const kept = this.#answers.get(id);
    if (kept === undefined || Number(start) >= kept.text.length) {
      throw new ToolFailure(
        "There is no such answer any more: call the tool again, and read on with the cursor it gives.",
      );
    }
    return page(id, kept, Number(start));
  }
}

/** The tool that reads on; offered only where there is an MCP server. */
export function readResultTool(answers: KeptAnswers): Tool {
  return defineTool({
    name: "read_result",
    description: "Reads on in a long answer of an MCP server's tool.",
    input: {
      type: "object",
      properties: { cursor: { type: "string", description: "As the answer before gave it." } },
      required: ["cursor"],
      additionalProperties: false,
    },
    categories: ["mcp"],
    run: async ({ cursor }) => answers.read(cursor),
  });
}

function page(id: string, { from, text, lost }: Kept, start: number): ToolAnswer {
  const end = endOfPage(text, start);
  const isAll = start === 0 && end === text.length;
  const part = isAll ? "" : `, characters ${start + 1} to ${end} of ${text.length}`;
  const content = fenced(`${from} answered${part}:`, text.slice(start, end));
  if (end < text.length) {
    const next = `${id}:${end}`;
    return { content: `${content}\nread_result with cursor "${next}" reads on.`, truncated: true, nextCursor: next };
  }
  if (lost === 0) return { content };
  const note = `The answer went on for ${lost} more characters, which were not kept.`;
  return { content, complete: false, truncated: true, notes: [note] };
}

function endOfPage(text: string, start: number): number {
  const most = start + headOf(text.slice(start, start + PAGE + 1), PAGE).length;
  if (most >= text.length) return text.length;
  const line = text.lastIndexOf("\n", most - 1) + 1;
  return line > most - TAIL && line > start ? line : most;
}
