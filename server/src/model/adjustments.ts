/** What a server has refused so far, by model, and what a request leaves out for it. */
import type { Manner, ModelMessage, ModelRequest } from "./model-port.ts";
import {
  fittingTokens,
  refusalWords,
  refusedField,
  refusedPicture,
  refusedTool,
  refusesThoughts,
  type Field,
  type SentParts,
} from "./refusals.ts";
import { pictures, type Body, type Circumstances, type Picture } from "./request-body.ts";

interface Learnt {
  readonly refused: Set<Field>;
  readonly untaken: Set<string>;
  mostTokens: number | undefined;
}

export interface Adjusted {
  /** What the person had set and the server does not take, as in "takes no …". */
  readonly leftOut?: string;
}

interface RefusedHistory {
  readonly thoughtless: WeakSet<ModelMessage>;
  readonly unseen: WeakSet<Picture>;
}

export class Adjustments {
  readonly #learnt = new Map<string, Learnt>();
  readonly #history: RefusedHistory = { thoughtless: new WeakSet(), unseen: new WeakSet() };

  of(request: ModelRequest): Adjusting {
    const nothing = { refused: new Set<Field>(), untaken: new Set<string>(), mostTokens: undefined };
    const learnt: Learnt = this.#learnt.get(request.model) ?? nothing;
    this.#learnt.set(request.model, learnt);
    return new Adjusting(request, learnt, this.#history);
  }
}

/** One request on its way to a form that the server takes: each refusal takes something away, so there is an end. */
class Adjusting {
  readonly #request: ModelRequest;
  readonly #learnt: Learnt;
  readonly #history: RefusedHistory;
  #body: Body | undefined;
  #mostNow: number | undefined;

  constructor(request: ModelRequest, learnt: Learnt, history: RefusedHistory) {
    this.#request = request;
    this.#learnt = learnt;
    this.#history = history;
  }

  circumstances(): Omit<Circumstances, "entry" | "by"> {
    return { ...this.#learnt, ...this.#history, mostTokens: this.#mostNow ?? this.#learnt.mostTokens };
  }

  sent(body: Body): void {
    this.#body = body;
  }

  /** Undefined when there is nothing to leave out: the request has failed. */
  adjusted(error: unknown): Adjusted | undefined {
    if (this.#body === undefined) return undefined;
    return (
      this.#withoutThoughts(error) ??
      this.#shorter(error, this.#body) ??
      this.#withoutField(error, this.#body) ??
      this.#withoutPicture(error, this.#body) ??
      this.#withoutTool(error, this.#body)
    );
  }

  #withoutThoughts(error: unknown): Adjusted | undefined {
    if (!refusesThoughts(error)) return undefined;
    const { thoughtless } = this.#history;
    const thoughts = this.#request.messages.filter(
      (message) => message.content.some(({ kind }) => kind === "opaque") && !thoughtless.has(message),
    );
    for (const message of thoughts) thoughtless.add(message);
    return thoughts.length === 0 ? undefined : {};
  }

  #shorter(error: unknown, { max_tokens: asked }: Body): Adjusted | undefined {
    const fitting = fittingTokens(error);
    if (fitting === undefined || fitting.tokens < 1 || fitting.tokens >= asked) return undefined;
    if (fitting.holds === "always") this.#learnt.mostTokens = fitting.tokens;
    else this.#mostNow = fitting.tokens;
    return {};
  }

  #withoutPicture(error: unknown, body: Body): Adjusted | undefined {
    const block = refusedPicture(error, body as SentParts);
    const picture = block && pictures.get(block);
    if (picture === undefined) return undefined;
    this.#history.unseen.add(picture);
    return { leftOut: `does not take a picture (${refusalWords(error)}): it is left out from now on.` };
  }

  #withoutTool(error: unknown, body: Body): Adjusted | undefined {
    const name = refusedTool(error, body as SentParts);
    if (name === undefined) return undefined;
    this.#learnt.untaken.add(name);
    return { leftOut: `does not take the tool ${name} (${refusalWords(error)}): it is left out from now on.` };
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
  if (field === "toolChoice") return "takes no choice of a tool: the model calls what it likes.";
  if (field === "temperature") return `takes no temperature of ${temperature} here: the model's own holds.`;
  if (thinking === "auto") return undefined;
  if (field === "effort") return `takes no effort: the thinking ${thinking} is the model's own measure.`;
  if (field === "off") return "cannot switch off the model's thinking.";
  return field === "budget" ? `takes no thinking: the request goes without.` : undefined;
}
