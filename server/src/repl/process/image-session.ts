/** One image process together with everything that lives and dies with it: its modules, its names, its snippets. */
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import type { LaunchPlan } from "../confinement/confinement.ts";
import { placedFunction, type FrameSources } from "../evaluation/error-info.ts";
import { nameHint } from "../evaluation/name-hint.ts";
import { createEvaluationRecord } from "../evaluation/evaluation-record.ts";
import {
  DEFAULT_TIMEOUT_MS,
  type Confinement,
  type Evaluated,
  type EvaluateRequest,
  type ImageOutput,
  type LastError,
} from "../image.ts";
import type { ImageChild } from "./image-child.ts";
import type { BusyFrame } from "../child/wire/busy-frame.ts";
import type { BridgeNeed, FromImage } from "../child/wire/wire.ts";
import { createLiveValues, type LiveValues } from "../sight/live-value.ts";
import { createForms, isInstallSnippet, type Forms, type FormScope } from "../forms/forms.ts";
import { ModuleService } from "../modules/module-service.ts";
import { withRetainers } from "../redefine/held-by-text.ts";
import { createOutputRoutes } from "../evaluation/output-routes.ts";
import { createRunningEvaluations, type Freed } from "../evaluation/running-evaluations.ts";
import { createSight, type Sight } from "../sight/sight.ts";
import { topLevelAwaits } from "../source/top-level-awaits.ts";
import { createSnippetTexts } from "../forms/snippet-texts.ts";
import { isSnippetProblem, provenSnippet, type Snippet } from "../forms/snippet.ts";

export interface SessionOptions {
  readonly child: ImageChild;
  readonly plan: LaunchPlan;
  readonly nodeVersion: string;
  readonly projectRoot: string;
  readonly confinement: Confinement;
  readonly beforeCleanup?: (scratch: string) => void;
  readonly readSource: (absolutePath: string) => string | undefined;
  readonly onOutput: (output: ImageOutput) => void;
  /** An error that nobody caught, of an evaluation that is over or still runs. */
  readonly onBackgroundError: (error: LastError) => void;
}

export interface NumberedRequest extends EvaluateRequest {
  readonly evalId: string;
  readonly number: number;
}

/** What the image will be sent. Its names count as declared until it is dropped; it is either run or dropped. */
export interface PreparedForm {
  /** Several at a time: each begins when the main thread comes to it, in the order they came. */
  readonly run: (signal: AbortSignal) => Promise<Evaluated>;
  readonly drop: () => void;
}

export interface ImageSession {
  readonly pid: number | undefined;
  readonly ready: Promise<{ readonly refused?: string }>;
  readonly gone: Promise<string>;
  /** Also while the process starts. */
  readonly prepare: (request: NumberedRequest) => PreparedForm;
  /** Stops that evaluation, or all that run, or what holds the main thread; false when there was nothing to stop. */
  readonly interrupt: (evalId?: string) => Promise<boolean>;
  /** What an evaluation that is over had left open and has no more; undefined for nothing. */
  readonly endLeftOpen: (evalId: string) => Promise<string | undefined>;
  readonly isBusy: () => boolean;
  readonly runningModules: Forms["running"];
  /** The REPL's own names, imported ones too. */
  readonly declared: () => readonly string[];
  readonly liveValue: LiveValues["look"];
  readonly sight: Omit<Sight, "answered">;
  /** `why` is told to the evaluations that run. */
  readonly kill: (why?: string) => void;
}

