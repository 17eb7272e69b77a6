/** Our tools over the Model Context Protocol on two streams: one registry, one executor, one approval road. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Readable, Writable } from "node:stream";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ClientCapabilities,
  type ServerContext,
  type Tool as McpTool,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ClientPort, Services } from "../../services.ts";
import type { ServerSetup } from "../../handlers/stdio-server.ts";
import { lazy } from "../../base/lazy.ts";
import type { NotificationMethod } from "../../protocol/methods.ts";
import type { Proposal } from "../../protocol/proposal-shapes.ts";
import { given } from "../../base/given.ts";
import type { Approval, ToolCall, ToolResult } from "../../protocol/tool-shapes.ts";
import { readSettings } from "../../settings/settings.ts";
import { createClientPort } from "./client-port.ts";
import { outputSchemaOf } from "./as-data.ts";
import { promptFor, promptsOf } from "./prompts.ts";
import { PacedTransport } from "./paced-transport.ts";
import { isOfRepl } from "../handover/handover.ts";
import {
  checkSubscribable,
  PROPOSALS,
  readResource,
  REPL_HISTORY,
  resources,
  resourceTemplates,
  type ResourceParts,
} from "./resources.ts";
import { instructionsOf, isTold, toldTool, usualTools, whyNotTold, type Profile } from "./told-tools.ts";
import { failure, ToolCalls, type FindEditor, type Era } from "./tool-calls.ts";

export interface McpOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Where a client works that tells no roots. */
  readonly cwd: string;
  /** The folder that the person has named, whatever the client tells. */
  readonly root?: string;
  readonly version: string;
  /** As an editor's `initializationOptions`. */
  readonly settings: unknown;
  /** The tools that the client is told of. */
  readonly profile: Profile;
  /** The client is a program, which takes answers as data too. */
  readonly isStructured: boolean;
  readonly findEditor: FindEditor;
  readonly compose: (client: ClientPort, setup: ServerSetup) => Services;
  /** Where people look for what went wrong: MCP clients keep the server's standard error. */
  readonly report: (message: string) => void;
}

/** Since 2026 each request tells what the client can do; before, `initialize` did. */
interface Introduction {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
}
type Envelope = Introduction | undefined;

/** A client that does not tell its roots in time works in the folder where it started this process. */
const ROOTS_LIMIT_MS = 3_000;
const END_LIMIT_MS = 3_000;

