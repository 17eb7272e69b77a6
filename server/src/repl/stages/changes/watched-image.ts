/**
 * The image together with a watch on the workspace. An open image is looked at before and after every form, and what
 * changed is part of the result. A confined one cannot write, so its result never waits: the look comes later, when the
 * image has been idle, and tells the person alone.
 */
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { ChangeDecision, EvalResult, EvaluationChange } from "../../../protocol/repl-shapes.ts";
import type { EvaluateRequest, Image } from "../../image.ts";
import { isInside } from "../../confinement/readable-folders.ts";
import { createEvaluationChanges, type EvaluationChanges } from "./evaluation-changes.ts";
import { createPreImages } from "./pre-images.ts";

export interface WatchOptions {
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

export interface WatchedImage extends Image {
  /** Undefined when that evaluation has nothing left to decide on. */
  readonly decideChanges: (
    evalId: string,
    what: "keep" | "revert",
    uris: readonly string[] | undefined,
  ) => Promise<ChangeDecision | undefined>;
}

const IDLE_MS = 400;
const CONFINED = "The confined REPL is not allowed to write there; who did is not known.";

export function watchImage(image: Image, options: WatchOptions): WatchedImage {
  const roots = (): { given: string; real: string }[] => options.folders().flatMap(withRealPath);
  const given = (path: string): string => {
    const root = roots().find(({ real }) => isInside(path, real));
    return root === undefined ? path : join(root.given, relative(root.real, path));
  };
  const watchAs = (isConfined: boolean): EvaluationChanges =>
    createEvaluationChanges({
      roots: () => roots().map(({ real }) => real),
      uriOf: (path) => pathToFileURL(given(path)).href,
      wasSaved: (path, content, since) => options.wasSaved(given(path), content, since),
      // Nothing was written in a confined image that could be taken back: what is new there can still be deleted.
      images: createPreImages(isConfined ? 0 : undefined),
    });
  /** Made with the first evaluation: once a process runs, the confinement stays what it is. */
  let made: { readonly isConfined: boolean; readonly watch: EvaluationChanges } | undefined;
  const watching = (): NonNullable<typeof made> => {
    const isConfined = image.status().confinement === "confined";
    if (made?.isConfined !== isConfined) made = { isConfined, watch: watchAs(isConfined) };
    return made;
  };
  let idle: NodeJS.Timeout | undefined;
  let waiting: { readonly evalId: string; readonly by: EvaluateRequest["by"] }[] = [];

  const tell = (evalId: string, by: EvaluateRequest["by"], changes: readonly EvaluationChange[], message: string) => {
    if (changes.length > 0) options.onChanges({ evalId, by, changes, message });
  };
  const lookLater = (evalId: string, by: EvaluateRequest["by"]): void => {
    waiting.push({ evalId, by });
    clearTimeout(idle);
    idle = setTimeout(() => void lookNow(), IDLE_MS).unref();
  };
  /** One look for all forms since the last: who of them it was nobody can tell. */
  const lookNow = async (): Promise<void> => {
    const forms = waiting;
    waiting = [];
    const last = forms.at(-1);
    if (last === undefined) return;
    const { changes, notes } = await watching().watch.after(last.evalId, forms.length);
    tell(last.evalId, last.by, changes, `${notes[0]?.message ?? ""} ${CONFINED}`);
  };
  /** A watch that fails must not cost the result. */
  const guarded = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      options.log(`changes: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return otherwise;
    }
  };
  const told = (result: EvalResult, by: EvaluateRequest["by"]): EvalResult => {
    const decisions = by === "agent" ? watching().watch.takeDecisions() : [];
    return decisions.length === 0 ? result : { ...result, notes: [...decisions, ...result.notes] };
  };

  return {
    ...image,
    evaluate: async (request, signal) => {
      const { isConfined, watch } = watching();
      const before = guarded(watch.before, undefined);
      if (isConfined) {
        const result = await image.evaluate(request, signal);
        lookLater(result.evalId, request.by);
        return told(result, request.by);
      }
      await before;
      const result = await image.evaluate(request, signal);
      const { changes, notes } = await guarded(() => watch.after(result.evalId), { changes: [], notes: [] });
      tell(result.evalId, request.by, changes, notes[0]?.message ?? "");
      const seen = { ...result, notes: [...result.notes, ...notes], ...(changes.length === 0 ? {} : { changes }) };
      return told(seen, request.by);
    },
    decideChanges: (evalId, what, uris) => guarded(() => watching().watch.decide(evalId, what, uris), undefined),
    dispose: async () => {
      clearTimeout(idle);
      await image.dispose();
    },
  };
}

function withRealPath(given: string): { given: string; real: string }[] {
  try {
    return [{ given, real: realpathSync(given) }];
  } catch {
    return [];
  }
}
