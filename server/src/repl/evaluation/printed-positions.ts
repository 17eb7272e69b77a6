/** Stacks in the output of the program: V8 writes positions of the generated code, and lines of the image's own. */
import { isEvaluatorCall, isOwnLine, type FrameSources } from "./error-info.ts";

const POSITION = /\brepl:(\d+):(\d+):(\d+)(?!\d)/g;
const FRAME = /^\s*at /;

/** The text with lines and columns of the forms as in errors, and without the image's lines of a stack. */
export function mapPrintedPositions(text: string, sources: Pick<FrameSources, "snippet">): string {
  if (!text.includes("repl:") && !text.includes("repl-call:")) return text;
  const mapped = text.replace(POSITION, (printed, number: string, line: string, column: string) => {
    const at = sources.snippet(Number(number))?.mapper({ line: Number(line) - 1, column: Number(column) - 1 });
    return at === undefined ? printed : `repl:${number}:${at.line + 1}:${at.column + 1}`;
  });
  const lines: string[] = [];
  for (const line of mapped.split("\n")) {
    if (isEvaluatorCall(line)) for (let above = 0; above < 2 && FRAME.test(lines.at(-1) ?? ""); above++) lines.pop();
    else if (!FRAME.test(line) || !isOwnLine(line)) lines.push(line);
  }
  return lines.join("\n");
}
