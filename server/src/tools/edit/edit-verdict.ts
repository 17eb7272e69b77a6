/** The compiler's word on an applied edit, as the model reads it. */
import { fileURLToPath } from "node:url";
import type { Check } from "../../protocol/proposal-shapes.ts";
import type { EditedText, EditSurroundings } from "../../typescript/edits/check/edit-check.ts";
import {
  errorsNow,
  errorsOnlyIn,
  type ErrorsByFile,
  type FileError,
} from "../../typescript/edits/check/file-errors.ts";
import type { FileDiagnostic } from "../../typescript/edits/code-actions.ts";
import type { View } from "../../typescript/view.ts";
import { plural } from "../../base/plural.ts";

/** The word for the files of the proposal: some were not touched when only a part was applied. */
export type FileWord = "touched" | "proposed";

const SHOWN_ERRORS = 8;
const SHOWN_LEFT = 3;

/** `src/a.ts:12:3 error TS2304: Cannot find name 'a'.`, first line only. */
export function describeDiagnostic(view: View, file: string, diagnostic: FileDiagnostic): string {
  const { range, code, message } = diagnostic;
  const severity = ["error", "warning", "information", "hint"][diagnostic.severity - 1] ?? "problem";
  const at = `${view.paths.show(file)}:${range.start.line + 1}:${range.start.character + 1}`;
  return `${at} ${severity}${code === undefined ? "" : ` TS${code}`}: ${message.split("\n")[0] ?? ""}`;
}

/** Compares with the errors before the edit. */
export async function verdict(
  view: View,
  found: EditSurroundings,
  before: ErrorsByFile,
  word: FileWord,
): Promise<string[]> {
  const { files: all, configs, edited } = found;
  const deleted = new Set(edited.flatMap(({ file, target }) => (target === null ? file : [])));
  const gone = all.filter((file) => deleted.has(file) && view.programOf(file) === undefined);
  // A new file that no tsconfig has found yet would be judged by other options than its own.
  const isSeen = (file: string): boolean => view.programOf(file)?.configFile === configs.get(file);
  const files = all.filter((file) => !gone.includes(file) && isSeen(file));
  const now = await errorsNow(view, files);
  const introduced = errorsOnlyIn(now, before);
  const looked = [...files, ...gone];
  const resolvedCount = errorsOnlyIn(new Map(looked.map((file) => [file, before.get(file) ?? []])), now).length;
  const unseen = all.filter((file) => !looked.includes(file));
  const notSeen =
    unseen.length === 0
      ? []
      : [`Not checked: ${unseen.map((file) => view.paths.show(file)).join(", ")}, which is in no project.`];
  if (looked.length === 0) return notSeen;
  const left = errorsLeft(edited, now, introduced).filter(({ isOnEditedLine }) => isOnEditedLine || resolvedCount > 0);
  const resolved = resolvedCount === 0 ? "" : `, ${plural(resolvedCount, "error")} gone`;
  const touched = found.touched - unseen.filter((file) => edited.some((each) => each.file === file)).length;
  const where = whereText({ ...found, files: looked, touched }, word);
  if (introduced.length === 0) {
    const isAlone = found.reach === "using" && !found.hasRelated && looked.length === touched;
    const alone = isAlone ? " (no other file's types depend on what changed)" : "";
    return [`Checked ${where}${alone}: no new error${resolved}${leftWords(view, left)}.`, ...notSeen];
  }
  const shown = introduced.slice(0, SHOWN_ERRORS).map((error) => `  ${errorLine(view, error)}`);
  if (shown.length < introduced.length) shown.push(`  … ${introduced.length - shown.length} more`);
  const count = plural(introduced.length, "new error");
  return [`BROKEN: the compiler reports ${count} in ${where}${resolved}:`, ...shown, ...notSeen];
}

/** The errors that stay in files of the edit, which may be the ones that the edit was to mend. */
function errorsLeft(
  edited: readonly EditedText[],
  now: ErrorsByFile,
  introduced: readonly FileError[],
): (FileError & { readonly isOnEditedLine: boolean })[] {
  const isNew = new Set(introduced);
  return edited.flatMap(({ file, base, target }) => {
    const errors = (now.get(file) ?? []).filter((error) => !isNew.has(error));
    if (errors.length === 0) return [];
    const before = new Set((base ?? "").split("\n"));
    const lines = (target ?? "").split("\n");
    return errors.map((error) => ({ ...error, isOnEditedLine: !before.has(lines[error.start.line] ?? "") }));
  });
}

function leftWords(view: View, left: readonly FileError[]): string {
  if (left.length === 0) return "";
  const shown = left.slice(0, SHOWN_LEFT).map((error) => `${placeOf(view, error)} TS${error.code}`);
  return `, ${left.length} left (${shown.join(", ")}${left.length > SHOWN_LEFT ? ", …" : ""})`;
}

/** The same words about an edit that is not applied yet. */
export function patchVerdict(view: View, { introduced, resolved }: Check): string[] {
  const gone = resolved.length === 0 ? "" : `, ${plural(resolved.length, "error")} gone`;
  if (introduced.length === 0) return [`Checked with the patch applied: no new error${gone}.`];
  const shown = introduced.slice(0, SHOWN_ERRORS).map(({ uri, range, code = "", message }) => {
    const path = uri === undefined ? "" : view.paths.show(fileURLToPath(uri));
    const at = range === undefined ? "" : `:${range.start.line + 1}:${range.start.character + 1}`;
    return `  ${path}${at} error ${code}: ${message.split("\n")[0] ?? ""}`;
  });
  if (shown.length < introduced.length) shown.push(`  … ${introduced.length - shown.length} more`);
  return [
    `BROKEN: with the patch applied the compiler reports ${plural(introduced.length, "new error")}${gone}:`,
    ...shown,
  ];
}

function errorLine(view: View, error: FileError): string {
  return `${placeOf(view, error)} error TS${error.code}: ${error.message.split("\n")[0] ?? ""}`;
}

function placeOf(view: View, { file, start }: FileError): string {
  return `${view.paths.show(file)}:${start.line + 1}:${start.character + 1}`;
}

function whereText(
  { files, touched, touchedInAll, leftOut, hasRelated, reach }: EditSurroundings,
  word: FileWord,
): string {
  const others = files.length - touched;
  const own = touchedInAll === 1 ? `the ${word} file` : `the ${touched} ${word} files`;
  const first = touched < touchedInAll && touched > 0 ? `${touched} of the ${touchedInAll} ${word} files` : own;
  const [it, s] = [touchedInAll === 1 ? "it" : "them", others === 1 ? "s" : ""];
  const why = reach === "using" ? `use${s} what changed` : `depend${s} on ${it}`;
  const how = hasRelated ? `${why} or spell${s} the name` : why;
  const rest = others === 0 ? "" : ` and ${plural(others, "file")} that ${how}`;
  const missing = [
    ...(leftOut === 0 ? [] : [`${leftOut} more were not looked at`]),
    ...(reach === "some" ? [`not every file that depends on ${it} was looked at`] : []),
  ];
  return `${first}${rest}${missing.length === 0 ? "" : ` (${missing.join("; ")}: get_diagnostics looks at all)`}`;
}
