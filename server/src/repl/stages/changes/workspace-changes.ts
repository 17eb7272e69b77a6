/**
 * A watch on the workspace around every evaluation. In an open REPL the workspace is scanned before and after every
 * form, and what changed is part of the result. A confined one cannot write, so its result never waits: the scan comes
 * later, when the REPL has been idle, and is told to the person alone.
 */
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { ChangeDecision, EvaluationChange } from "../../../protocol/repl-shapes.ts";
import type { Evaluated, EvaluateRequest } from "../../image.ts";
import { isWithin } from "../../../workspace/shown-path.ts";
import type { Run, Stage } from "../stage.ts";
import { EvaluationChanges } from "./evaluation-changes.ts";
import { PreImages } from "./pre-images.ts";

export interface ChangeOptions {
  /** As the editor names them. */
  readonly folders: () => readonly string[];
  /** Whether the editor saved this text as the file's after the given moment. */
  readonly wasSaved: (path: string, content: string, since: number) => boolean;
  readonly onChanges: (event: {
    readonly evalId: string;
    readonly by: EvaluateRequest["by"];
    readonly changes: readonly EvaluationChange[];
    readonly message: string;
  }) => void;
  readonly log: (message: string) => void;
}

interface Watch {
  readonly isConfined: boolean;
  readonly changes: EvaluationChanges;
}

interface Waiting {
  readonly evalId: string;
  readonly by: EvaluateRequest["by"];
}

const IDLE_MS = 400;
const CONFINED = "The confined REPL is not allowed to write there; who did is not known.";

export class WorkspaceChanges implements Stage {
  readonly #options: ChangeOptions;
  readonly #isConfined: () => boolean;
  #watch: Watch | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Forms of a confined REPL since the last scan. */
  #waiting: Waiting[] = [];

  constructor(options: ChangeOptions, isConfined: () => boolean) {
    this.#options = options;
    this.#isConfined = isConfined;
  }

  async around({ request, evalId }: Run, next: () => Promise<Evaluated>): Promise<Evaluated> {
    const { isConfined, changes } = this.#watching();
    const before = this.#guarded(() => changes.before(), undefined);
    if (!isConfined) await before;
    const result = await next();
    const told = isConfined ? result : await this.#scanned(changes, request.by, result);
    if (isConfined) this.#scanLater({ evalId, by: request.by });
    const decisions = request.by === "agent" ? this.#watching().changes.takeDecisions() : [];
    return decisions.length === 0 ? told : { ...told, notes: [...decisions, ...told.notes] };
  }

  /** Undefined when that evaluation has nothing left to decide on. */
  decide(
    evalId: string,
    what: "keep" | "revert",
    uris: readonly string[] | undefined,
  ): Promise<ChangeDecision | undefined> {
    return this.#guarded(() => this.#watching().changes.decide(evalId, what, uris), undefined);
  }

  dispose(): void {
    clearTimeout(this.#idle);
  }

  /** Made with the first evaluation, and anew where a process is confined in another way than the one before. */
  #watching(): Watch {
    const isConfined = this.#isConfined();
    if (this.#watch?.isConfined !== isConfined) {
      // A scan that waits is of the earlier watch: it would take what the next form changes for its own.
      clearTimeout(this.#idle);
      this.#waiting = [];
      this.#watch = { isConfined, changes: this.#watchAs(isConfined) };
    }
    return this.#watch;
  }

  #watchAs(isConfined: boolean): EvaluationChanges {
    return new EvaluationChanges({
      roots: () => this.#roots().map(({ real }) => real),
      uriOf: (path) => pathToFileURL(this.#asGiven(path)).href,
      wasSaved: (path, content, since) => this.#options.wasSaved(this.#asGiven(path), content, since),
      // A confined REPL wrote nothing that could be taken back: what is new there can still be deleted.
      images: new PreImages(isConfined ? 0 : undefined),
    });
  }

  async #scanned(changes: EvaluationChanges, by: EvaluateRequest["by"], result: Evaluated): Promise<Evaluated> {
    const nothing = { changes: [], notes: [] };
    const found = await this.#guarded(() => changes.after(result.evalId), nothing);
    this.#tell({ evalId: result.evalId, by }, found.changes, found.notes[0]?.message ?? "");
    const changed = found.changes.length === 0 ? {} : { changes: found.changes };
    return { ...result, notes: [...result.notes, ...found.notes], ...changed };
  }

  #scanLater(form: Waiting): void {
    this.#waiting.push(form);
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#scanNow(), IDLE_MS).unref();
  }

  /** One scan covers all forms since the last scan, so a change cannot be attributed to one of them. */
  async #scanNow(): Promise<void> {
    const forms = this.#waiting;
    this.#waiting = [];
    const last = forms.at(-1);
    if (last === undefined) return;
    const { changes, notes } = await this.#watching().changes.after(last.evalId, forms.length);
    this.#tell(last, changes, `${notes[0]?.message ?? ""} ${CONFINED}`);
  }

  #tell({ evalId, by }: Waiting, changes: readonly EvaluationChange[], message: string): void {
    if (changes.length > 0) this.#options.onChanges({ evalId, by, changes, message });
  }

  /** A watch that fails must not cost the result. */
  async #guarded<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#options.log(`changes: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return otherwise;
    }
  }

  #roots(): { given: string; real: string }[] {
    return this.#options.folders().flatMap(withRealPath);
  }

  #asGiven(path: string): string {
    const root = this.#roots().find(({ real }) => isWithin(path, real));
    return root === undefined ? path : join(root.given, relative(root.real, path));
  }
}

function withRealPath(given: string): { given: string; real: string }[] {
  try {
    return [{ given, real: realpathSync(given) }];
  } catch {
    return [];
  }
}
