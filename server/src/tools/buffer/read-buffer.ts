/** `read_buffer`: the text of a buffer, also of one that text sync does not carry. */
import type { Tool, ToolAnswer } from "../tool.ts";
import { shownName } from "../files/shown-name.ts";
import { numberedLines, MAX_LINES } from "./numbered-lines.ts";
import { defineBufferTool } from "./define-buffer-tool.ts";
import { bufferText, stateOf, type BufferPorts, type OpenBuffer } from "./open-buffers.ts";

/** So many last lines of what grows at its end (terminals, messages, logs) are shown where the call names none. */
const TAIL = 200;

interface Wanted {
  readonly start?: number;
  readonly end?: number;
}

export function createReadBuffer(ports: BufferPorts): Tool {
  return defineBufferTool(ports, {
    name: "read_buffer",
    description:
      "A buffer of the editor with line numbers: terminal, messages, compilation, help, scratch, file. The person is " +
      "asked where it is no file of the workspace.",
    input: {
      type: "object",
      properties: {
        buffer: { type: "string", description: "Its name; by default the one the person is in." },
        start: { type: "integer", minimum: 1 },
        end: { type: "integer", minimum: 1 },
      },
      additionalProperties: false,
    },
    told: { buffer: { type: "string", description: "By default the one the person is in." } },
    answer: (buffer, args, signal) => read(ports, buffer, args, signal),
  });
}

async function read(
  ports: BufferPorts,
  buffer: OpenBuffer,
  { start, end }: Wanted,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const isTail = start === undefined && end === undefined && buffer.access !== "workspace";
  const first = start ?? (isTail ? Math.max(1, buffer.lines - TAIL + 1) : 1);
  const last = Math.min(end ?? Number.MAX_SAFE_INTEGER, first + MAX_LINES);
  const text = await bufferText(ports, buffer, [first - 1, last], signal);
  // Only these lines are there; the others are not looked at.
  const lines: string[] = [];
  for (const [index, line] of text.lines.entries()) lines[first - 1 + index] = line;
  lines.length = Math.max(text.buffer.lines, lines.length);
  const name = shownName(buffer.shown);
  const head = `${name} (${stateOf({ ...text.buffer, version: text.version })})`;
  return numberedLines({ head, name }, lines, [{ start: first, end }]).answer;
}