export function startSession(options: SessionOptions): ImageSession {
  const { child, plan, projectRoot, confinement } = options;
  const readable = confinement === "confined" ? plan.readable : undefined;
  const modules = new ModuleService({
    projectRoot,
    readSource: options.readSource,
    hidden: plan.hidden,
    readable,
    ...(/^v?22\./.test(options.nodeVersion) ? { emit: { lowersUsing: true } } : {}),
  });
  const forms = createForms(modules);
  const snippets = createSnippetTexts();
  const sources: FrameSources = {
    snippet: snippets.get,
    module: (url) => modules.mapper(url),
    line: (path, line) => modules.line(path, line),
    shown: (path) => modules.shown(path),
    awaits: (path) => {
      const text = modules.loaded().find((each) => each.path === path)?.text;
      return text === undefined ? [] : topLevelAwaits(path, text);
    },
  };
  let staleNoted = "";
  let killedFor: string | undefined;

  const kill = (why?: string): void => {
    killedFor ??= why;
    child.kill();
  };
  const running = createRunningEvaluations({
    send: child.send,
    kill: ({ record }) => kill(`form ${record.evalId} could not be stopped otherwise`),
  });
  const { onOutput, onBackgroundError } = options;
  const routes = createOutputRoutes({ running, sources, onOutput, onBackgroundError });
  const live = createLiveValues({
    modules,
    send: child.send,
    readSource: options.readSource,
  });
  const sight = createSight({
    send: child.send,
    live,
    modules,
    sources,
    declared: () => forms.memory.of(undefined).names,
    isCurrent: (url) => {
      const loaded = modules.loaded().find((module) => module.url === url);
      return loaded?.format === "module" && !modules.changed().includes(modules.shown(loaded.path));
    },
    grown: (url) => forms.memory.of(url).names,
    mentionsUnset: (code, url) => [...forms.memory.of(url).unset.keys()].some((name) => code.includes(name)),
  });
  let goneBecause: string | undefined;
  void child.gone.then((reason) => {
    options.beforeCleanup?.(plan.env["TMPDIR"] ?? "");
    plan.dispose();
    goneBecause = killedFor ?? reason;
    for (const each of running.all()) each.settle({ t: "gone", reason: goneBecause });
  });

  const answerNeed = (request: number, need: BridgeNeed): void => {
    const answer = modules.answer(need);
    live.served(need, answer);
    child.send({ t: "answer", request, answer });
    const reloaded = modules.takeReloaded();
    if (reloaded.length > 0) for (const { record } of running.all()) record.reloaded(reloaded);
  };

  const receive = (frame: FromImage): void => {
    switch (frame.t) {
      case "need":
        return answerNeed(frame.request, frame.need);
      case "peeked":
        return live.answered(frame);
      case "inquired":
        return sight.answered(frame);
      case "result":
        return settle(frame);
      case "began":
        return running.began(frame.id);
      case "out":
        return routes.out(frame);
      case "dropped":
        return routes.dropped(frame);
      case "event":
        return routes.event(frame);
      case "ready":
      case "refused":
        return;
      default:
        frame satisfies never;
    }
  };

  const settle = (frame: Freed): void => {
    const current = running.get(frame.id);
    if (current !== undefined) current.settle(frame);
    else if (!running.freed(frame)) routes.stopped(frame);
  };

  /** What is installed is there when all of it has run; the names of a form are there as soon as it begins. */
  const learn = (snippet: Snippet, at: FormScope): (() => void) => {
    if (isInstallSnippet(snippet)) return () => {};
    forms.learn(at, snippet);
    const { names } = forms.memory.of(at.scope.kind === "module" ? at.scope.url : undefined);
    return () => snippet.declares.forEach((name) => names.delete(name));
  };

  const staleNote = (imports: boolean): DiagnosticLine[] => {
    if (imports) return [];
    const changed = modules.changed().join(", ");
    if (changed === staleNoted) return [];
    staleNoted = changed;
    if (changed === "") return [];
    const message = `${changed} changed since it was loaded: import it again to get the new code.`;
    return [{ severity: "information", message }];
  };

  const prepare = (request: NumberedRequest): PreparedForm => {
    const record = createEvaluationRecord(request);
    const at = forms.scopeOf(request);
    if (typeof at === "string") return answered(record.refused("ModuleNotReachable", at));
    const { scope } = at;
    const snippet = provenSnippet(request) ?? forms.rewrite(request, request.number, at);
    if (isSnippetProblem(snippet)) return answered(record.syntaxError(snippet));
    if (snippet.imports && scope.kind === "global") modules.refresh();
    record.note(...hidingNote(snippet.binds), ...staleNote(snippet.imports || scope.kind === "module"));
    const { mapper, awaits } = snippet;
    const places = awaits === undefined ? {} : { awaits };
    snippets.add(request.number, { mapper, text: request.code, evalId: request.evalId, ...places });
    const unlearn = learn(snippet, at);
    const run = async (signal: AbortSignal): Promise<Evaluated> => {
      routes.renew();
      record.began();
      const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
      const current = running.add(record, timeoutMs, signal);
      if (goneBecause !== undefined) current.settle({ t: "gone", reason: goneBecause });
      child.send({ t: "eval", id: request.number, code: snippet.code });
      const ending = await current.settled;
      record.note(...modules.takeTroubles().map((message) => ({ severity: "warning", message }) as const));
      if (ending.t === "gone") return record.crashed(ending.reason);
      if (ending.outcome === "stuck") await child.gone;
      // None of its declarations came into being.
      if (ending.begun === false || ending.at !== undefined) unlearn();
      else if (!isInstallSnippet(snippet)) {
        const key = scope.kind === "module" ? scope.url : undefined;
        forms.memory.ended(key, snippet, ending.outcome === "value" ? undefined : request.evalId);
      }
      const finished = record.finished(ending, sources, {
        timedOutAfter: current.stopped() === "timeout" ? timeoutMs : undefined,
        // A person who stops a form of their own knows it.
        isByPerson: current.stopped() === "person" && request.by === "agent",
      });
      const result = { ...finished, notes: [...finished.notes, ...nameHint(finished, request, modules)] };
      const installed = ending.outcome === "value" ? ending.value?.installed : undefined;
      const placed = (at: BusyFrame): string => placedFunction(at, sources);
      const kept = installed && withRetainers(installed, placed);
      const installation = forms.settle(at, snippet, kept, request.evalId);
      return installation === undefined ? result : { ...result, installation };
    };
    return { run, drop: unlearn };
  };

  child.listen({ onFrame: receive, onRaw: (stream, text) => routes.raw(stream, text) });
  return {
    pid: child.pid,
    ready: child.ready,
    gone: child.gone,
    prepare,
    interrupt: async (evalId) => {
      const targets = running.all().filter(({ record }) => evalId === undefined || record.evalId === evalId);
      await Promise.all(targets.map((target) => running.stop(target, "person")));
      if (targets.length > 0 || evalId !== undefined) return targets.length > 0;
      return wasStopped(await running.free());
    },
    endLeftOpen: async (evalId) => {
      const number = snippets.numberOf(evalId);
      if (number === undefined || running.get(number) !== undefined) return undefined;
      const ending = await running.free(number);
      const ended = ending?.ended ?? "";
      if (ended !== "") return ended;
      return wasStopped(ending) ? "what it was doing" : undefined;
    },
    isBusy: () => running.all().length > 0,
    runningModules: forms.running,
    declared: () => {
      const { names, imported } = forms.memory.of(undefined);
      return [...names, ...imported];
    },
    liveValue: live.look,
    sight,
    kill,
  };
}

function answered(result: Evaluated): PreparedForm {
  return { run: () => Promise.resolve(result), drop: () => {} };
}

function wasStopped(ending: Freed | undefined): boolean {
  return ending?.outcome === "interrupted" && ending.abandoned !== true;
}

/** The top-level names of forms are names of the whole image: a global that they hide is hidden from every module. */
function hidingNote(names: readonly string[]): DiagnosticLine[] {
  const hidden = names.filter((name) => name in globalThis);
  if (hidden.length === 0) return [];
  const message = `${hidden.join(", ")} now hides the global of that name in the whole REPL, project modules included.`;
  return [{ severity: "warning", message }];
}
