/** What the compiler finds wrong before an edit and after it: the answer to whether the edit broke something. */
import type { ProposalOutcome } from "../../proposals/proposal.ts";
import { diagnosticsOf, type FileDiagnostic } from "../../typescript/edits/code-actions.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { mapLimited } from "../../typescript/yielding.ts";
import { plural } from "../introspection/answer-text.ts";

export interface CheckedFiles {
  /** The touched ones first. */
  readonly errors: ReadonlyMap<string, readonly FileDiagnostic[]>;
  readonly touched: number;
  /** How many were not looked at because there are too many. */
  readonly leftOut: number;
}

/** Checking a file is work for the compiler; past this many the answer says that it did not look. */
const MAX_CHECKED = 40;
const SHOWN_ERRORS = 8;

export async function checkFiles(
  view: View,
  touched: readonly string[],
  related: readonly string[] = [],
): Promise<CheckedFiles> {
  const wanted = [...new Set([...touched, ...related])];
  const files = wanted.slice(0, MAX_CHECKED);
  return {
    errors: await errorsIn(view, files),
    touched: touched.length,
    leftOut: wanted.length - files.length,
  };
}

/** Empty when nothing was applied. */
export async function checkAfter(
  typescript: TypeScriptService,
  before: CheckedFiles,
  outcome: ProposalOutcome,
  signal: AbortSignal,
): Promise<string[]> {
  if (signal.aborted || !outcome.hunks.some((hunk) => hunk.applied)) return [];
  return typescript.query(async (view) => {
    const files = [...before.errors.keys()];
    const now = await errorsIn(view, files);
    const lines: string[] = [];
    let gone = 0;
    for (const file of files) {
      const left = countsOf(before.errors.get(file) ?? []);
      for (const error of now.get(file) ?? []) {
        const count = left.get(keyOf(error)) ?? 0;
        if (count > 0) left.set(keyOf(error), count - 1);
        else lines.push(`  ${describeDiagnostic(view, file, error)}`);
      }
      gone += [...left.values()].reduce((sum, count) => sum + count, 0);
    }
    const resolved = gone === 0 ? "" : `, ${plural(gone, "error")} gone`;
    const where = whereText(before, files.length);
    if (lines.length === 0) return [`Checked ${where}: no new error${resolved}.`];
    const shown = lines.slice(0, SHOWN_ERRORS);
    if (shown.length < lines.length) shown.push(`  … ${lines.length - shown.length} more`);
    return [`BROKEN: the compiler reports ${plural(lines.length, "new error")} in ${where}${resolved}:`, ...shown];
  }, signal);
}

/** `src/a.ts:12:3 error TS2304: Cannot find name 'a'.`, first line only. */
export function describeDiagnostic(view: View, file: string, diagnostic: FileDiagnostic): string {
  const { range, code, message } = diagnostic;
  const severity = ["error", "warning", "information", "hint"][diagnostic.severity - 1] ?? "problem";
  const at = `${view.paths.show(file)}:${range.start.line + 1}:${range.start.character + 1}`;
  return `${at} ${severity}${code === undefined ? "" : ` TS${code}`}: ${message.split("\n")[0] ?? ""}`;
}

function whereText({ touched, leftOut }: CheckedFiles, checked: number): string {
  const rest = leftOut === 0 ? "" : ` (${leftOut} more not looked at: run the type checker)`;
  const own = Math.min(touched, checked);
  const others = checked - own;
  const first = own === 1 ? "the touched file" : `the ${own} touched files`;
  return `${first}${others === 0 ? "" : ` and ${plural(others, "other file")} with that name`}${rest}`;
}

async function errorsIn(view: View, files: readonly string[]): Promise<Map<string, readonly FileDiagnostic[]>> {
  const found = await mapLimited(
    files,
    async (file) => {
      const all = view.programOf(file) === undefined ? [] : await diagnosticsOf(view, file);
      return [file, all.filter(({ severity }) => severity === 1)] as const;
    },
    view.signal,
  );
  return new Map(found);
}

function countsOf(errors: readonly FileDiagnostic[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const error of errors) counts.set(keyOf(error), (counts.get(keyOf(error)) ?? 0) + 1);
  return counts;
}

/** An edit moves errors about; the same words in the same file are the same error. */
function keyOf({ code, message }: FileDiagnostic): string {
  return `${String(code)} ${message}`;
}