/** Settles when the client is gone and what was started for it has ended. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const door = new McpDoor(options);
  const gone = Promise.withResolvers<void>();
  const transport = new PacedTransport(options.input, options.output, gone.resolve);
  serveStdio(({ era }) => door.server(era), {
    transport,
    onerror: ({ message }) => options.report(`MCP: ${message}`),
  });
  await gone.promise;
  await door.end();
}

class McpDoor {
  readonly #options: McpOptions;
  readonly #calls: ToolCalls;
  readonly #proposed = new Set<string>();
  readonly #subscribed = new Set<string>();
  #server: Server | undefined;
  /** From then on the list has the tools of the person's own, and the programs that run. */
  #areToolsKnown = false;
  #capabilities: ClientCapabilities | undefined;
  readonly #services = lazy(() => this.#compose());

  constructor(options: McpOptions) {
    this.#options = options;
    this.#calls = new ToolCalls(this.#services, options);
  }

  server(era: Era): Server {
    const { version, profile } = this.#options;
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {} };
    const server = new Server({ name: "agentq", version }, { capabilities, instructions: instructionsOf(profile) });
    this.#server = server;
    server.oninitialized = () => void this.#services();
    server.setNotificationHandler("notifications/roots/list_changed", () => this.#followRoots());
    server.setRequestHandler("tools/list", async (_request, context) => ({ tools: await this.#listed(context) }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const { registry } = await (await this.#ready(context)).tools();
      const tool = registry.getTool(params.name);
      if (tool !== undefined && !isTold(profile, params.name, tool)) return failure(whyNotTold(profile, params.name));
      const answer = await this.#calls.call(params, context, era);
      // Also where the call ran in an editor's REPL, of which nothing else is heard here. A look changes nothing.
      if (tool !== undefined && isOfRepl(tool) && tool.safety !== "safe") this.#updated(REPL_HISTORY);
      return answer;
    });
    server.setRequestHandler("prompts/list", () => ({ prompts: promptsOf(profile) }));
    server.setRequestHandler("prompts/get", ({ params }) => promptFor(profile, params.name, params.arguments));
    server.setRequestHandler("resources/list", () => ({ resources }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }));
    server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      checkSubscribable(uri);
      this.#subscribed.add(uri);
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      this.#subscribed.delete(uri);
      return {};
    });
    server.setRequestHandler("resources/read", async ({ params: { uri } }, context) =>
      readResource(uri, await this.#readable(context)),
    );
    return server;
  }

  async #readable(context: ServerContext): Promise<ResourceParts> {
    const { proposals } = await this.#ready(context);
    return { proposals, run: (name) => this.#look(name, {}, context), proposed: this.#proposed };
  }

  #look(name: string, args: ToolCall["arguments"], { mcpReq }: ServerContext): Promise<ToolResult> {
    return this.#calls.execute({ id: randomUUID(), name, arguments: args }, mcpReq.signal);
  }

  /**
   * At once, before any project is read: hosts do not wait with their first request. What is another than usual here is told
   * when it is known.
   */
  async #listed(context: ServerContext): Promise<McpTool[]> {
    const { profile, isStructured } = this.#options;
    this.#introduce(context);
    if (this.#areToolsKnown || profile === "all" || isStructured) return this.#tools(await this.#services());
    const usual = await usualTools(profile);
    this.#services()
      .then(async (services) => {
        const isUsual = isDeepStrictEqual(await this.#tools(services), usual);
        if (!isUsual) await this.#server?.sendToolListChanged();
      })
      .catch(({ message }: Error) => this.#options.report(`MCP: ${message}`));
    return usual;
  }

  async #tools({ tools }: Services): Promise<McpTool[]> {
    const { profile, isStructured } = this.#options;
    const { registry, executor } = await tools();
    const schemas = (await executor.schemas()).map((schema) => [schema, registry.getTool(schema.name)] as const);
    const told = schemas
      .filter(([{ name }, tool]) => isTold(profile, name, tool))
      .map(([schema, tool]) => toldTool(schema, tool));
    this.#areToolsKnown = true;
    if (!isStructured) return told;
    return told.map((tool) => ({ ...tool, ...given({ outputSchema: outputSchemaOf(tool.name) }) }));
  }

  async end(): Promise<void> {
    this.#calls.end();
    await Promise.race([this.#services.peek()?.dispose(), sleep(END_LIMIT_MS)]);
  }

  /** The services for a request. */
  async #ready(context: ServerContext): Promise<Services> {
    this.#introduce(context);
    return this.#services();
  }

  /** Throws where the client has not introduced itself. */
  #introduce({ mcpReq }: ServerContext): void {
    const envelope: Envelope = mcpReq.envelope;
    const introduced = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? this.#server?.getClientCapabilities();
    if (introduced === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `Send initialize before ${mcpReq.method}.`);
    }
    this.#capabilities = introduced;
    this.#calls.host = envelope?.[CLIENT_INFO_META_KEY]?.name ?? this.#server?.getClientVersion()?.name ?? "agent";
  }

  async #compose(): Promise<Services> {
    const { settings: told, compose, report } = this.#options;
    const { settings, problems } = readSettings(told);
    for (const problem of problems) report(problem);
    const port = createClientPort({
      elicits: () => elicits(this.#capabilities),
      notify: (method, params) => this.#hear(method, params),
      onWork: (words) => (this.#calls.work = words),
      report,
    });
    const workspaceFolders = (await this.#roots()) ?? [this.#options.cwd];
    this.#calls.folders = workspaceFolders;
    // The profile chooses among all tools, unless the person wants the core alone.
    const services = compose(port, { workspaceFolders, settings: { offeredTools: "all", ...settings } });
    await services.warmUp();
    return services;
  }

  #hear(method: NotificationMethod, params: unknown): void {
    if (method === "agentq/approval") this.#calls.ask(params as Approval);
    if (method === "agentq/approvalChanged") this.#calls.settled((params as Pick<Approval, "approvalId">).approvalId);
    // The tools have one more parameter while programs of the person's run.
    if (method === "agentq/processesChanged") void this.#server?.sendToolListChanged().catch(() => undefined);
    if (method === "agentq/proposal") this.#proposed.add((params as Proposal).proposalId);
    if (method === "agentq/proposal" || method === "agentq/proposalChanged") this.#updated(PROPOSALS);
  }

  #updated(uri: string): void {
    if (this.#subscribed.has(uri)) void this.#server?.sendResourceUpdated({ uri }).catch(() => undefined);
  }

  async #followRoots(): Promise<void> {
    const folders = await this.#roots();
    if (folders === undefined) return;
    (await this.#services()).setWorkspaceFolders(folders);
    this.#calls.folders = folders;
  }

  /** Undefined where the client tells none. Protocols since 2026 have no such request. */
  async #roots(): Promise<string[] | undefined> {
    if (this.#options.root !== undefined) return [this.#options.root];
    if (this.#server?.getClientCapabilities()?.roots === undefined) return undefined;
    const told = await this.#server.listRoots({}, { timeout: ROOTS_LIMIT_MS }).catch(() => undefined);
    const folders = told?.roots.flatMap(({ uri }) => (uri.startsWith("file://") ? [fileURLToPath(uri)] : []));
    return folders?.length === 0 ? undefined : folders;
  }
}

/** An `elicitation` that names no kind is one for forms. */
function elicits(capabilities: ClientCapabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
