/** What the compiler says about an edit: to the person while they decide, and to the model about what was applied. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { untilAborted } from "../../base/abort.ts";
import type { CheckedTexts, ProposalOutcome, ProposedDocument } from "../../proposals/proposal.ts";
import { errorText } from "../../base/errors.ts";
import type { Check } from "../../protocol/proposal-shapes.ts";
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import {
  reachOf,
  surroundingsOf,
  textsNow,
  type EditComparison,
  type EditedText,
  type EditSurroundings,
} from "../../typescript/edits/check/edit-check.ts";
import {
  errorsOnlyIn,
  errorsWith,
  type ErrorsByFile,
  type FileError,
  type TextsByFile,
} from "../../typescript/edits/check/file-errors.ts";
import { StandIns } from "../../typescript/edits/check/stand-ins.ts";
import { KnownErrors } from "../../typescript/edits/check/known-errors.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { patchVerdict, verdict } from "./edit-verdict.ts";

export interface CheckedEdit {
  readonly typescript: TypeScriptService;
  readonly documents: readonly ProposedDocument[];
  /** Other files that the edit may break. */
  readonly related: readonly string[];
  /** How long each look may take; the person who reviews waits no longer than 20 s. */
  readonly limitMs?: number;
}

const LIMIT_MS = 20_000;

/** Begins at once, so that it sees the text before anybody accepts. One search for what surrounds the edit serves all. */
export class EditCheck {
  /** The check of everything that is proposed, or why there is none. Never rejects. */
  readonly compared: Promise<EditComparison | string>;
  /** The same for those who review. */
  readonly proposed: Promise<Check>;
  readonly #edit: CheckedEdit;
  readonly #until: AbortSignal;
  /** Aborted when nothing was applied: no check is read any more. */
  readonly #needless = new AbortController();
  /** Ends the check of the proposed text, which nobody reads after the review. */
  readonly #decided = new AbortController();
  readonly #around: Promise<EditSurroundings | undefined>;
  readonly #errors = new KnownErrors();
  /** By file, those that were looked at before anything was applied and those that were needed later. */
  readonly #before = new Map<string, readonly FileError[]>();
  /** The same beside what the person has typed since, and that text: they ask again and again about the same one. */
  #beside: { readonly texts: string; readonly errors: Map<string, readonly FileError[]> } | undefined;

