/** Everything that can be seen of a process without an evaluation: pages of values, and names for completion. */
import { complete } from "./completion.ts";
import type { FrameSources } from "../evaluation/error-info.ts";
import type { ImageChannel } from "../process/image-channel.ts";
import type { CompleteRequest, InspectAnswer, InspectRequest, TrialRequest } from "../image.ts";
import { Inquiries } from "./inquiry-client.ts";
import { inspectValue, type InspectParts } from "./inspect-value.ts";
import type { ScopeMemory } from "../forms/scope-memory.ts";
import type { ModuleScope } from "./root-expression.ts";
import { trialRoot } from "./trial-form.ts";
import type { LiveValues } from "./live-value.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { CompletionAnswer } from "../../protocol/repl-shapes.ts";

export interface SightParts {
  readonly send: ImageChannel["send"];
  readonly live: Pick<LiveValues, "scopeOf">;
  readonly modules: Pick<ModuleService, "emitOptions" | "loaded" | "changed" | "shown">;
  readonly sources: FrameSources;
  /** The names that forms left in the REPL's own scope and in the scopes of modules. */
  readonly memory: Pick<ScopeMemory, "of">;
}

const PATIENCE_MS = 1000;

export class Sight {
  readonly #parts: SightParts;
  readonly #inquiries: Inquiries;

  constructor(parts: SightParts) {
    this.#parts = parts;
    this.#inquiries = new Inquiries(parts.send);
  }

  answered(frame: Parameters<Inquiries["answered"]>[0]): void {
    this.#inquiries.answered(frame);
  }

  inspect(request: InspectRequest): Promise<InspectAnswer> {
    return inspectValue({ ...this.#looking(), sources: this.#parts.sources }, request);
  }

  complete(request: CompleteRequest): Promise<CompletionAnswer> {
    return complete({ ...this.#looking(), declared: () => this.#parts.memory.of(undefined).names }, request);
  }

  /** Answers a token for `EvaluateRequest.trial` when a trial gave the form's value without side effects. */
  async tryOut({ code, module }: TrialRequest): Promise<string | undefined> {
    const scope = module === undefined ? undefined : this.#scopeOf(module);
    if (this.#mentionsUnset(code, scope?.url)) return undefined;
    if (module !== undefined && (scope === undefined || !this.#isCurrent(scope.url))) return undefined;
    const root = trialRoot(code, this.#parts.modules.emitOptions(), scope);
    if (root === undefined) return undefined;
    const answer = await this.#inquiries.ask({ op: "trial", root }, PATIENCE_MS);
    return answer.kind === "tried" ? answer.token : undefined;
  }

  /** Gives a value that has a handle a second one. */
  async alias(from: string, to: string): Promise<void> {
    await this.#inquiries.ask({ op: "alias", from, to }, PATIENCE_MS);
  }

  #looking(): Pick<InspectParts, "ask" | "emit" | "scopeOf"> {
    return {
      ask: (inquiry, patienceMs) => this.#inquiries.ask(inquiry, patienceMs),
      emit: () => this.#parts.modules.emitOptions(),
      scopeOf: (file) => this.#scopeOf(file),
    };
  }

  /** The scope of a loaded module, with the names that forms added to it. */
  #scopeOf(file: string): ModuleScope | undefined {
    const scope = this.#parts.live.scopeOf(file);
    if (scope === undefined) return undefined;
    return { url: scope.url, names: new Set([...scope.names, ...this.#parts.memory.of(scope.url).names]) };
  }

  /**
   * Whether the loaded instance of a module is the one that a form in it would run in, and has the names of its source.
   */
  #isCurrent(url: string): boolean {
    const { modules } = this.#parts;
    const loaded = modules.loaded().find((module) => module.url === url);
    return loaded?.format === "module" && !modules.changed().includes(modules.shown(loaded.path));
  }

  /** Whether the code mentions a name whose declaration left it without a value; only an evaluation can report that. */
  #mentionsUnset(code: string, url: string | undefined): boolean {
    return [...this.#parts.memory.of(url).unset.keys()].some((name) => code.includes(name));
  }
}
