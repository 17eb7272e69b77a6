/** `agentq acp` and the SDK's own client that speaks to it. */
import { readFileSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type InitializeResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { Door, type DoorOptions } from "./door.ts";
import type { Ground } from "./session-stage.ts";

export interface AcpClientOptions extends DoorOptions {
  /** What the person answers: the name of an option, or a whole answer. Without it the client knows no such question. */
  readonly answer?: (asked: RequestPermissionRequest) => string | RequestPermissionResponse | Promise<string>;
  /** What the person writes into a form; without it the client has none. */
  readonly fill?: (asked: CreateElicitationRequest) => CreateElicitationResponse;
  readonly capabilities?: ClientCapabilities;
  /** The texts that the client's editor has and the disk has not, by path. */
  readonly unsaved?: Map<string, string>;
  /** The editor's way to write; by default to the disk. */
  readonly write?: (path: string, text: string) => void | Promise<void>;
}

export class AcpClient {
  readonly door: Door;
  readonly connection: ClientConnection;
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  readonly forms: CreateElicitationRequest[] = [];
  readonly #folder: string;
  readonly #options: AcpClientOptions;
  /** What the person answers now; only where the client knows questions at all. */
  answer: NonNullable<AcpClientOptions["answer"]>;
  fill: NonNullable<AcpClientOptions["fill"]>;
  unsaved: Map<string, string>;
  write: NonNullable<AcpClientOptions["write"]>;

  constructor(stage: Ground, options: AcpClientOptions = {}) {
    [this.#folder, this.#options] = [stage.folder, options];
    ({ answer: this.answer, fill: this.fill, unsaved: this.unsaved, write: this.write } = asGiven(options));
    this.door = new Door("acp", stage, options);
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => void this.updates.push(params.update))
      .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => ({
        content: this.unsaved.get(path) ?? readFileSync(path, "utf8"),
      }))
      .onRequest(methods.client.fs.writeTextFile, async ({ params: { path, content } }) => {
        this.unsaved.delete(path);
        await this.write(path, content);
        return {};
      });
    if (options.answer !== undefined) {
      app.onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.asked.push(params);
        const said = await this.answer(params);
        if (typeof said !== "string") return said;
        const { optionId = said } = params.options.find(({ name }) => name === said) ?? {};
        return { outcome: { outcome: "selected", optionId } };
      });
    }
    if (options.fill !== undefined) {
      app.onRequest(methods.client.elicitation.create, ({ params }) => {
        this.forms.push(params);
        return this.fill(params);
      });
    }
    const output = Writable.toWeb(this.door.stdin) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(this.door.stdout) as ReadableStream<Uint8Array>;
    this.connection = app.connect(ndJsonStream(output, input));
  }

  /** As if nothing had been heard or asked yet. */
  forget(): void {
    this.updates.length = 0;
    this.asked.length = 0;
    this.forms.length = 0;
    ({ answer: this.answer, fill: this.fill, unsaved: this.unsaved, write: this.write } = asGiven(this.#options));
  }

  initialize(capabilities: ClientCapabilities = {}): Promise<InitializeResponse> {
    return this.connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: capabilities,
    });
  }

  async newSession(cwd = this.#folder): Promise<string> {
    const { sessionId } = await this.connection.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    return sessionId;
  }

  prompt(sessionId: string, ...prompt: (ContentBlock | string)[]): Promise<PromptResponse> {
    const blocks = prompt.map((block) => (typeof block === "string" ? { type: "text" as const, text: block } : block));
    return this.connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: blocks });
  }

  /** What the agent said, in one text. */
  get said(): string {
    return this.textOf("agent_message_chunk");
  }

  textOf(kind: "agent_message_chunk" | "user_message_chunk" | "agent_thought_chunk"): string {
    return this.updates
      .map((update) => (update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : ""))
      .join("");
  }

  of<Kind extends SessionUpdate["sessionUpdate"]>(
    kind: Kind,
  ): Extract<SessionUpdate, { readonly sessionUpdate: Kind }>[] {
    return this.updates.filter(
      (update): update is Extract<SessionUpdate, { readonly sessionUpdate: Kind }> => update.sessionUpdate === kind,
    );
  }

  async close(): Promise<void> {
    await this.door.close();
    this.connection.close();
  }
}

function asGiven({
  answer = () => ({ outcome: { outcome: "cancelled" } }),
  fill = () => ({ action: "cancel" }),
  unsaved = new Map<string, string>(),
  write = writeFileSync,
}: AcpClientOptions): Required<Pick<AcpClientOptions, "answer" | "fill" | "unsaved" | "write">> {
  return { answer, fill, unsaved, write };
}

/** One agent for all tests of a file or of a `describe`, on the ground of a stage that is called before. */
export function sharedAcp(stage: Ground, options: AcpClientOptions = {}): { readonly acp: AcpClient } {
  const shared: { acp: AcpClient } = { acp: undefined as never };
  beforeAll(async () => {
    shared.acp = new AcpClient(stage, options);
    await shared.acp.initialize(options.capabilities);
  });
  beforeEach(() => shared.acp.forget());
  afterAll(() => shared.acp.close());
  return shared;
}
