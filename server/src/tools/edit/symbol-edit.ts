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
import type { Plan } from "./plan.ts";

export async function symbolChange(
  plan: Plan,
  { symbol = "", path, modified = "" }: Edit,
): Promise<{ readonly draft: Draft; readonly changes: readonly TextChange[] }> {
  const found = await query(plan, symbol, path === "" ? undefined : path);
  const place = plan.files.resolve(found.file);
  const draft = await plan.files.at(place);
  if (draft === undefined) throw new ToolFailure(`${place.relative} does not exist any more. Ask again.`);
  refuseNoText(draft);
  if (draft.base?.text !== found.text) throw new ToolFailure(`${place.relative} changed just now. Ask again.`);
  // A text that begins with a comment of its own replaces the comment, too.
  const isDocumented = modified === "" || /^\s*\/\*\*/.test(modified);
  const stretch = { start: isDocumented ? found.commentStart : found.start, end: found.end };
  const now = placeNow(draft, modified === "" ? wholeLines(found.text, stretch) : stretch);
  if (now === undefined) {
    throw new ToolFailure(`another edit of this call changes ${symbol}; put both into one edit.`);
  }
  return { draft, changes: [{ ...now, newText: withLineEndingsOf(draft.text, modified) }] };
}

async function query({ ports, signal }: Plan, symbol: string, path: string | undefined) {
  try {
    return await ports.typescript.query(async (view) => {
      const resolution = await resolveSymbol(view, symbol, path);
      if (resolution.kind !== "found") throw new ToolFailure(explainResolution(view, symbol, resolution).content);
      const found = await declarationPlace(view, resolution.target);
      if (typeof found === "string") throw new ToolFailure(found);
      return found;
    }, signal);
  } catch (error) {
    throw error instanceof TypeScriptUnavailable ? new ToolFailure(error.message) : error;
  }
}

/** With the indentation before it and the line end behind it, where nothing else stands on its lines. */
function wholeLines(text: string, { start, end }: { start: number; end: number }): { start: number; end: number } {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const isAlone =
    text.slice(lineStart, start).trim() === "" && text.slice(end, lineEnd === -1 ? undefined : lineEnd).trim() === "";
  return isAlone ? { start: lineStart, end: lineEnd === -1 ? text.length : lineEnd + 1 } : { start, end };
}
