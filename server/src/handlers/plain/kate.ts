/**
 * What Kate does otherwise than other editors, seen with 22.12 and in its source of 2026. Kate tells no name, and announces
 * neither documents that a server may show nor edits that a server may ask for.
 */
import type { CodeActionParams, Range } from "vscode-languageserver-protocol";
import type { InitializeParams } from "../connection.ts";

export function isKate({ clientInfo, capabilities }: InitializeParams): boolean {
  const { window, workspace, experimental } = capabilities;
  const isNameless = clientInfo === undefined && experimental === undefined;
  return isNameless && window?.showDocument === undefined && workspace?.applyEdit !== true;
}

/** A message as this editor shows it as it is. */
export function shownIn(setup: InitializeParams | undefined, text: string): string {
  return setup !== undefined && isKate(setup) ? asHtml(text) : text;
}

/**
 * Kate shows each message as HTML: a text could hide its own words, load a picture or name another target than a link
 * has. Blanks at the beginning of a line and empty lines would go.
 */
function asHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/^[ \t]+/gm, (blanks) => blanks.replaceAll("\t", "  ").replaceAll(" ", "\u00A0"))
    .replaceAll(/^$/gm, "\u00A0");
}

/**
 * Kate's Quick Fix carries out everything that it is offered, and asks with the diagnostics at the cursor. Kate's menu of
 * code actions asks without diagnostics.
 */
export function isQuickFix({ context }: CodeActionParams): boolean {
  return context.diagnostics.length > 0;
}

/** Of the actions of a Quick Fix, the preferred one, else the first one. */
export function oneFix<Action extends { readonly kind?: string; readonly isPreferred?: boolean }>(
  actions: readonly Action[],
): Action[] {
  const fixes = actions.filter(({ kind = "" }) => kind.split(".")[0] === "quickfix");
  const fix = fixes.find(({ isPreferred }) => isPreferred === true) ?? fixes[0];
  return fix === undefined ? [] : [fix];
}

/** Where nothing is selected Kate sends the whole line: what is meant is its first word that is no keyword of a declaration. */
export function placeIn(range: Range, text: string): Range {
  const { start, end } = range;
  if (start.character !== 0 || end.character !== 0 || end.line !== start.line + 1) return range;
  const line = text.split("\n", end.line).at(-1) ?? "";
  const named = DECLARED.exec(line)?.[0].length ?? 0;
  const place = { line: start.line, character: named };
  return { start: place, end: place };
}

const DECLARED =
  /^\s*(?:(?:export|default|declare|abstract|async|public|private|protected|static|readonly|function\*?|class|interface|type|enum|namespace|const|let|var)\s+)*/;
