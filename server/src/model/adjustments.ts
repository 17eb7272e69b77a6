/** What a server has refused so far, by model, and what a request leaves out for it. */
import type { Manner, ModelMessage, ModelRequest } from "./model-port.ts";
import { fittingTokens, refusedField, refusesThoughts, type Field } from "./refusals.ts";
import type { Body, Circumstances } from "./request-body.ts";

interface Learnt {
  readonly refused: Set<Field>;
  mostTokens: number | undefined;
}

export interface Adjusted {
  /** What the person had set and the server does not take, as in "takes no …". */
  readonly leftOut?: string;
}

export class Adjustments {
  readonly #learnt = new Map<string, Learnt>();
  readonly #thoughtless = new WeakSet<ModelMessage>();

  of(request: ModelRequest): Adjusting {
    const learnt: Learnt = this.#learnt.get(request.model) ?? { refused: new Set(), mostTokens: undefined };
    this.#learnt.set(request.model, learnt);
    return new Adjusting(request, learnt, this.#thoughtless);
  }
}

/** One request on its way to a form that the server takes: each refusal takes something away, so there is an end. */
class Adjusting {
  readonly #request: ModelRequest;
  readonly #learnt: Learnt;
  readonly #thoughtless: WeakSet<ModelMessage>;
  #body: Body | undefined;
  #mostNow: number | undefined;

  constructor(request: ModelRequest, learnt: Learnt, thoughtless: WeakSet<ModelMessage>) {
    this.#request = request;
    this.#learnt = learnt;
    this.#thoughtless = thoughtless;
  }

  circumstances(): Pick<Circumstances, "refused" | "mostTokens" | "thoughtless"> {
    const { refused, mostTokens } = this.#learnt;
    return { refused, mostTokens: this.#mostNow ?? mostTokens, thoughtless: this.#thoughtless };
  }

  sent(body: Body): void {
    this.#body = body;
  }

  /** Undefined when there is nothing to leave out: the refusal stands. */
  adjusted(error: unknown): Adjusted | undefined {
    if (this.#body === undefined) return undefined;
    return this.#withoutThoughts(error) ?? this.#shorter(error, this.#body) ?? this.#withoutField(error, this.#body);
  }

  #withoutThoughts(error: unknown): Adjusted | undefined {
    if (!refusesThoughts(error)) return undefined;
    const thoughts = this.#request.messages.filter(
      (message) => message.content.some(({ kind }) => kind === "opaque") && !this.#thoughtless.has(message),
    );
    for (const message of thoughts) this.#thoughtless.add(message);
    return thoughts.length === 0 ? undefined : {};
  }

  #shorter(error: unknown, { max_tokens: asked }: Body): Adjusted | undefined {
    const fitting = fittingTokens(error);
    if (fitting === undefined || fitting.tokens < 1 || fitting.tokens >= asked) return undefined;
    if (fitting.holds === "always") this.#learnt.mostTokens = fitting.tokens;
    else this.#mostNow = fitting.tokens;
    return {};
  }

  #withoutField(error: unknown, body: Body): Adjusted | undefined {
    const { refused } = this.#learnt;
    const field = refusedField(error, body, refused);
    if (field === undefined || refused.has(field)) return undefined;
    refused.add(field);
    const leftOut = leftOutOf(field, this.#request.manner ?? {});
    return leftOut === undefined ? {} : { leftOut };
  }
}

/** What nobody asked for is left out in silence. */
function leftOutOf(field: Field, { temperature, thinking = "auto" }: Manner): string | undefined {
  if (field === "temperature") return `takes no temperature of ${temperature} here: the model's own holds.`;
  if (thinking === "auto") return undefined;
  if (field === "effort") return `takes no effort: the thinking ${thinking} is the model's own measure.`;
  if (field === "off") return "cannot switch off the model's thinking.";
  return field === "budget" ? `takes no thinking: the request goes without.` : undefined;
}
