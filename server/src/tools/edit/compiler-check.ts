/** What the compiler says about an edit: to the person while they decide, and to the model about what was applied. */
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ProposalOutcome, ProposedDocument } from "../../proposals/proposal.ts";
import type { Check, DiagnosticLine } from "../../protocol/shapes.ts";
import type { FileDiagnostic } from "../../typescript/edits/code-actions.ts";
import {
  errorsNow,
  errorsOnlyIn,
  errorsWith,
  surroundingsOf,
  type EditSurroundings,
  type ErrorsByFile,
  type FileError,
} from "../../typescript/edits/edit-check.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { plural } from "../answers/answer-text.ts";
import { errorText } from "../../protocol/errors.ts";

export interface EditCheck {
  /** The check of everything that is proposed. Never rejects. */
  readonly proposed: Promise<Check>;
  /** Lines for the model; none when nothing was applied, or nothing that the compiler reads. Never rejects. */
  readonly afterReview: (outcome: ProposalOutcome, signal: AbortSignal) => Promise<string[]>;
}

const LIMIT_MS = 20_000;
const SHOWN_ERRORS = 8;

/** Begins at once, so that it sees the text before anybody accepts; `related` are files that the edit may break. */
export function checkEdit(
  typescript: TypeScriptService,
  documents: readonly ProposedDocument[],
  related: readonly string[],
  signal: AbortSignal,
): EditCheck {
  const edited = documents.flatMap(({ uri, base, target, movedTo, bytes }) => {
    if (target === null || bytes !== undefined) return [];
    const isNew = base === null || movedTo !== undefined;
    return [{ file: fileURLToPath(movedTo?.uri ?? uri), base: isNew ? null : base.text, target }];
  });
  /**
   * `decided` ends the check of the proposed text, which nobody reads after the review; `needless` ends all checks when
   * nothing was applied.
   */
  const decided = new AbortController();
  const needless = new AbortController();
  const proposing = AbortSignal.any([signal, needless.signal, AbortSignal.timeout(LIMIT_MS)]);
  const around = typescript.query((view) => surroundingsOf(view, edited, related), proposing);
  around.catch(() => undefined);
  const textsBefore = new Map(edited.map(({ file, base }) => [file, base ?? ""]));
  const errorsBefore = async (found: EditSurroundings, until: AbortSignal): Promise<ErrorsByFile> =>
    found.before ?? errorsWith(found, textsBefore, until);
  const hasWhole = documents.some(({ target, movedTo }) => target === null || movedTo !== undefined);
  const proposed = async (): Promise<Check> => {
    if (hasWhole) return unavailable("Files move or go: the compiler is asked when they have.");
    const found = await around;
    if (found === undefined) return unavailable("The compiler reads none of these files.");
    const texts = new Map(edited.map(({ file, target }) => [file, target]));
    const undecided = AbortSignal.any([proposing, decided.signal]);
    const before = await errorsBefore(found, undecided);
    const then = await errorsWith(found, texts, undecided);
    const [introduced, resolved] = [errorsOnlyIn(then, before), errorsOnlyIn(before, then)];
    return { state: "done", introduced: introduced.map(diagnosticLine), resolved: resolved.map(diagnosticLine) };
  };
  const after = async (until: AbortSignal, applied: number): Promise<string[]> => {
    const found = await around;
    if (found === undefined) return [];
    const before = await errorsBefore(found, until);
    const word = applied < found.touchedInAll ? "proposed" : "touched";
    return typescript.query(async (view) => verdict(view, found, before, word), until);
  };
  return {
    proposed: proposed().catch((error: unknown) => unavailable(reasonOf(error))),
    afterReview: async (outcome, reviewed) => {
      decided.abort();
      if (reviewed.aborted || !outcome.hunks.some((hunk) => hunk.applied)) {
        needless.abort();
        return [];
      }
      const until = AbortSignal.any([reviewed, AbortSignal.timeout(LIMIT_MS)]);
      const applied = new Set(outcome.hunks.flatMap((hunk) => (hunk.applied ? hunk.path : [])));
      return after(until, applied.size).catch((error: unknown) => [`Not checked: ${reasonOf(error)}`]);
    },
  };
}

