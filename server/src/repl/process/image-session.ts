/** One process of the image with everything that ends with the process: its modules, its names, its forms. */
import type { LaunchPlan } from "../confinement/launch-plan.ts";
import type { FrameSources } from "../evaluation/error-info.ts";
import { OutputRoutes } from "../evaluation/output-routes.ts";
import { RunningEvaluations, type Freed } from "../evaluation/running-evaluations.ts";
import { Forms } from "../forms/forms.ts";
import { SnippetTexts } from "../forms/snippet/snippet-texts.ts";
import type { ImageOutput, LastError, LiveValue, LiveValueRequest } from "../image.ts";
import { ModuleService } from "../modules/module-service.ts";
import type { RunningModule } from "../redefine/running-texts.ts";
import { LiveValues } from "../sight/live-value.ts";
import { Sight } from "../sight/sight.ts";
import { topLevelAwaits } from "../source/top-level-awaits.ts";
import type { RunningModule as TakenModule } from "../child/wire/app-frames.ts";
import type { BridgeNeed, FromImage } from "../child/wire/wire.ts";
import { FormRunner, type NumberedRequest, type PreparedForm } from "./form-runner.ts";
import type { ImageChannel } from "./image-channel.ts";
import { given } from "../../base/given.ts";

export interface SessionOptions {
  readonly child: ImageChannel;
  readonly plan: Pick<LaunchPlan, "scratch" | "dispose" | "hidden"> & {
    readonly readable: LaunchPlan["readable"] | undefined;
  };
  /** The process is a program of the person's, which loads its modules by itself. */
  readonly loadsItself?: boolean;
  readonly nodeVersion: string;
  readonly projectRoot: string;
  readonly beforeCleanup?: (scratch: string) => void;
  readonly readSource: (absolutePath: string) => string | null | undefined;
  readonly mayQuote?: (absolutePath: string) => boolean;
  readonly onOutput: (output: ImageOutput) => void;
  /** Called with an error that nobody caught, of a running or a finished evaluation. */
  readonly onBackgroundError: (error: LastError) => void;
}

export class ImageSession {
  readonly pid: number | undefined;
  readonly ready: ImageChannel["ready"];
  readonly gone: ImageChannel["gone"];
  readonly sight: Sight;
  readonly #child: ImageChannel;
  readonly #modules: ModuleService;
  readonly #forms: Forms;
  readonly #snippets = new SnippetTexts();
  readonly #running: RunningEvaluations;
  readonly #routes: OutputRoutes;
  readonly #live: LiveValues;
  readonly #runner: FormRunner;
  #killedFor: string | undefined;
  #goneBecause: string | undefined;

