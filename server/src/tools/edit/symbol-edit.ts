/** The edit of a symbol's whole declaration, which the compiler finds by the symbol's address. */
import type { TextChange } from "../../proposals/texts/hunks.ts";
import { withLineEndingsOf } from "../../proposals/texts/hunks.ts";
import { declarationPlace } from "../../typescript/edits/declaration-place.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import { TypeScriptUnavailable } from "../../typescript/typescript-unavailable.ts";
import { explainResolution } from "../answers/answer-text.ts";
import { ToolFailure } from "../tool.ts";
import { placeNow, refuseNoText, type Draft } from "./draft-files.ts";
import type { Edit } from "../edit-schema.ts";
import { withoutFences } from "../fences.ts";
import type { Plan } from "./plan.ts";

const STATEMENT = /^\s*(?:\{|(?:return|if|for|while|do|switch|throw|try|await)\b)/;
const DECLARATION =
  /\b(?:function|class|interface|type|enum|namespace|module|const|let|var|using|get|set|import|export)\b|[\w$\]'"]\s*[(=:?<]/;

export async function symbolChange(
  plan: Plan,
  edit: Edit,
): Promise<{ readonly draft: Draft; readonly changes: readonly TextChange[] }> {
  const { symbol = "", path } = edit;
  const found = await query(plan, symbol, path === "" ? undefined : path);
  const place = plan.files.resolve(found.file);
  const { modified = "" } = withoutFences(edit, place.relative, found.text);
  refuseBodyAlone(symbol, modified);
  const draft = await plan.files.at(place);
  if (draft === undefined) throw new ToolFailure(`${place.relative} does not exist any more. Ask again.`);
  refuseNoText(draft);
  if (draft.base?.text !== found.text) throw new ToolFailure(`${place.relative} changed just now. Ask again.`);
  // A text that begins with a comment of its own replaces the comment, too.
  const isDocumented = modified === "" || /^\s*\/\*\*/.test(modified);
  const stretch = { start: isDocumented ? found.commentStart : found.start, end: found.end };
  const now = placeNow(
    draft,
    modified === "" ? wholeLines(found.text, stretch) : asShown(found.text, stretch, modified),
  );
  if (now === undefined) {
    throw new ToolFailure(`another edit of this call changes ${symbol}; put both into one edit.`);
  }
  // The declaration's last line has its own end.
  const newText = withLineEndingsOf(draft.text, modified).replace(/\r?\n$/, "");
  return { draft, changes: [{ ...now, newText }] };
}

async function query({ ports, signal }: Plan, symbol: string, path: string | undefined) {
  try {
    return await ports.typescript.query(async (view) => {
      const resolution = await resolveSymbol(view, symbol, path, true);
      if (resolution.kind !== "found") throw new ToolFailure(explainResolution(view, symbol, resolution).content);
      const found = await declarationPlace(view, resolution.target);
      if (typeof found === "string") throw new ToolFailure(found);
      return found;
    }, signal);
  } catch (error) {
    throw error instanceof TypeScriptUnavailable ? new ToolFailure(error.message) : error;
  }
}

/** What would delete the declaration, and leave statements of its body in its place. */
function refuseBodyAlone(symbol: string, modified: string): void {
  const [name = ""] = /[\w$]+$/.exec(symbol) ?? [];
  const words: readonly string[] = modified.match(/[\w$]+/g) ?? [];
  if (modified.trim() === "" || words.includes(name)) return;
  if (!STATEMENT.test(modified) && DECLARATION.test(modified)) return;
  throw new ToolFailure(
    "`modified` declares nothing: op replace_symbol takes the whole declaration, as read_symbol shows it. To change a part of it use op replace.",
  );
}

/** With the indentation before it and the line end behind it, where nothing else is on its lines. */
function wholeLines(text: string, { start, end }: Stretch): Stretch {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const isAlone =
    text.slice(lineStart, start).trim() === "" && text.slice(end, lineEnd === -1 ? undefined : lineEnd).trim() === "";
  return isAlone ? { start: lineStart, end: lineEnd === -1 ? text.length : lineEnd + 1 } : { start, end };
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * read_symbol shows whole lines, also the text before and behind a declaration there, such as `export default`, a
 * comma or the rest of an enum. Where the new text has the same text at its ends, it replaces that text too.
 */
function asShown(text: string, { start, end }: Stretch, modified: string): Stretch {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const before = text.slice(lineStart, start);
  const behind = text.slice(end, lineEnd === -1 ? undefined : lineEnd).trimEnd();
  const isWritten = modified.trimEnd().endsWith(behind);
  const indentation = /^\s*/.exec(before)?.[0] ?? "";
  const from = modified.startsWith(indentation) ? lineStart : lineStart + indentation.length;
  if (before.trim() === "") {
    const isEnd = /^[,;]+$/.test(behind) && isWritten;
    return { start: modified.startsWith(before) ? lineStart : start, end: isEnd ? end + behind.length : end };
  }
  const isShown = modified.trimStart().startsWith(before.trimStart()) && isWritten;
  return isShown ? { start: from, end: end + behind.length } : { start, end };
}