/** `src/a.ts:12:3 error TS2304: Cannot find name 'a'.`, first line only. */
export function describeDiagnostic(view: View, file: string, diagnostic: FileDiagnostic): string {
  const { range, code, message } = diagnostic;
  const severity = ["error", "warning", "information", "hint"][diagnostic.severity - 1] ?? "problem";
  const at = `${view.paths.show(file)}:${range.start.line + 1}:${range.start.character + 1}`;
  return `${at} ${severity}${code === undefined ? "" : ` TS${code}`}: ${message.split("\n")[0] ?? ""}`;
}

/** The word for the files of the proposal: some were not touched when only a part was applied. */
type FileWord = "touched" | "proposed";

async function verdict(view: View, found: EditSurroundings, before: ErrorsByFile, word: FileWord): Promise<string[]> {
  // Without a tsconfig that has found it, a new file would be judged by other options than its own.
  const isSeen = (file: string): boolean => view.programOf(file)?.configFile === found.configs.get(file);
  const files = found.files.filter(isSeen);
  const now = await errorsNow(view, files);
  const introduced = errorsOnlyIn(now, before);
  const gone = errorsOnlyIn(new Map(files.map((file) => [file, before.get(file) ?? []])), now).length;
  const unseen = found.files.filter((file) => !isSeen(file)).map((file) => view.paths.show(file));
  const notSeen = unseen.length === 0 ? [] : [`Not checked: ${unseen.join(", ")}, which is in no project.`];
  if (files.length === 0) return notSeen;
  const resolved = gone === 0 ? "" : `, ${plural(gone, "error")} gone`;
  const where = whereText({ ...found, touched: found.touched - unseen.length }, word);
  if (introduced.length === 0) return [`Checked ${where}: no new error${resolved}.`, ...notSeen];
  const shown = introduced.slice(0, SHOWN_ERRORS).map((error) => `  ${errorLine(view, error)}`);
  if (shown.length < introduced.length) shown.push(`  … ${introduced.length - shown.length} more`);
  const count = plural(introduced.length, "new error");
  return [`BROKEN: the compiler reports ${count} in ${where}${resolved}:`, ...shown, ...notSeen];
}

function errorLine(view: View, { file, start, code, message }: FileError): string {
  return `${view.paths.show(file)}:${start.line + 1}:${start.character + 1} error TS${code}: ${message.split("\n")[0] ?? ""}`;
}

function whereText(found: EditSurroundings, word: FileWord): string {
  const { touched, touchedInAll, others, leftOut, hasRelated, isEveryImporter } = found;
  const own = touchedInAll === 1 ? `the ${word} file` : `the ${touched} ${word} files`;
  const first = touched < touchedInAll && touched > 0 ? `${touched} of the ${touchedInAll} ${word} files` : own;
  const importing = `${others === 1 ? "depends on" : "depend on"} ${touchedInAll === 1 ? "it" : "them"}`;
  const how = hasRelated ? `${importing} or ${others === 1 ? "spells" : "spell"} the name` : importing;
  const rest = others === 0 ? "" : ` and ${plural(others, "file")} that ${how}`;
  const missing = [
    ...(leftOut === 0 ? [] : [`${leftOut} more were not looked at`]),
    ...(isEveryImporter ? [] : [`not every file that depends on ${touchedInAll === 1 ? "it" : "them"} was looked at`]),
  ];
  return `${first}${rest}${missing.length === 0 ? "" : ` (${missing.join("; ")}: get_diagnostics looks at all)`}`;
}

function diagnosticLine({ file, start, end, code, message }: FileError): DiagnosticLine {
  return { uri: pathToFileURL(file).href, range: { start, end }, severity: "error", code: `TS${code}`, message };
}

function unavailable(reason: string): Check {
  return { state: "unavailable", introduced: [], resolved: [], reason };
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") {
    return `the compiler did not finish within ${LIMIT_MS / 1000} s.`;
  }
  return errorText(error);
}
