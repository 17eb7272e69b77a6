/** What changes have broken and mended, since a turn began or if they were made: in the changed files and in those that use them. */
import type { EditComparison } from "../../typescript/edits/check/edit-check.ts";
import { errorsNow, errorsOnlyIn, type FileError } from "../../typescript/edits/check/file-errors.ts";
import { importersOf } from "../../typescript/edits/check/importers.ts";
import type { RememberedProgram } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { mapLimited } from "../../typescript/yielding.ts";
import type { ToolAnswer } from "../tool.ts";
import { foldPlaces } from "../answers/fold-places.ts";
import { cut } from "../answers/grouped-lines.ts";
import { plural } from "../../base/plural.ts";

const MAX_IMPORTERS = 200;
const MAX_SHOWN = 60;
const MAX_GONE = 15;
const MAX_MESSAGE = 400;
/** Fewer errors are seen at a glance. */
const MANY = 6;
const STARTED_ANEW =
  "NOT KNOWN: the compiler was started anew since the turn began, so what was wrong before is lost. Leave out `since` to see all that is wrong now.";

export async function turnDiagnostics(
  view: View,
  began: RememberedProgram | undefined,
  code: number | undefined,
): Promise<ToolAnswer> {
  const before = began?.before(view);
  if (began === undefined || before === undefined) return { content: STARTED_ANEW, complete: false };
  const changed = await reallyChanged(before, view, began.changed());
  if (changed.length === 0) {
    return { content: "No file that the compiler reads has changed since the turn began: no new error, none gone." };
  }
  const users = await usersOf(before, view, changed);
  const files = [...changed, ...users.slice(0, MAX_IMPORTERS)];
  const [then, now] = await Promise.all([errorsNow(before, files), errorsNow(view, files)]);
  const content = compared(view, {
    when: "Since the turn began",
    introduced: errorsOnlyIn(now, then),
    gone: errorsOnlyIn(then, now),
    changed,
    others: Math.min(users.length, MAX_IMPORTERS),
    code,
  });
  const isWhole = users.length <= MAX_IMPORTERS;
  const notes = isWhole ? [] : [`More than ${MAX_IMPORTERS} files use the changed ones: the nearest were compared.`];
  return { content, complete: isWhole, notes };
}

/** What edits that nobody has seen would break and mend. */
export function editDiagnostics(view: View, tried: EditComparison | string, code: number | undefined): ToolAnswer {
  if (typeof tried === "string") return { content: `NOT CHECKED: ${tried}`, complete: false };
  const { introduced, resolved: gone, edited, looked, touched, isWhole } = tried;
  const changed = edited.map(({ file }) => file);
  const others = looked - touched;
  const content = compared(view, { when: "With these edits", introduced, gone, changed, others, code });
  const notes = isWhole ? [] : ["More files use what changes than could be checked."];
  return { content, complete: isWhole, notes };
}

interface Compared {
  readonly when: string;
  readonly introduced: readonly FileError[];
  readonly gone: readonly FileError[];
  readonly changed: readonly string[];
  /** How many more files were compared, which use the changed ones. */
  readonly others: number;
  readonly code: number | undefined;
}

function compared(view: View, { when, changed, others, code, ...errors }: Compared): string {
  const isWanted = (error: FileError): boolean => code === undefined || error.code === code;
  const [introduced, gone] = [errors.introduced.filter(isWanted), errors.gone.filter(isWanted)];
  const [use, them] = [others === 1 ? "uses" : "use", changed.length === 1 ? "it" : "them"];
  const rest = others === 0 ? "" : ` and ${plural(others, "file")} that ${use} ${them}`;
  const only = code === undefined ? "" : ` TS${code}`;
  const count = `${plural(introduced.length, "new error")}, ${gone.length} gone`;
  return [
    `${when}:${only} ${count}, in ${plural(changed.length, "changed file")}${rest}.`,
    ...byCode(introduced),
    ...listed(view, introduced, new Set(changed), MAX_SHOWN),
    ...(gone.length === 0 ? [] : ["Gone:", ...listed(view, gone, new Set(changed), MAX_GONE)]),
  ].join("\n");
}

/** The compiler is told of files that were only saved, too. */
async function reallyChanged(before: View, now: View, told: readonly string[]): Promise<string[]> {
  const files = told.filter((file) => before.programOf(file) !== undefined || now.programOf(file) !== undefined);
  const textIn = async (view: View, file: string): Promise<string | undefined> =>
    (await view.source(file))?.source.text;
  const isOther = await mapLimited(
    files,
    async (file) => (await textIn(before, file)) !== (await textIn(now, file)),
    now.signal,
  );
  return files.filter((file, index) => isOther[index] === true && !now.state.shown.hides(file)).toSorted();
}

/** Those that use the files now, and those that used a file that is gone. */
async function usersOf(before: View, now: View, changed: readonly string[]): Promise<string[]> {
  const lost = changed.filter((file) => now.programOf(file) === undefined);
  const users = await importersOf(now, changed, MAX_IMPORTERS + 1);
  const formerly = lost.length === 0 ? [] : await importersOf(before, lost, MAX_IMPORTERS + 1);
  return [...new Set([...users, ...formerly])].filter((file) => !changed.includes(file));
}

function byCode(errors: readonly FileError[]): string[] {
  const groups = [...Map.groupBy(errors, ({ code }) => code)].toSorted(([, a], [, b]) => b.length - a.length);
  if (groups.length < 2 || errors.length < MANY) return [];
  return [`By code: ${groups.map(([code, { length }]) => `TS${code} ×${length}`).join(", ")}`];
}

function listed(view: View, errors: readonly FileError[], changed: ReadonlySet<string>, limit: number): string[] {
  const lines: string[] = [];
  let file = "";
  const shown = errors.slice(0, limit);
  const groups = [...Map.groupBy(shown, ({ code, message }) => `error TS${code}: ${message}`)];
  const equal = groups.filter(([, own]) => own.length >= MANY);
  for (const [said, own] of equal) {
    const text = `${cut(view.paths.showIn(said), MAX_MESSAGE)} (×${own.length})`;
    const places = own.toSorted((a, b) => (a.file < b.file ? -1 : 1));
    lines.push(...foldPlaces(places.map(({ file: at, start }) => `${view.paths.show(at)}:${start.line + 1} ${text}`)));
  }
  const folded = new Set(equal.flatMap(([, own]) => own));
  for (const error of shown.filter((each) => !folded.has(each))) {
    if (error.file !== file)
      lines.push(`${view.paths.show(error.file)}${changed.has(error.file) ? "" : " (not changed)"}`);
    file = error.file;
    const { start, code, message } = error;
    lines.push(
      `  ${start.line + 1}:${start.character + 1} error TS${code}: ${cut(view.paths.showIn(message), MAX_MESSAGE)}`,
    );
  }
  if (errors.length > limit) lines.push(`  … ${errors.length - limit} more`);
  return lines;
}
