/** What can be seen of one image without evaluating anything: values by page, and names to complete with. */
import { complete } from "./completion.ts";
import type { FrameSources } from "../evaluation/error-info.ts";
import type { ImageChild } from "../image-child.ts";
import type { CompleteRequest, InspectAnswer, InspectRequest } from "../image.ts";
import { createInquiries, type Inquiries } from "./inquiries.ts";
import { inspectValue } from "./inspect-value.ts";
import type { LiveValues } from "./live-value.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { CompletionAnswer } from "../../protocol/repl-shapes.ts";

export interface Sight {
  readonly answered: Inquiries["answered"];
  readonly inspect: (request: InspectRequest) => Promise<InspectAnswer>;
  readonly complete: (request: CompleteRequest) => Promise<CompletionAnswer>;
  /** Gives the value of one handle a second one. */
  readonly alias: (from: string, to: string) => Promise<void>;
}

export interface SightParts {
  readonly send: ImageChild["send"];
  readonly live: Pick<LiveValues, "scopeOf">;
  readonly modules: Pick<ModuleService, "emitOptions">;
  readonly sources: FrameSources;
  readonly declared: () => Iterable<string>;
  /** Names that forms added to a module's scope. */
  readonly grown: (url: string) => ReadonlySet<string> | undefined;
}

const PATIENCE_MS = 1000;

export function createSight({ send, live, modules, sources, declared, grown }: SightParts): Sight {
  const { ask, answered } = createInquiries(send);
  const emit = modules.emitOptions;
  const scopeOf: SightParts["live"]["scopeOf"] = (file) => {
    const scope = live.scopeOf(file);
    if (scope === undefined) return undefined;
    return { url: scope.url, names: new Set([...scope.names, ...(grown(scope.url) ?? [])]) };
  };
  return {
    answered,
    inspect: (request) => inspectValue({ ask, emit, scopeOf, sources }, request),
    complete: (request) => complete({ ask, emit, scopeOf, declared }, request),
    alias: async (from, to) => void (await ask({ op: "alias", from, to }, PATIENCE_MS)),
  };
}
