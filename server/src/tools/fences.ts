/** Models put code between the fences of Markdown also where the code alone is asked for. */
import type { Edit } from "./edit-schema.ts";

const FENCED = /^\s*(`{3,}|~{3,})[^\n`]*\n([^]*?)\n?[^\S\n]*\1\s*$/;
/** Fences in such files are text of the file. */
const PROSE = /\.(?:md|mdx|markdown|mdc|rst|adoc|txt)$/i;

/** The code where the whole text is one fenced block, without its last line end; else undefined. */
export function fencedCode(text: string): string | undefined {
  const [, fence = "", code] = FENCED.exec(text) ?? [];
  return code === undefined || code.includes(`\n${fence}`) || code.startsWith(fence) ? undefined : code;
}

/** The edit without fences round its texts. `now` is what the file holds; where that has fences, they may be meant. */
export function withoutFences(edit: Edit, path: string, now: string | undefined): Edit {
  if (PROSE.test(path) || now?.includes("```") === true || now?.includes("~~~") === true) return edit;
  const { op, original, modified } = edit;
  const [from, to] = [original, modified].map((text) => (text === undefined ? undefined : fencedCode(text)));
  const isInLine = op === "replace" || op === "replace_all";
  const end = isInLine && !(from === undefined && original?.endsWith("\n") === true) ? "" : "\n";
  return {
    ...edit,
    ...(from === undefined ? {} : { original: from }),
    ...(to === undefined ? {} : { modified: `${to}${end}` }),
  };
}