  constructor(options: SessionOptions) {
    const { child, plan, readSource, onOutput, onBackgroundError } = options;
    const send: ImageChannel["send"] = (frame) => child.send(frame);
    this.pid = child.pid;
    this.ready = child.ready;
    this.gone = child.gone;
    this.#child = child;
    const modules = modulesFor(options);
    const sources = this.#sourcesOf(modules);
    this.#modules = modules;
    this.#forms = new Forms(modules);
    this.#running = new RunningEvaluations({
      send,
      kill: ({ record }) => this.kill(`form ${record.evalId} could not be stopped otherwise`),
    });
    const running = this.#running;
    this.#routes = new OutputRoutes({ running, sources, onOutput, onBackgroundError });
    this.#live = new LiveValues({ modules, send, readSource });
    this.sight = new Sight({ send, live: this.#live, modules, sources, memory: this.#forms.memory });
    this.#runner = new FormRunner({
      child,
      modules,
      forms: this.#forms,
      snippets: this.#snippets,
      sources,
      running,
      renewOutput: () => this.#routes.renew(),
      goneBecause: () => this.#goneBecause,
    });
    void child.gone.then((reason) => {
      if (plan.scratch !== undefined) options.beforeCleanup?.(plan.scratch);
      plan.dispose();
      this.#goneBecause = this.#killedFor ?? reason;
      for (const each of running.all()) each.settle({ t: "gone", reason: this.#goneBecause });
    });
    child.listen({
      onFrame: (frame) => this.#receive(frame),
      onRaw: (stream, text) => this.#routes.raw(stream, text),
    });
  }

  /** Works also while the process starts. */
  prepare(request: NumberedRequest): PreparedForm {
    return this.#runner.prepare(request);
  }

  /**
   * Stops that evaluation, by default all that run. When none runs, stops what holds the main thread. False when there
   * was nothing to stop.
   */
  async interrupt(evalId?: string): Promise<boolean> {
    const targets = this.#running.all().filter(({ record }) => evalId === undefined || record.evalId === evalId);
    await Promise.all(targets.map((target) => this.#running.stop(target, "person")));
    if (targets.length > 0 || evalId !== undefined) return targets.length > 0;
    return wasStopped(await this.#running.free());
  }

  /** Ends everything that a finished evaluation left open, and says what was ended; undefined for nothing. */
  async endLeftOpen(evalId: string): Promise<string | undefined> {
    const number = this.#snippets.numberOf(evalId);
    if (number === undefined || this.#running.get(number) !== undefined) return undefined;
    const ending = await this.#running.free(number);
    const ended = ending?.ended ?? "";
    if (ended !== "") return ended;
    return wasStopped(ending) ? "what it was doing" : undefined;
  }

  isBusy(): boolean {
    return this.#running.all().length > 0;
  }

  runningModules(): readonly RunningModule[] {
    return this.#forms.running();
  }

  /** The names of the REPL's own scope, imported ones too. */
  declared(): readonly string[] {
    const { names, imported } = this.#forms.memory.of(undefined);
    return [...names, ...imported];
  }

  liveValue(request: LiveValueRequest): Promise<LiveValue | undefined> {
    return this.#live.look(request);
  }

  /** The running evaluations get `why` as their reason. */
  kill(why?: string): void {
    this.#killedFor ??= why;
    this.#child.kill();
  }

  #sourcesOf(modules: ModuleService): FrameSources {
    return {
      snippet: (number) => this.#snippets.get(number),
      module: (url) => modules.mapper(url),
      line: (path, line) => modules.line(path, line),
      shown: (path) => modules.shown(path),
      awaits: (path) => {
        const text = modules.loaded().find((each) => each.path === path)?.text;
        return text === undefined ? [] : topLevelAwaits(path, text);
      },
    };
  }

  #receive(frame: FromImage): void {
    switch (frame.t) {
      case "need":
        return this.#answer(frame.request, frame.need);
      case "loaded":
        return this.#took(frame.modules);
      case "peeked":
        return this.#live.answered(frame);
      case "inquired":
        return this.sight.answered(frame);
      case "result":
        return this.#settle(frame);
      case "began":
        return this.#running.began(frame.id);
      case "out":
        return this.#routes.out(frame);
      case "dropped":
        return this.#routes.dropped(frame);
      case "end":
        return this.#routes.end(frame);
      case "event":
        return this.#routes.event(frame);
      case "ready":
      case "refused":
        return;
      default:
        frame satisfies never;
    }
  }

  #took(loaded: readonly TakenModule[]): void {
    for (const module of loaded) {
      const path = this.#modules.took(module);
      if (path !== undefined) this.#live.took(path, module.url);
    }
  }

  #answer(request: number, need: BridgeNeed): void {
    const answer = this.#modules.answer(need);
    this.#live.served(need, answer);
    this.#child.send({ t: "answer", request, answer });
    const reloaded = this.#modules.takeReloaded();
    if (reloaded.length > 0) for (const { record } of this.#running.all()) record.reloaded(reloaded);
  }

  #settle(frame: Freed): void {
    const current = this.#running.get(frame.id);
    if (current !== undefined) current.settle(frame);
    else if (!this.#running.freed(frame)) this.#routes.stopped(frame);
  }
}

function modulesFor(options: SessionOptions): ModuleService {
  const { plan, projectRoot, readSource, mayQuote, nodeVersion, loadsItself } = options;
  return new ModuleService({
    projectRoot,
    readSource,
    ...given({ mayQuote, loadsItself }),
    hidden: plan.hidden,
    readable: plan.readable,
    ...(/^v?22\./.test(nodeVersion) ? { emit: { lowersUsing: true } } : {}),
  });
}

function wasStopped(ending: Freed | undefined): boolean {
  return ending?.outcome === "interrupted" && ending.abandoned !== true;
}