  constructor(edit: CheckedEdit, signal: AbortSignal) {
    this.#edit = edit;
    const edited = textsOf(edit.documents);
    this.#until = AbortSignal.any([signal, this.#needless.signal]);
    const limited = AbortSignal.any([this.#until, AbortSignal.timeout(edit.limitMs ?? LIMIT_MS)]);
    this.#around = edit.typescript.query((view) => surroundingsOf(view, edited, edit.related), limited);
    this.#around.catch(() => undefined);
    const proposed = new Map(edited.map(({ file, target }) => [file, target]));
    this.compared = this.#compare(proposed, AbortSignal.any([limited, this.#decided.signal])).catch(reasonOf);
    this.proposed = this.compared.then(checkOf);
  }

  /** The check of other texts. Rejects only once `signal` aborts. */
  async texts({ texts, without }: CheckedTexts, signal: AbortSignal): Promise<Check> {
    const files = new Map([...texts].map(([uri, text]) => [fileURLToPath(uri), text]));
    const until = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    try {
      return checkOf(await this.#compare(files, until, typedIn(without)));
    } catch (error) {
      signal.throwIfAborted();
      return unavailable(reasonOf(error));
    }
  }

  /** Lines for the model about what was applied; none when nothing was. Never rejects. */
  async afterReview(outcome: ProposalOutcome, signal: AbortSignal): Promise<string[]> {
    if (signal.aborted || !outcome.hunks.some((hunk) => hunk.applied)) {
      this.end();
      return [];
    }
    this.#decided.abort();
    const until = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const applied = new Set(outcome.hunks.flatMap((hunk) => (hunk.applied ? hunk.path : [])));
    try {
      const found = await untilAborted(this.#around, until);
      if (found === undefined) return [`Not checked: ${this.#whyUnread()}`];
      const { typescript } = this.#edit;
      const reach = await typescript.query(async (view) => reachOf(view, found, await textsNow(view, found)), until);
      const files = [...new Set([...found.files, ...reach.sources.keys()])];
      const typed = typedIn(outcome.documents.flatMap(({ without = [] }) => without));
      const before = await this.#errorsBefore(reach.now, files, until, typed);
      const word = applied.size < found.touchedInAll ? "proposed" : "touched";
      return await typescript.query((view) => verdict(view, { ...reach.now, files }, before, word), until);
    } catch (error) {
      return [`Not checked: ${reasonOf(error)}`];
    }
  }

  /** Nobody asks any more. */
  end(): void {
    this.#decided.abort();
    this.#needless.abort();
  }

  /** Lines for the model about all that is proposed, before any of it is applied. Never rejects. */
  async ofPatch(): Promise<string[]> {
    const check = await this.proposed;
    if (check.state !== "done") return [`Not checked: ${check.reason ?? "the compiler gave no answer."}`];
    const shown = async (): Promise<string[]> =>
      this.#edit.typescript.query(async (view) => patchVerdict(view, check), this.#until);
    return shown().catch((error: unknown) => [`Not checked: ${reasonOf(error)}`]);
  }

  /** Compares with the errors before the edit. Other files are taken as they are now, whatever they held then. */
  async #compare(texts: TextsByFile, signal: AbortSignal, typed?: TextsByFile): Promise<EditComparison | string> {
    const found = await untilAborted(this.#around, signal);
    if (found === undefined) return this.#whyUnread();
    const why = new StandIns(texts).whyNot();
    if (why !== undefined) return why;
    const reach = await this.#edit.typescript.query((view) => reachOf(view, found, texts), signal);
    const then = await this.#errors.with(reach, texts, signal);
    const before = await this.#errorsBefore(reach.now, [...then.keys()], signal, typed);
    const { touched, edited, leftOut } = found;
    const isWhole = found.reach !== "some" && leftOut === 0;
    const compared = { introduced: errorsOnlyIn(then, before), resolved: errorsOnlyIn(before, then) };
    return { ...compared, touched, edited, looked: then.size, isWhole };
  }

  /** Each file is asked about once, and once more for what the person has typed since. */
  async #errorsBefore(
    found: EditSurroundings,
    files: readonly string[],
    signal: AbortSignal,
    typed: TextsByFile = new Map(),
  ): Promise<ErrorsByFile> {
    for (const [file, errors] of found.before ?? []) this.#before.set(file, errors);
    const known = typed.size === 0 ? this.#before : this.#knownBeside(typed);
    const missing = files.filter((file) => !known.has(file));
    const texts = new Map(textsOf(this.#edit.documents).map(({ file, base }) => [file, typed.get(file) ?? base]));
    const asked = await errorsWith(found, { texts, files: missing }, signal);
    for (const [file, errors] of asked) known.set(file, errors);
    return new Map(files.map((file) => [file, known.get(file) ?? []]));
  }

  #knownBeside(typed: TextsByFile): Map<string, readonly FileError[]> {
    const texts = JSON.stringify([...typed]);
    if (this.#beside?.texts !== texts) this.#beside = { texts, errors: new Map() };
    return this.#beside.errors;
  }

  #whyUnread(): string {
    const paths = this.#edit.documents.map(({ path }) => path);
    return paths.length === 1 ? `the compiler does not read ${paths[0]}.` : "the compiler reads none of these files.";
  }
}

/** By file, the person's own text there. */
function typedIn(without: CheckedTexts["without"]): Map<string, string> {
  return new Map(without.map(({ uri, text }) => [fileURLToPath(uri), text]));
}

/** One text a file, also where a new file takes the place of one that moves. */
function textsOf(documents: readonly ProposedDocument[]): EditedText[] {
  const byFile = Map.groupBy(documents.flatMap(editedTexts), ({ file }) => file);
  return [...byFile].map(([file, texts]) => ({
    file,
    base: texts.find(({ base }) => base !== null)?.base ?? null,
    target: texts.find(({ target }) => target !== null)?.target ?? null,
  }));
}

/** A file that moves is gone from the one place and new at the other. */
function editedTexts({ uri, base, target, movedTo, bytes }: ProposedDocument): EditedText[] {
  if (bytes !== undefined) return [];
  const before = { file: fileURLToPath(uri), base: base === null ? null : base.text };
  if (movedTo === undefined) return [{ ...before, target }];
  return [
    { ...before, target: null },
    { file: fileURLToPath(movedTo.uri), base: null, target },
  ];
}

function diagnosticLine({ file, start, end, code, message }: FileError): DiagnosticLine {
  return { uri: pathToFileURL(file).href, range: { start, end }, severity: "error", code: `TS${code}`, message };
}

function checkOf(compared: EditComparison | string): Check {
  if (typeof compared === "string") return unavailable(compared);
  const [introduced, resolved] = [compared.introduced, compared.resolved].map((errors) => errors.map(diagnosticLine));
  return { state: "done", introduced: introduced ?? [], resolved: resolved ?? [] };
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
