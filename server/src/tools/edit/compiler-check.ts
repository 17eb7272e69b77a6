/** What the compiler says about an edit: to the person while they decide, and to the model about what was applied. */
import { hash } from "node:crypto";
import { fileURLToPath, pathToFileURL } from "node:url";
import { untilAborted } from "../../abort.ts";
import type { ProposalOutcome, ProposedDocument } from "../../proposals/proposal.ts";
import { errorText } from "../../protocol/errors.ts";
import type { Check, DiagnosticLine } from "../../protocol/shapes.ts";
import {
  errorsOnlyIn,
  errorsWith,
  surroundingsNow,
  surroundingsOf,
  type EditSurroundings,
  type ErrorsByFile,
  type FileError,
  type TextsByFile,
} from "../../typescript/edits/edit-check.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { verdict } from "./edit-verdict.ts";

export interface CheckedEdit {
  readonly typescript: TypeScriptService;
  readonly documents: readonly ProposedDocument[];
  /** Other files that the edit may break. */
  readonly related: readonly string[];
}

const LIMIT_MS = 20_000;
/** A person who goes back and forth between hunks asks the same again. */
const MAX_KNOWN = 500;

/** Begins at once, so that it sees the text before anybody accepts. One search for what surrounds the edit serves all. */
export class EditCheck {
  /** The check of everything that is proposed. Never rejects. */
  readonly proposed: Promise<Check>;
  readonly #edit: CheckedEdit;
  readonly #until: AbortSignal;
  /** Aborted when nothing was applied: no check is read any more. */
  readonly #needless = new AbortController();
  /** Ends the check of the proposed text, which nobody reads after the review. */
  readonly #decided = new AbortController();
  readonly #around: Promise<EditSurroundings | undefined>;
  #before: Promise<ErrorsByFile> | undefined;
  #known: { readonly state: unknown; readonly answers: Map<string, Check> } | undefined;

  constructor(edit: CheckedEdit, signal: AbortSignal) {
    this.#edit = edit;
    const edited = edit.documents.map(({ uri, base, target }) => ({
      file: fileURLToPath(uri),
      base: base === null ? null : base.text,
      target,
    }));
    this.#until = AbortSignal.any([signal, this.#needless.signal]);
    const limited = AbortSignal.any([this.#until, AbortSignal.timeout(LIMIT_MS)]);
    this.#around = edit.typescript.query((view) => surroundingsOf(view, edited, edit.related), limited);
    this.#around.catch(() => undefined);
    const proposed = new Map(edited.map(({ file, target }) => [file, target]));
    this.proposed = this.#check(proposed, AbortSignal.any([limited, this.#decided.signal])).catch((error: unknown) =>
      unavailable(reasonOf(error)),
    );
  }

  /** The check of other texts, by URI. Rejects only once `signal` aborts. */
  async texts(texts: ReadonlyMap<string, string | null>, signal: AbortSignal): Promise<Check> {
    const files = new Map([...texts].map(([uri, text]) => [fileURLToPath(uri), text]));
    const until = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    try {
      return await this.#check(files, until);
    } catch (error) {
      signal.throwIfAborted();
      return unavailable(reasonOf(error));
    }
  }

  /** Lines for the model about what was applied; none when nothing was. Never rejects. */
  async afterReview(outcome: ProposalOutcome, signal: AbortSignal): Promise<string[]> {
    this.#decided.abort();
    if (signal.aborted || !outcome.hunks.some((hunk) => hunk.applied)) {
      this.#needless.abort();
      return [];
    }
    const until = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const applied = new Set(outcome.hunks.flatMap((hunk) => (hunk.applied ? hunk.path : [])));
    try {
      const found = await untilAborted(this.#around, until);
      if (found === undefined) return [`Not checked: ${this.#whyUnread()}`];
      const before = await this.#errorsBefore(found, until);
      const word = applied.size < found.touchedInAll ? "proposed" : "touched";
      return await this.#edit.typescript.query((view) => verdict(view, found, before, word), until);
    } catch (error) {
      return [`Not checked: ${reasonOf(error)}`];
    }
  }

  /** Against the errors before the edit. What stands in other files now counts, whatever stood there then. */
  async #check(texts: TextsByFile, signal: AbortSignal): Promise<Check> {
    const found = await untilAborted(this.#around, signal);
    if (found === undefined) return unavailable(this.#whyUnread());
    const before = await this.#errorsBefore(found, signal);
    const now = await this.#edit.typescript.query((view) => surroundingsNow(view, found), signal);
    const key = hash("sha256", JSON.stringify([...texts]));
    const answers = this.#answersIn(now.basis.state.snapshot);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const then = await errorsWith(now, texts, signal);
    const [introduced, resolved] = [errorsOnlyIn(then, before), errorsOnlyIn(before, then)];
    const check: Check = {
      state: "done",
      introduced: introduced.map(diagnosticLine),
      resolved: resolved.map(diagnosticLine),
    };
    if (answers.size < MAX_KNOWN) answers.set(key, check);
    return check;
  }

  /** What was answered while the other files were as they are in this state. */
  #answersIn(state: unknown): Map<string, Check> {
    const known = this.#known;
    if (known !== undefined && known.state === state) return known.answers;
    const answers = new Map<string, Check>();
    this.#known = { state, answers };
    return answers;
  }

  /** Asked once; again after a failure. */
  #errorsBefore(found: EditSurroundings, signal: AbortSignal): Promise<ErrorsByFile> {
    if (found.before !== undefined) return Promise.resolve(found.before);
    if (this.#before === undefined) {
      const texts = new Map(this.#edit.documents.map(({ uri, base }) => [fileURLToPath(uri), base?.text ?? null]));
      const asked = errorsWith(found, texts, this.#until);
      this.#before = asked;
      asked.catch(() => {
        this.#before = undefined;
      });
    }
    return untilAborted(this.#before, signal);
  }

  #whyUnread(): string {
    const paths = this.#edit.documents.map(({ path }) => path);
    return paths.length === 1 ? `the compiler does not read ${paths[0]}.` : "the compiler reads none of these files.";
  }
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
