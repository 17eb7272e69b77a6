/** Turns a request into the frame for the process, sends it, and turns the end of the run into the result. */
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import { firstOf } from "../../base/cut-text.ts";
import type { FrameSources } from "../evaluation/error-info.ts";
import { EvaluationRecord, MAX_EDITED } from "../evaluation/evaluation-record.ts";
import { nameHint } from "../evaluation/name-hint.ts";
import type { Ending, Running, RunningEvaluations } from "../evaluation/running-evaluations.ts";
import type { FormPlace } from "../forms/form-place.ts";
import { isInstallSnippet, type Forms } from "../forms/forms.ts";
import type { SnippetTexts } from "../forms/snippet/snippet-texts.ts";
import { isSnippetProblem, trialSnippet, type Snippet } from "../forms/snippet/snippet.ts";
import { DEFAULT_TIMEOUT_MS, type Evaluated, type EvaluateRequest } from "../image.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { ImageChannel } from "./image-channel.ts";
import { StaleImports } from "./stale-imports.ts";
import { given } from "../../base/given.ts";

export interface NumberedRequest extends EvaluateRequest {
  readonly evalId: string;
  readonly number: number;
}

/** A form for the process. Its caller either runs or drops it; the form's names are declared until it is dropped. */
export interface PreparedForm {
  /** Several forms may run at a time: each begins when the main thread is free for it, in the order they came. */
  readonly run: (signal: AbortSignal) => Promise<Evaluated>;
  readonly drop: () => void;
}

export interface RunnerParts {
  readonly child: Pick<ImageChannel, "send" | "gone">;
  readonly modules: ModuleService;
  readonly forms: Forms;
  readonly snippets: SnippetTexts;
  readonly sources: FrameSources;
  readonly running: RunningEvaluations;
  readonly renewOutput: () => void;
  /** Why the process is gone; undefined while it is there. */
  readonly goneBecause: () => string | undefined;
}

/** One form between its rewriting and its result. */
interface Form {
  readonly request: NumberedRequest;
  readonly record: EvaluationRecord;
  readonly at: FormPlace;
  readonly snippet: Snippet;
  /** Removes the form's names again, when none of its declarations took place. */
  readonly unlearn: () => void;
}

export class FormRunner {
  readonly #parts: RunnerParts;
  /** The last note on changed sources, so that it is not repeated. */
  #changedNoted = "";

