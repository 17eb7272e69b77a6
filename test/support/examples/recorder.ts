/** Keeps all that a client and the server say to each other, in the order in which the client has it. */
import type { RequestMethod, RequestParams, RequestResults } from "../../../server/src/protocol/methods.ts";
import { ServerClient } from "../server-client.ts";

export type Said =
  | { readonly kind: "request"; readonly by: "client" | "server"; readonly method: string; readonly params: unknown }
  | { readonly kind: "answer"; readonly by: "client" | "server"; readonly method: string; readonly result: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  /** What the client does besides, in a few words. */
  | { readonly kind: "does"; readonly words: string };

export class RecordingClient extends ServerClient {
  readonly #said: Said[] = [];
  #told = 0;

  /** All so far. */
  said(): readonly Said[] {
    const news = this.received.slice(this.#told);
    this.#told = this.received.length;
    this.#said.push(...news.map(({ method, params }): Said => ({ kind: "notification", method, params })));
    return this.#said;
  }

  does(words: string): void {
    this.#note({ kind: "does", words });
  }

  /** Answers a request of the server's. */
  answers(method: string, answer: (params: never) => unknown): void {
    this.connection.onRequest(method, (params) => {
      const result = answer(params as never);
      this.#note({ kind: "request", by: "server", method, params });
      this.#note({ kind: "answer", by: "client", method, result });
      return result;
    });
  }

  override async request<Method extends RequestMethod>(
    method: Method,
    params: RequestParams<Method>,
  ): Promise<RequestResults[Method]> {
    this.#note({ kind: "request", by: "client", method, params });
    const result = await super.request(method, params);
    this.#note({ kind: "answer", by: "server", method, result });
    return result;
  }

  #note(said: Said): void {
    this.said();
    this.#said.push(said);
  }
}
