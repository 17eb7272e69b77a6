/** A page of a value, as the person and the agent see it. Looking evaluates nothing and keeps nothing. */
import type { ValueMember, ValuePage } from "../../protocol/repl-shapes.ts";
import type { EmitOptions } from "../source/compiler-options.ts";
import { busyFrames, type FrameSources } from "../evaluation/error-info.ts";
import type { InspectAnswer, InspectRequest } from "../image.ts";
import type { RawMember, RawPage } from "../child/wire/inquiry.ts";
import type { Inquiries } from "./inquiry-client.ts";
import { rootOf, type ModuleScope } from "./root-expression.ts";
import { given } from "../../base/given.ts";

export interface InspectParts {
  readonly ask: Inquiries["ask"];
  readonly emit: () => EmitOptions;
  /** The scope of a module that runs; undefined when the module was not loaded. */
  readonly scopeOf: (file: string) => ModuleScope | undefined;
  readonly sources: FrameSources;
}

export const DEFAULT_PAGE_SIZE = 50;
/** A busy machine can list the names of a big object in this time. */
const PATIENCE_MS = 8000;

export async function inspectValue(parts: InspectParts, request: InspectRequest): Promise<InspectAnswer> {
  const { value, path = [], page = 1, size = DEFAULT_PAGE_SIZE } = request;
  const scope = request.module === undefined ? undefined : parts.scopeOf(request.module);
  if (request.module !== undefined && scope === undefined) {
    return refuse("missing", NOT_LOADED);
  }
  const root = rootOf(value, parts.emit(), scope);
  if (root === undefined) return refuse("error", `${value} is not an expression that can be looked at.`);
  const answer = await parts.ask({ op: "page", root, path, page: page - 1, size }, PATIENCE_MS);
  if (answer.kind === "page") return { ok: true, page: toPage(answer.page, request, parts.sources) };
  if (answer.kind === "refused") {
    return refuse(answer.why === "slow" ? "error" : answer.why, answer.reason);
  }
  return refuse("busy", "The REPL is busy with something that lets nobody look. Ask again, or interrupt it.");
}

const NOT_LOADED = "The module is not loaded in the REPL. A form in its scope loads it; looking loads nothing.";

function toPage(
  raw: RawPage,
  { value, path = [], page = 1, size = DEFAULT_PAGE_SIZE }: InspectRequest,
  sources: FrameSources,
): ValuePage {
  const perPage = raw.kind === "string" ? size * CHARACTERS_PER_MEMBER : size;
  const pages = Math.max(1, Math.ceil(raw.total / perPage));
  const place = raw.place === undefined ? undefined : busyFrames([{ function: "", ...raw.place }], sources)[0];
  return {
    value,
    path,
    kind: raw.kind,
    type: raw.type,
    preview: raw.preview,
    facts: raw.facts.map(([name, text]) => ({ name, text })),
    items: raw.members.map(toMember),
    total: raw.total,
    page,
    pages,
    extras: raw.extras.map(toMember),
    ...given({ text: raw.text }),
    ...(place === undefined ? {} : { source: { uri: place.uri, line: place.line, character: place.character } }),
    complete: raw.isHasty !== true,
  };
}

/** The pager counts a string's page in the same way. */
const CHARACTERS_PER_MEMBER = 80;

function toMember({ step, name, kind, preview, type, opens, keyStep, from, isHidden }: RawMember): ValueMember {
  return {
    name,
    kind,
    preview,
    type,
    ...given({ step, keyStep }),
    opens: opens === true,
    ...given({ from }),
    ...(isHidden === undefined ? {} : { hidden: true }),
  };
}

function refuse(why: Extract<InspectAnswer, { ok: false }>["why"], reason: string): InspectAnswer {
  return { ok: false, why, reason };
}
