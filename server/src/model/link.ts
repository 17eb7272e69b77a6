/** The way to one server of the Messages API: its client, its keys and its list of models. */
import Anthropic from "@anthropic-ai/sdk";
import { withoutHalfPairs } from "../base/well-formed-json.ts";
import { cutText } from "../base/cut-text.ts";
import type { Key, KeyPort } from "./keys.ts";
import { ModelCatalog } from "./model-catalog.ts";
import { modelsOf } from "./model-list.ts";
import { ModelFailure, type ModelEntry } from "./model-port.ts";
import { shownUrl } from "./profiles.ts";
import { limitsOf, watched, type ReplyLimits } from "./watched-reply.ts";

export interface LinkOptions {
  /** null for Anthropic's own servers. */
  readonly baseUrl: string | null;
  readonly keys: KeyPort;
  /** What the person can do when the server does not take the key. */
  readonly keyRemedy?: string;
  readonly limits?: ReplyLimits;
  /** The one on the way to the server, as it is shown. */
  readonly proxy?: string;
}

const LIST_LIMITS: ReplyLimits = { stallMs: 15_000, maxBytes: 4 * 2 ** 20 };
const MAX_REASON = 2_000;
const PAGE = 1_000;
const MAX_PAGES = 10;

export class Link {
  readonly place: string;
  readonly server: string;
  readonly keyRemedy: string;
  readonly proxy: string | undefined;
  readonly catalog = new ModelCatalog(async (signal) => this.#models(signal));
  readonly #options: LinkOptions;
  readonly #seen = new Set<string>();
  #client: { readonly key: Key; readonly of: Anthropic } | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    const shown = shownUrl(options.baseUrl);
    this.place = shown ?? "the Anthropic API";
    this.server = shown ?? "Anthropic";
    this.keyRemedy = options.keyRemedy ?? "";
    this.proxy = options.proxy;
  }

  async key(): Promise<Key> {
    return this.#noted(await this.#options.keys.current());
  }

  /** Whether there is another key now than the refused one. */
  async replaceKey(refused: Key): Promise<boolean> {
    return (await this.#options.keys.replaced(refused)) !== undefined;
  }

  client(key: Key): Anthropic {
    if (this.#client?.key.apiKey !== key.apiKey || this.#client.key.authToken !== key.authToken) {
      this.#client = { key, of: this.#newClient(key) };
    }
    return this.#client.of;
  }

  /** A provider may repeat what it was sent; its words go to the editor and into logs. */
  withoutKeys(text: string): string {
    let shown = text;
    for (const key of this.#seen) shown = shown.replaceAll(key, "[the key]");
    return cutText(shown, MAX_REASON);
  }

  #noted(key: Key): Key {
    for (const each of [key.apiKey, key.authToken]) if (each !== null && each !== "") this.#seen.add(each);
    return key;
  }

  #newClient({ apiKey, authToken }: Key): Anthropic {
    const { baseUrl, limits } = this.#options;
    return new Anthropic({
      apiKey: apiKey ?? (authToken === null ? "none" : null),
      authToken,
      ...(baseUrl === null ? {} : { baseURL: baseUrl }),
      // Retries are ours: the person sees each wait, and a cut stream is retried too.
      maxRetries: 0,
      logLevel: "off",
      // Its own spans can hold the conversation, and its header would tell the server of the trace: ours hold no texts.
      openTelemetry: false,
      // A conversation goes to the address that the person named, and to no other.
      fetchOptions: { redirect: "manual" },
      fetch: carefulFetch(limits ?? limitsOf(baseUrl)),
    });
  }

  async #models(signal: AbortSignal): Promise<readonly ModelEntry[]> {
    const key = await this.key();
    try {
      return await this.#listed(key, signal);
    } catch (error) {
      const isRefused = error instanceof Anthropic.APIError && error.status === 401;
      if (!isRefused || !(await this.replaceKey(key))) throw error;
      return this.#listed(await this.key(), signal);
    }
  }

  async #listed(key: Key, signal: AbortSignal): Promise<readonly ModelEntry[]> {
    const client = this.client(key).withOptions({ fetch: carefulFetch(LIST_LIMITS) });
    const entries: ModelEntry[] = [];
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = { limit: PAGE, ...(after === undefined ? {} : { after_id: after }) };
      const found = modelsOf(await client.get("/v1/models", { query, signal }));
      if (found === undefined) throw new ModelFailure(`${this.place} answered something else than a list of models.`);
      entries.push(...found.entries);
      after = found.next;
      if (after === undefined) break;
    }
    return entries;
  }
}

function carefulFetch(limits: ReplyLimits): typeof fetch {
  return async (input, init) => {
    // Half of a surrogate pair in a tool's output would have every later request of the conversation refused.
    const body = typeof init?.body === "string" ? { body: withoutHalfPairs(init.body) } : {};
    return watched(await fetch(input, { ...init, ...body }), limits);
  };
}
