/** Where the person works in their editor, in words. */
import type { Range } from "vscode-languageserver-protocol";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";
import { nameList, plainLine, plainName } from "../workspace/plain-text.ts";

/** A diagnostic of the editor's, whichever server or linter it comes from. */
export interface ShownDiagnostic {
  readonly range: Range;
  readonly severity?: 1 | 2 | 3 | 4 | undefined;
  readonly message: string;
  readonly source?: string | undefined;
}

export interface ActivePlace {
  readonly path: string;
  /** The selection, or the cursor where its ends are one. */
  readonly range?: Range | undefined;
  /** The lines on the screen. */
  readonly visible?: Range | undefined;
  /** The diagnostics of the file, as the editor shows them now. */
  readonly diagnostics?: readonly ShownDiagnostic[] | undefined;
}

const OPEN_ROOM = 250;
const MOST_DIAGNOSTICS = 10;
const LONGEST_MESSAGE = 160;
const SEVERITIES = { 1: "error", 2: "warning", 3: "information", 4: "hint" } as const;

/** The place that a client named, as it is told; undefined outside of the workspace. */
export function activeIn(
  paths: Pick<WorkspacePaths, "resolve">,
  { uri, ...shown }: Omit<ActivePlace, "path"> & { readonly uri: string },
): ActivePlace | undefined {
  const resolution = paths.resolve(uri);
  return resolution.ok ? { path: resolution.path.relative, ...shown } : undefined;
}

/** `src/cart.ts:12 (cursor)`, `src/cart.ts:12-15 (selected), lines 1-40 in view; the editor shows in it: …` */
export function placeWords(place: ActivePlace): string {
  return `${atWords(place)}${viewWords(place.visible)}${diagnosticWords(place.diagnostics ?? [])}`;
}

/** `src/cart.ts:12 · lines 1-40 · 2 errors, 1 warning`: for the person, who sees the messages in the editor. */
export function placeForPeople({ path, range, visible, diagnostics = [] }: ActivePlace): string {
  const at = range === undefined ? "" : `:${range.start.line + 1}`;
  const view = visible === undefined ? [] : [`lines ${linesOf(visible)}`];
  const counts = ([1, 2] as const).flatMap((severity) => {
    const count = diagnostics.filter((each) => (each.severity ?? 1) === severity).length;
    return count === 0 ? [] : [`${count} ${SEVERITIES[severity]}${count === 1 ? "" : "s"}`];
  });
  return [`${plainName(path)}${at}`, ...view, ...(counts.length === 0 ? [] : [counts.join(", ")])].join(" · ");
}

function atWords({ path, range }: ActivePlace): string {
  const name = plainName(path);
  if (range === undefined) return name;
  const { start, end } = range;
  const isCursor = start.line === end.line && start.character === end.character;
  return isCursor ? `${name}:${start.line + 1} (cursor)` : `${name}:${linesOf(range)} (selected)`;
}

function viewWords(visible: Range | undefined): string {
  return visible === undefined ? "" : `, lines ${linesOf(visible)} in view`;
}

/** The messages are texts of others: they stay in their quotation marks. */
function diagnosticWords(diagnostics: readonly ShownDiagnostic[]): string {
  if (diagnostics.length === 0) return "";
  const shown = diagnostics.slice(0, MOST_DIAGNOSTICS).map(({ range, severity = 1, message, source }) => {
    const from = source === undefined ? "" : ` (${plainName(source)})`;
    return `line ${range.start.line + 1} ${SEVERITIES[severity]} ${JSON.stringify(plainLine(message, LONGEST_MESSAGE))}${from}`;
  });
  const rest = diagnostics.length - shown.length;
  return `; the editor shows in it: ${[...shown, ...(rest > 0 ? [`+${rest}`] : [])].join(", ")}`;
}

/** `12`, `12-15`. A range that ends before a line's first character does not reach into that line. */
function linesOf({ start, end }: Range): string {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return `${start.line + 1}${last > start.line + 1 ? `-${last}` : ""}`;
}

export function openWords(open: readonly { readonly path: string; readonly isUnsaved: boolean }[]): string {
  const names = open.map(({ path, isUnsaved }) => `${plainName(path)}${isUnsaved ? " (not saved)" : ""}`);
  return nameList(names, OPEN_ROOM);
}
