/** The agent over the Agent Client Protocol on two streams. Each folder has a server of its own, as in a terminal. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Writable, type Readable } from "node:stream";
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type InitializeResponse,
  type ListSessionsResponse,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import { AgentqErrorCodes, errorText } from "../../base/errors.ts";
import { readSettings } from "../../settings/settings.ts";
import { AcpSession } from "./acp-session.ts";
import { Workspaces, type Place } from "./workspaces.ts";
import type { Variables } from "../../base/variables.ts";

export interface AcpOptions {
  readonly input: Readable;
  readonly output: NodeJS.WritableStream & Writable;
  readonly version: string;
  /** As an editor's `initializationOptions`. */
  readonly settings: object;
  /** The command that starts a server. */
  readonly command: readonly string[];
  readonly environment: Variables;
  /** Where people look for what went wrong: ACP clients keep the agent's standard error. */
  readonly report: (message: string) => void;
}

const MAX_SESSIONS = 100;

/** Settles when the client is gone and what was started for it has ended. */
export async function serveAcp(options: AcpOptions): Promise<void> {
  for (const problem of readSettings(options.settings).problems) options.report(problem);
  const door = new AcpDoor(options);
  const output = Writable.toWeb(options.output) as WritableStream<Uint8Array>;
  const input = ReadableStream.from<Uint8Array>(paced(options.input, options.output));
  await door.app().connect(ndJsonStream(output, input)).closed;
  await door.end();
}

class AcpDoor {
  readonly #options: AcpOptions;
  readonly #workspaces: Workspaces;
  readonly #sessions = new Map<string, AcpSession>();
  /** The folders of conversations that the client was told of. */
  readonly #listedIn = new Map<string, string>();
  #capabilities: ClientCapabilities = {};

  constructor(options: AcpOptions) {
    this.#options = options;
    this.#workspaces = new Workspaces(options);
  }

  app(): ReturnType<typeof agent> {
    const { agent: asked } = methods;
    return agent({ name: "agentq" })
      .onRequest(asked.initialize, ({ params }) => {
        this.#capabilities = params.clientCapabilities ?? {};
        return introduction(this.#options.version);
      })
      .onRequest(asked.authenticate, () => ({}))
      .onRequest(asked.session.new, ({ params, client }) =>
        told(async () => {
          const session = await this.#open(randomUUID(), params, client, false);
          return { sessionId: session.id, ...(await opened(session)) };
        }),
      )
      .onRequest(asked.session.load, ({ params, client }) =>
        told(async () => {
          const session = await this.#open(params.sessionId, params, client, true);
          await session.replay();
          return await opened(session);
        }),
      )
      .onRequest(asked.session.resume, ({ params, client }) =>
        told(async () => {
          const session = await this.#open(params.sessionId, params, client, true);
          return await opened(session);
        }),
      )
      .onRequest(asked.session.list, ({ params }) => told(() => this.#list(params.cwd ?? process.cwd(), params.cursor)))
      .onRequest(asked.session.delete, ({ params }) => told(() => this.#delete(params.sessionId)))
      .onRequest(asked.session.close, ({ params }) => told(() => this.#close(params.sessionId)))
      .onRequest(asked.session.setConfigOption, ({ params }) =>
        told(async () => {
          const { sessionId, configId, value } = params;
          return { configOptions: await this.#session(sessionId).choose(configId, value) };
        }),
      )
      .onRequest(asked.session.setMode, ({ params }) =>
        told(async () => {
          this.#session(params.sessionId).setMode(params.modeId);
          return {};
        }),
      )
      .onRequest(asked.session.prompt, ({ params, signal }) =>
        told(() => this.#session(params.sessionId).prompt(params.prompt, signal)),
      )
      .onNotification(asked.session.cancel, ({ params }) => this.#sessions.get(params.sessionId)?.cancel());
  }

  async end(): Promise<void> {
    for (const session of this.#sessions.values()) session.dispose();
    await this.#workspaces.dispose();
  }

  async #open(id: string, place: Place, client: AgentContext, isKept: boolean): Promise<AcpSession> {
    const workspace = await this.#workspaces.at(place);
    const kept = isKept ? await workspace.client.request("agentq/openSession", { sessionId: id, limit: 1 }) : undefined;
    this.#sessions.get(id)?.dispose();
    this.#sessions.delete(id);
    if (this.#sessions.size >= MAX_SESSIONS) {
      throw RequestError.invalidRequest(undefined, `${MAX_SESSIONS} sessions are open already: close one first.`);
    }
    const session = new AcpSession({ id, workspace, client, capabilities: this.#capabilities, kept: kept?.session });
    this.#sessions.set(id, session);
    return session;
  }

  #session(id: string): AcpSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  }

  async #list(cwd: string, cursor: string | null | undefined): Promise<ListSessionsResponse> {
    const { client } = await this.#workspaces.at({ cwd });
    const given = cursor === null || cursor === undefined ? {} : { cursor };
    const { items, nextCursor } = await client.request("agentq/listSessions", given);
    const sessions = items.map(({ sessionId, name, usedAt }) => ({ sessionId, cwd, title: name, updatedAt: usedAt }));
    for (const { sessionId } of sessions) this.#listedIn.set(sessionId, cwd);
    return { sessions, ...(nextCursor === undefined ? {} : { nextCursor }) };
  }

  async #delete(sessionId: string): Promise<object> {
    const open = this.#sessions.get(sessionId)?.workspace;
    const cwd = this.#listedIn.get(sessionId) ?? process.cwd();
    const { client } = open ?? (await this.#workspaces.at({ cwd }));
    await client.request("agentq/deleteSession", { sessionId });
    return this.#close(sessionId);
  }

  /** The server of a folder ends with the last session there. */
  async #close(sessionId: string): Promise<object> {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return {};
    this.#sessions.delete(sessionId);
    session.dispose();
    const { workspace } = session;
    const isNeeded = [...this.#sessions.values()].some((other) => other.workspace === workspace);
    if (!isNeeded) await this.#workspaces.close(workspace);
    return {};
  }
}

/** What a client hears of a session that it opens. */
async function opened(session: AcpSession): Promise<{ configOptions: SessionConfigOption[]; modes: SessionModeState }> {
  const configOptions = await session.options();
  // Clients know the session once they have the answer.
  setImmediate(() => void session.tellCommands());
  return { configOptions, modes: session.modes };
}

function introduction(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "agentq", title: "Agent-Q", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { embeddedContext: true },
      mcpCapabilities: { http: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
    },
    authMethods: [],
  };
}

/** What a server refuses reaches the client in the server's words. */
async function told<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const isUnknown = (error as { readonly code?: unknown }).code === AgentqErrorCodes.unknownSession;
    throw new RequestError(isUnknown ? NOT_FOUND : INTERNAL, errorText(error));
  }
}

const NOT_FOUND = -32002;
const INTERNAL = -32603;

/** Nothing more is read from a client that does not read what it is told. */
async function* paced(input: Readable, output: Writable): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) {
    while (output.writableNeedDrain && !output.destroyed) await once(output, "drain").catch(() => undefined);
    yield chunk as Uint8Array;
  }
}
