/** A server with a model, whose turns are waited for. */
import type { PromptResult } from "../../server/src/protocol/methods.ts";
import type { NotificationParams } from "../../server/src/protocol/methods.ts";
import { LspClient } from "./lsp-client.ts";
import { agentqServer } from "./servers.ts";

export type EventParams = NotificationParams["agentq/event"];

export interface TurnServer {
  readonly program: string;
  readonly folder: string;
  /** The model's. */
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class TurnClient {
  readonly lsp: LspClient;
  readonly #heard = new Set<(params: EventParams) => void>();

  private constructor(lsp: LspClient) {
    this.lsp = lsp;
    lsp.onNotification("agentq/event", (params) => this.#heard.forEach((hear) => hear(params as EventParams)));
  }

  static async start({ program, folder, url, env }: TurnServer): Promise<TurnClient> {
    const own = { ANTHROPIC_API_KEY: "sk-test-not-a-key", ANTHROPIC_BASE_URL: url, XDG_STATE_HOME: `${folder}-state` };
    const client = new TurnClient(new LspClient(agentqServer(program, { ...own, ...env }), folder));
    await client.lsp.start(folder);
    return client;
  }

  /** Resolves with the conversation when the turn has ended by itself. `hear` gets its events. */
  async turn(text: string, sessionId?: string, hear?: (params: EventParams) => void): Promise<string> {
    const ended = Promise.withResolvers<void>();
    const own = (params: EventParams): void => {
      hear?.(params);
      const { event } = params;
      if (event.kind !== "turnEnded") return;
      if (event.reason === "endTurn") ended.resolve();
      else ended.reject(new Error(`The turn ended: ${event.reason}. ${event.message ?? ""}`));
    };
    this.#heard.add(own);
    try {
      const params = { text, ...(sessionId === undefined ? {} : { sessionId }) };
      const answer = await this.lsp.request<PromptResult>("agentq/prompt", params);
      await ended.promise;
      return answer.sessionId;
    } finally {
      this.#heard.delete(own);
    }
  }

  close(): Promise<void> {
    return this.lsp.close();
  }
}
