/** A real `agentq acp` and the SDK's own client that speaks to it. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
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
  type InitializeResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { bareEnvironment, serverProgram } from "./server-client.ts";
import { writeSettings } from "./mcp-client.ts";
import type { SessionStage } from "./session-stage.ts";

export interface AcpClientOptions {
  /** What the person answers: the name of an option, or a whole answer. Without it the client knows no such question. */
  readonly answer?: (asked: RequestPermissionRequest) => string | RequestPermissionResponse | Promise<string>;
  readonly capabilities?: ClientCapabilities;
  readonly settings?: object;
  readonly cwd?: string;
  /** By default that of the checkout. */
  readonly program?: string;
  /** The texts that the client's editor has and the disk has not, by path. */
  readonly unsaved?: Map<string, string>;
  /** The editor's way to write; by default to the disk. */
  readonly write?: (path: string, text: string) => void;
}

export class AcpClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly connection: ClientConnection;
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  readonly ended: Promise<number | null>;
  readonly #folder: string;
  stderr = "";

  constructor(stage: SessionStage, options: AcpClientOptions = {}) {
    const { answer, settings, cwd, unsaved = new Map<string, string>(), write = writeFileSync } = options;
    this.#folder = stage.folder;
    const args = [options.program ?? serverProgram, "acp"];
    if (settings !== undefined) args.push("--settings", writeSettings(stage, settings));
    this.child = spawn(process.execPath, args, { cwd: cwd ?? stage.folder, env: bareEnvironment(stage.environment()) });
    this.child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.child.stdin.on("error", () => undefined);
    this.ended = new Promise((resolve) => this.child.once("exit", resolve));
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => void this.updates.push(params.update))
      .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => ({
        content: unsaved.get(path) ?? readFileSync(path, "utf8"),
      }))
      .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
        unsaved.delete(path);
        write(path, content);
        return {};
      });
    if (answer !== undefined) {
      app.onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.asked.push(params);
        const said = await answer(params);
        if (typeof said !== "string") return said;
        const { optionId = said } = params.options.find(({ name }) => name === said) ?? {};
        return { outcome: { outcome: "selected", optionId } };
      });
    }
    const output = Writable.toWeb(this.child.stdin) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(this.child.stdout) as ReadableStream<Uint8Array>;
    this.connection = app.connect(ndJsonStream(output, input));
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
    this.child.stdin.end();
    await this.ended;
    this.connection.close();
  }
}
