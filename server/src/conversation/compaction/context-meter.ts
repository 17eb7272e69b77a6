/** How full a model's context is: as the provider counted the last request; what has come or gone since is estimated. */
import type { ModelMessage, ModelUsage } from "../../model/model-port.ts";
import { sizeOf } from "./cut.ts";

/** The last count, as a later server needs it. */
export interface CountedContext {
  readonly tokens: number;
  /** Something was left out since the last count. */
  readonly isEstimate?: true;
  /** So many messages of the history are in it. */
  readonly messages: number;
  /** In characters: the tools and the prompt; the messages as they were sent, with the reply. */
  readonly fixed: number;
  readonly size: number;
  /** The window of the model that counted, in tokens; absent where nobody knows it. */
  readonly window?: number;
}

/** Where nothing is counted yet. */
const CHARACTERS_PER_TOKEN = 4;

export class ContextMeter {
  #counted: CountedContext | undefined;

  constructor(counted?: CountedContext) {
    this.#counted = counted;
  }

  get counted(): CountedContext | undefined {
    return this.#counted;
  }

  /** In characters. */
  get fixed(): number {
    return this.#counted?.fixed ?? 0;
  }

  charactersPerToken(): number {
    if (this.#counted === undefined) return CHARACTERS_PER_TOKEN;
    const { fixed, size, tokens } = this.#counted;
    return Math.max(1, (fixed + size) / tokens);
  }

  /** Of the next request. Undefined where nobody has counted this history. */
  tokensOf(history: readonly ModelMessage[]): number | undefined {
    const counted = this.#counted;
    if (counted === undefined || counted.messages > history.length) return undefined;
    return counted.tokens + Math.round(sizeOf(history.slice(counted.messages)) / this.charactersPerToken());
  }

  /** A reply is complete: what was sent for it and the reply itself are the beginning of the next request. */
  count(usage: ModelUsage, sent: Omit<CountedContext, "tokens" | "isEstimate">): void {
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
    const input = inputTokens + cacheReadTokens + cacheWriteTokens;
    // Some servers count nothing.
    if (input > 0) this.#counted = { ...sent, tokens: input + outputTokens };
  }

  /** The view became another one, with so many characters. */
  changed(size: number, messages: number): void {
    if (this.#counted === undefined) return;
    const tokens = Math.round((this.#counted.fixed + size) / this.charactersPerToken());
    this.#counted = { ...this.#counted, tokens, size, messages, isEstimate: true };
  }
}
