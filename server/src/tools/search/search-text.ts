/** `search_text`: the lines of the workspace's texts that match, as the texts are now. */
import { searchText, type TextFindings } from "../../search/search-text.ts";
import type { ReadFrom } from "../../search/found-lines.ts";
import type { Place } from "../../search/place.ts";
import type { Pattern } from "../../search/rg-arguments.ts";
import { PatternProblem } from "../../search/rg-problem.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { foundPage, leftText } from "./found-text.ts";
import { nothingFound } from "./nothing-found.ts";
import { readPlaceCursor } from "./place-cursor.ts";
import { reachSchema, readReach, searching, shownPlace, type SearchToolPorts } from "./search-ports.ts";
import { plural } from "../../base/plural.ts";

const MAX_MATCHES = 1_000;
const MAX_NAMED = 5;

export function createSearchText(ports: SearchToolPorts): Tool {
  return defineTool({
    name: "search_text",
    description: "Lines that match a regex, in files of any kind, unsaved text included, without what git ignores.",
    safety: "safe",
    categories: ["filesystem", "buffer"],
    input: {
      type: "object",
      properties: {
        pattern: {
          type: "string",
          minLength: 1,
          maxLength: 10_000,
          description: String.raw`Regex of ripgrep (look-around works; \n goes over line ends).`,
        },
        literal: { type: "boolean", description: "pattern is no regex but the text itself." },
        ignore_case: { type: "boolean" },
        path: reachSchema.path,
        glob: { type: "string", minLength: 1, maxLength: 500, description: "*.md, src/**/*.{ts,tsx}, !test/**" },
        ignored: reachSchema.ignored,
        context: { type: "integer", minimum: 0, maximum: 20, description: "Lines around each match." },
        limit: { type: "integer", minimum: 1, maximum: MAX_MATCHES },
        cursor: { type: "string", minLength: 1, maxLength: 5_000 },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    told: {
      pattern: { type: "string", description: String.raw`Regex of ripgrep; \n goes over line ends.` },
      literal: { type: "boolean", description: "pattern is the text itself." },
      path: { type: "string" },
      ignored: { type: "boolean", description: "Also what git ignores, and node_modules." },
      context: { type: "integer", description: "Lines around." },
    },
    run: async (
      { pattern: text, literal = false, ignore_case = false, context = 0, limit, cursor, ...reached },
      { signal },
    ) => {
      if (text.includes("\0")) throw new ToolFailure("The pattern has a NUL character, which no text has.");
      const reach = await readReach(ports, reached);
      const shown = shownPlace(ports);
      const from = cursor === undefined ? undefined : readPlaceCursor(ports, reach, cursor);
      const pattern: Pattern = { text, literal, ignoreCase: ignore_case, context };
      const found = await searching(searchText(ports, { pattern, reach, from }, signal)).catch(explainPattern);
      if (found.files.length > 0) return told(found, { shown, from, limit: limit ?? MAX_MATCHES });
      const nothing = await nothingFound(ports, { pattern, reach, shown, glob: reached.glob }, signal);
      return { content: nothing, notes: notesOf(found, shown), complete: found.unread.length === 0 };
    },
  });
}

function told(
  found: TextFindings,
  options: { readonly shown: (place: Place) => string; readonly from: ReadFrom | undefined; readonly limit: number },
): ToolAnswer {
  const { files } = found;
  const { shown, from } = options;
  const total = files.reduce((sum, { matches }) => sum + matches, 0);
  const page = foundPage(files, options);
  const after = from === undefined ? "" : `, after ${shown(from)}:${from.line}`;
  const head = `${plural(total, "line")} in ${plural(files.length, "file")}${after}`;
  const tail = page.left.length === 0 ? [] : [`Not shown: ${leftText(page.left)}.`];
  const nothing = page.lines.length === 0 && tail.length === 0 ? ["Nothing more."] : [];
  return {
    content: [head, ...page.lines, ...nothing, ...tail].join("\n"),
    notes: notesOf(found, shown),
    complete: found.unread.length === 0,
    ...(page.last === undefined ? {} : { truncated: true, nextCursor: `${shown(page.last)}:${page.last.line}` }),
  };
}

function notesOf({ files, binary, tooLong, unread }: TextFindings, shown: (place: Place) => string): string[] {
  const foreign = files.filter(({ isForeign }) => isForeign).map(({ place }) => place);
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ["Match, but are binary", binary.map(shown)],
    ["Match in lines too long to read", tooLong.map(shown)],
    ["Not UTF-8, shown as Latin-1", foreign.map(shown)],
    ["Could not be searched", unread.map(({ path, reason }) => `${path} (${reason})`)],
  ];
  return lines.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what}: ${named(names)}.`]));
}

function named(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return names.slice(0, MAX_NAMED).join(", ") + more;
}

function explainPattern(error: unknown): never {
  if (!(error instanceof PatternProblem)) throw error;
  throw new ToolFailure(
    `The pattern is no regex that ripgrep can read: ${error.message}. literal: true searches for the text itself.`,
  );
}
