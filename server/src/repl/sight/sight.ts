/** What can be seen of one image without evaluating anything: values by page, and names to complete with. */
import { complete } from "./completion.ts";
import type { FrameSources } from "../evaluation/error-info.ts";
import type { ImageChild } from "../process/image-child.ts";
import type { CompleteRequest, InspectAnswer, InspectRequest, ProveRequest } from "../image.ts";
import { createInquiries, type Inquiries } from "./inquiry-client.ts";
import { inspectValue } from "./inspect-value.ts";
import { provableRoot } from "./provable-form.ts";
import type { LiveValues } from "./live-value.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { CompletionAnswer } from "../../protocol/repl-shapes.ts";

export interface Sight {
  readonly answered: Inquiries["answered"];
  readonly inspect: (request: InspectRequest) => Promise<InspectAnswer>;
  readonly complete: (request: CompleteRequest) => Promise<CompletionAnswer>;
  /** A token for `EvaluateRequest.proven` when a trial gave the form's value without side effects. */
  readonly prove: (request: ProveRequest) => Promise<string | undefined>;
  /** Gives the value of one handle a second one. */
  readonly alias: (from: string, to: string) => Promise<void>;
}

export interface SightParts {
  readonly send: ImageChild["send"];
  readonly live: Pick<LiveValues, "scopeOf">;
  readonly modules: Pick<ModuleService, "emitOptions">;
  readonly sources: FrameSources;
  readonly declared: () => Iterable<string>;
  /** Whether what is loaded of a module is what a form in it would meet, and by the names of its source. */
  readonly isCurrent: (url: string) => boolean;
  /** Names that forms added to a module's scope. */
  readonly grown: (url: string) => ReadonlySet<string> | undefined;
  /** Whether the code has a name that its declaration left without a value, which only an evaluation tells. */
  readonly mentionsUnset: (code: string, url: string | undefined) => boolean;
}

const PATIENCE_MS = 1000;

export function createSight({
  send,
  live,
  modules,
  sources,
  declared,
  isCurrent,
  grown,
  mentionsUnset,
}: SightParts): Sight {
  const { ask, answered } = createInquiries(send);
  const emit = () => modules.emitOptions();
  const scopeOf: SightParts["live"]["scopeOf"] = (file) => {
    const scope = live.scopeOf(file);
    if (scope === undefined) return undefined;
    return { url: scope.url, names: new Set([...scope.names, ...(grown(scope.url) ?? [])]) };
  };
  return {
    answered,
    inspect: (request) => inspectValue({ ask, emit, scopeOf, sources }, request),
    complete: (request) => complete({ ask, emit, scopeOf, declared }, request),
    prove: async ({ code, module }) => {
      const scope = module === undefined ? undefined : scopeOf(module);
      if (mentionsUnset(code, scope?.url)) return undefined;
      if (module !== undefined && (scope === undefined || !isCurrent(scope.url))) return undefined;
      const root = provableRoot(code, emit(), scope);
      if (root === undefined) return undefined;
      const answer = await ask({ op: "prove", root }, PATIENCE_MS);
      return answer.kind === "proven" ? answer.token : undefined;
    },
    alias: async (from, to) => void (await ask({ op: "alias", from, to }, PATIENCE_MS)),
  };
}
