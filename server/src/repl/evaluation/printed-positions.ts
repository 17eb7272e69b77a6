/** Positions in texts that the program printed: V8 writes those of the generated code, the person wants their own. */
import type { FrameSources } from "./error-info.ts";

const POSITION = /\brepl:(\d+):(\d+):(\d+)(?!\d)/g;

/** A stack that `console.error` wrote, for instance, with the lines and columns of the forms. */
export function mapPrintedPositions(text: string, sources: Pick<FrameSources, "snippet">): string {
  if (!text.includes("repl:")) return text;
  return text.replace(POSITION, (printed, number: string, line: string, column: string) => {
    const at = sources.snippet(Number(number))?.mapper({ line: Number(line) - 1, column: Number(column) - 1 });
    return at === undefined ? printed : `repl:${number}:${at.line + 1}:${at.column + 1}`;
  });
}
