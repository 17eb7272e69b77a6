/** `search_in_buffer`: which lines of a buffer hold a text, or match a regular expression. */
import { cutText, headOf } from "../../base/cut-text.ts";
import { errorText } from "../../base/errors.ts";
import { numberedLine } from "../answers/numbered-line.ts";
import { shownName } from "../files/shown-name.ts";
import { ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { defineBufferTool } from "./define-buffer-tool.ts";
import { bufferText, type BufferPorts, type OpenBuffer } from "./open-buffers.ts";
import { plural } from "../../base/plural.ts";

const PIECE = 5_000;
const MAX_SEARCHED = 200_000;
const MAX_SHOWN = 100;
const MAX_LINE = 300;

interface Wanted {
  readonly pattern: string;
  readonly buffer?: string;
  readonly regex?: boolean;
  readonly all_matches?: boolean;
}

export function createSearchInBuffer(ports: BufferPorts): Tool {
  return defineBufferTool(ports, {
    name: "search_in_buffer",
    whyNot: ({ pattern, regex = false }) => {
      const expression = regex ? readExpression(pattern) : undefined;
      return typeof expression === "string" ? expression : undefined;
    },
    description: "Lines of a buffer of the editor that hold a text. The person is asked as for read_buffer.",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: 1_000 },
        buffer: { type: "string", description: "By default the one the person is in." },
        regex: { type: "boolean", description: "The pattern is a JavaScript regular expression." },
        all_matches: { type: "boolean", description: "Not only the first." },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    told: { buffer: { type: "string" }, regex: { type: "boolean" }, all_matches: { type: "boolean" } },
    answer: (buffer, args, signal) => search(ports, buffer, args, signal),
  });
}

async function search(
  ports: BufferPorts,
  buffer: OpenBuffer,
  { pattern, regex = false, all_matches: all = false }: Wanted,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const find = regex ? regexFinder(pattern) : textFinder(pattern);
  const found: { readonly line: number; readonly text: string }[] = [];
  const versions = new Set<number>();
  let total = 0;
  let at = 0;
  for (; at < MAX_SEARCHED; at += PIECE) {
    const text = await bufferText(ports, buffer, [at, at + PIECE], signal);
    versions.add(text.version);
    const matches = await find(text.lines);
    total += matches.length;
    const room = (all ? MAX_SHOWN : 1) - found.length;
    for (const index of matches.slice(0, room)) found.push({ line: at + index + 1, text: text.lines[index] ?? "" });
    if (at + text.lines.length >= text.buffer.lines || text.lines.length === 0) break;
  }
  const notes = [
    ...(versions.size > 1 ? ["The buffer changed while it was searched."] : []),
    ...(at >= MAX_SEARCHED ? [`Only the first ${MAX_SEARCHED} lines were searched.`] : []),
  ];
  const more = total - found.length;
  const rest =
    more === 0 ? [] : [`… ${more} more${all ? ": search for something rarer" : "; all_matches shows them"}.`];
  const last = found.at(-1)?.line ?? 0;
  const lines = found.map(({ line, text }) => numberedLine(line, cutText(text, MAX_LINE), last));
  const head = `${plural(total, "line")} of ${shownName(buffer.shown)}${total === 0 ? "" : ":"}`;
  return {
    content: [head, ...lines, ...rest].join("\n"),
    complete: at < MAX_SEARCHED,
    ...(more > 0 ? { truncated: true } : {}),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

/** The indexes of the lines that match. */
type Finder = (lines: readonly string[]) => number[] | Promise<number[]>;

function textFinder(pattern: string): Finder {
  return (lines) => lines.flatMap((line, index) => (line.includes(pattern) ? [index] : []));
}

function regexFinder(pattern: string): Finder {
  const expression = readExpression(pattern);
  if (typeof expression === "string") throw new ToolFailure(expression);
  return async (lines) => {
    const { testAll } = await import("../../base/regex-test.ts");
    const verdicts = await testAll(
      expression,
      lines.map((line) => line.replaceAll("\0", "\uFFFD")),
    );
    if (verdicts !== undefined) return verdicts.flatMap((isMatch, index) => (isMatch ? [index] : []));
    throw new ToolFailure(`The regular expression takes too long: ${headOf(pattern, 100)}. Write a simpler one.`);
  };
}

/** Or what is wrong with it. */
function readExpression(pattern: string): RegExp | string {
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    return `${errorText(error)}. Without regex the pattern is searched as a text.`;
  }
}
