/**
 * Watches the workspace during the evaluations of an open REPL: the workspace is scanned before and after every form,
 * and the changes are part of the result. A confined REPL cannot write there.
 */
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { ChangeDecision, EvaluationChange } from "../../../protocol/repl-shapes.ts";
import type { Evaluated, EvaluateRequest } from "../../image.ts";
import { isWithin } from "../../../workspace/within.ts";
import type { Run, Stage } from "../stage.ts";
import { EvaluationChanges } from "./evaluation-changes.ts";
import { stackOf } from "../../../base/errors.ts";

export interface ChangeOptions {
  /** The folders under the editor's names. */
  readonly folders: () => readonly string[];
  /** Whether the editor saved this text as the file's content after the given moment. */
  readonly wasSaved: (path: string, content: string, since: number) => boolean;
  readonly onChanges: (event: {
    readonly evalId: string;
    readonly by: EvaluateRequest["by"];
    readonly changes: readonly EvaluationChange[];
    readonly message: string;
  }) => void;
  readonly log: (message: string) => void;
}

export class WorkspaceChanges implements Stage {
  readonly #options: ChangeOptions;
  readonly #isConfined: () => boolean;
  readonly #changes: EvaluationChanges;

  constructor(options: ChangeOptions, isConfined: () => boolean) {
    this.#options = options;
    this.#isConfined = isConfined;
    this.#changes = new EvaluationChanges({
      roots: () => this.#roots().map(({ real }) => real),
      uriOf: (path) => pathToFileURL(this.#asGiven(path)).href,
      wasSaved: (path, content, since) => this.#options.wasSaved(this.#asGiven(path), content, since),
    });
  }

  async around({ request, evalId }: Run, next: () => Promise<Evaluated>): Promise<Evaluated> {
    if (this.#isConfined()) return next();
    await this.#guarded(() => this.#changes.before(), undefined);
    const result = await next();
    const found = await this.#guarded(() => this.#changes.after(evalId), { changes: [], notes: [] });
    const { changes } = found;
    const message = found.notes[0]?.message ?? "";
    if (changes.length > 0) this.#options.onChanges({ evalId, by: request.by, changes, message });
    const decisions = request.by === "agent" ? this.#changes.takeDecisions() : [];
    const notes = [...decisions, ...result.notes, ...found.notes];
    return { ...result, notes, ...(changes.length === 0 ? {} : { changes }) };
  }

  /** Undefined when nothing of that evaluation is left to decide. */
  decide(
    evalId: string,
    what: "keep" | "revert",
    uris: readonly string[] | undefined,
  ): Promise<ChangeDecision | undefined> {
    return this.#guarded(() => this.#changes.decide(evalId, what, uris), undefined);
  }

  /** When the watch fails, the result must still come. */
  async #guarded<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#options.log(`changes: ${stackOf(error)}`);
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