  readonly #staleImports: StaleImports;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#staleImports = new StaleImports(parts.modules);
  }

  prepare(request: NumberedRequest): PreparedForm {
    const { forms, modules, snippets } = this.#parts;
    const record = new EvaluationRecord(request);
    const at = forms.placeOf(request);
    if (typeof at === "string") return answered(record.refused("ModuleNotReachable", at));
    const { scope } = at;
    const snippet = trialSnippet(request) ?? forms.rewrite(request, request.number, at);
    if (isSnippetProblem(snippet)) return answered(record.syntaxError(snippet));
    if (snippet.imports && scope.kind === "global") modules.refresh();
    const stale = this.#staleImports.note(at, snippet);
    const changed = this.#changedNote(snippet.imports || scope.kind === "module");
    record.note(...compiledNote(at, modules), ...hidingNote(snippet.binds), ...(stale.length > 0 ? stale : changed));
    const { mapper, awaits } = snippet;
    snippets.add(request.number, { mapper, text: request.code, evalId: request.evalId, ...given({ awaits }) });
    const form: Form = { request, record, at, snippet, unlearn: this.#learn(snippet, at) };
    return { run: (signal) => this.#run(form, signal), drop: form.unlearn };
  }

  /**
   * The names of an installation are known when all of it has run; the names of a form are known as soon as it begins.
   */
  #learn(snippet: Snippet, at: FormPlace): () => void {
    if (isInstallSnippet(snippet)) return () => {};
    const { forms } = this.#parts;
    forms.learn(at, snippet);
    const { names } = forms.memory.of(keyOf(at));
    return () => snippet.declares.forEach((name) => names.delete(name));
  }

  async #run(form: Form, signal: AbortSignal): Promise<Evaluated> {
    const { request, record, snippet } = form;
    const { child, running, modules, renewOutput, goneBecause } = this.#parts;
    renewOutput();
    record.began();
    const current = running.add(record, request.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal);
    const gone = goneBecause();
    if (gone !== undefined) current.settle({ t: "gone", reason: gone });
    child.send({ t: "eval", id: request.number, code: snippet.code });
    const ending = await current.settled;
    record.note(...modules.takeTroubles().map((message) => ({ severity: "warning", message }) as const));
    if (ending.t === "gone") return record.crashed(ending.reason, modules.loadsItself);
    if (ending.outcome === "stuck") await child.gone;
    this.#settleNames(form, ending);
    return this.#result(form, current, ending);
  }

  #settleNames({ request, at, snippet, unlearn }: Form, ending: Finished): void {
    if (ending.begun === false || ending.at !== undefined) return unlearn();
    if (isInstallSnippet(snippet)) return;
    this.#staleImports.learn(at, snippet);
    const failed = ending.outcome === "value" ? undefined : request.evalId;
    this.#parts.forms.memory.ended(keyOf(at), snippet, failed);
  }

  #result({ request, record, at, snippet }: Form, current: Running, ending: Finished): Evaluated {
    const { forms, modules, sources } = this.#parts;
    const finished = record.finished(ending, sources, {
      timedOutAfter: current.stopped() === "timeout" ? current.timeoutMs : undefined,
      // A person who stops a form of their own knows it.
      isByPerson: current.stopped() === "person" && request.by === "agent",
    });
    const result = { ...finished, notes: [...finished.notes, ...nameHint(finished, request, modules)] };
    const installed = ending.outcome === "value" ? ending.value?.installed : undefined;
    const installation = forms.settle(at, snippet, installed, request.evalId);
    return installation === undefined ? result : { ...result, installation };
  }

  #changedNote(imports: boolean): DiagnosticLine[] {
    if (imports) return [];
    const all = this.#parts.modules.changed();
    const changed = all.join(", ");
    if (changed === this.#changedNoted) return [];
    this.#changedNoted = changed;
    if (changed === "") return [];
    const [they, them] = all.length === 1 ? ["it was", "it"] : ["they were", "them"];
    const renewed = this.#parts.modules.loadsItself
      ? "the program has the old code until the new is installed, or until the program starts anew"
      : `import ${them} again to get the new code`;
    const message = `${firstOf(all, MAX_EDITED).join(", ")} changed since ${they} loaded: ${renewed}.`;
    return [{ severity: "information", message }];
  }
}

type Finished = Extract<Ending, { t: "result" }>;

function answered(result: Evaluated): PreparedForm {
  return { run: () => Promise.resolve(result), drop: () => {} };
}

/** The key of a scope's names in the memory of forms: a module's URL, and undefined for the REPL's own scope. */
function keyOf({ scope }: FormPlace): string | undefined {
  return scope.kind === "module" ? scope.url : undefined;
}

function compiledNote({ module }: FormPlace, modules: Pick<ModuleService, "shown">): DiagnosticLine[] {
  if (module?.compiledFrom === undefined) return [];
  const message = `${modules.shown(module.compiledFrom)} runs as ${modules.shown(module.path)}, which was compiled from it: the form ran there.`;
  return [{ severity: "information", message }];
}

/** Top-level names of forms are names of the whole image: a name that hides a global hides it from every module. */
function hidingNote(names: readonly string[]): DiagnosticLine[] {
  const hidden = names.filter((name) => name in globalThis);
  if (hidden.length === 0) return [];
  const message = `${hidden.join(", ")} now hides the global of that name in the whole REPL, project modules included.`;
  return [{ severity: "warning", message }];
}
