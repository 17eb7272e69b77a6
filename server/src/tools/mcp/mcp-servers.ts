/** The MCP servers that the person's settings name, and their tools in the registry. */
import { errorText, InvalidParamsError } from "../../base/errors.ts";
import type { ModelToolSchema } from "../../model/model-port.ts";
import type { McpServerStatus } from "../../protocol/status.ts";
import type { ToolRegistry } from "../run/registry.ts";
import type { Tool } from "../tool.ts";
import type { ListedTool } from "./connection.ts";
import { ConversationOffer } from "./conversation-offer.ts";
import { KeptAnswers, readResultTool } from "./kept-answers.ts";
import { McpServer } from "./mcp-server.ts";
import { mcpTool, type McpToolPorts } from "./mcp-tool.ts";
import type { PlannedServers } from "./planned-server.ts";

export interface McpPorts extends Pick<McpToolPorts, "progress"> {
  readonly registry: Pick<ToolRegistry, "register" | "getTool" | "toolsToSchema">;
  readonly version: string;
  /** Shows the person a message. */
  readonly warn: (message: string) => void;
  readonly log: (message: string) => void;
  /** The turn of a conversation that runs, by its id. */
  readonly turnOf: (sessionId: string | undefined) => string | undefined;
  /** The state of a server, or its tools, changed. */
  readonly onChange: () => void;
}

/** The first request of a conversation waits no longer for servers that have not answered since they were started. */
const WAIT_MS = 5_000;

export class McpServers {
  readonly #ports: McpPorts;
  readonly #servers = new Map<string, McpServer>();
  /** Those that cannot even be started, by name. */
  readonly #problems = new Map<string, string>();
  /** What each server lists now, by the tool's name in the registry. */
  readonly #listed = new Map<string, ReadonlySet<string>>();
  readonly #answers = new KeptAnswers();
  readonly #offer = new ConversationOffer();
  readonly #warned = new Set<string>();
  /** Those whose last start failed, of which the person was told. */
  readonly #down = new Set<string>();
  readonly #started: Promise<unknown>;

  /** Starts them all. */
  constructor(servers: PlannedServers, ports: McpPorts) {
    this.#ports = ports;
    ports.registry.register(readResultTool(this.#answers));
    for (const [name, plan] of servers) {
      if ("problem" in plan) {
        this.#problems.set(name, plan.problem);
        this.#warn(`The MCP server ${name} cannot be started: ${plan.problem}.`);
        continue;
      }
      const server: McpServer = new McpServer(
        plan,
        { onTools: (tools) => this.#take(server, tools), onState: (status) => this.#told(status) },
        ports.version,
      );
      this.#servers.set(name, server);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, WAIT_MS).unref();
    this.#started = Promise.race([promise, Promise.all([...this.#servers.values()].map((server) => server.start()))]);
  }

  /** The tools that a conversation is told of, once the servers have had time to start. Never rejects. */
  async offered(sessionId: string | undefined): Promise<ModelToolSchema[]> {
    await this.#started;
    const { registry, turnOf } = this.#ports;
    return this.#offer.told(registry.toolsToSchema(), sessionId, turnOf(sessionId));
  }

  statuses(): McpServerStatus[] {
    const broken = [...this.#problems].map(([name, reason]) => ({ name, state: "dead" as const, tools: 0, reason }));
    const known = [...this.#servers].map(([name, server]) => ({
      ...server.status(),
      tools: this.#listed.get(name)?.size ?? 0,
    }));
    return [...known, ...broken];
  }

  /** Settles when the server is ready or has failed. */
  async restart(name: string): Promise<McpServerStatus> {
    const server = this.#servers.get(name);
    if (server === undefined) {
      const names = [...this.#servers.keys()].join(", ");
      const expected = `an MCP server that the settings name and that can be started (${names || "there is none"})`;
      throw new InvalidParamsError([{ path: "/name", expected, received: name }]);
    }
    this.#warned.clear();
    this.#down.delete(name);
    await server.restart();
    return { ...server.status(), tools: this.#listed.get(name)?.size ?? 0 };
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.dispose()));
  }

  /** A tool that is listed no more stays in the registry, so that a call of it is told why it does not run. */
  #take(server: McpServer, tools: readonly ListedTool[]): void {
    const { name } = server.plan;
    const listed = new Set<string>();
    const left: string[] = [];
    for (const each of tools) {
      try {
        const tool = mcpTool(server, each, { answers: this.#answers, progress: this.#ports.progress });
        if (tool === undefined) continue;
        if (listed.has(tool.name)) throw new Error("another tool of the server has that name");
        this.#ports.registry.register(this.#whileListed(name, tool));
        listed.add(tool.name);
      } catch (error) {
        left.push(`${String(each?.name)}: ${errorText(error)}`);
      }
    }
    this.#listed.set(name, listed);
    if (left.length > 0)
      this.#warn(`Not all tools of the MCP server ${name} are offered. ${left.join("; ").slice(0, 1_000)}.`);
  }

  #whileListed(server: string, tool: Tool): Tool {
    const gone = `The MCP server ${server} does not offer ${tool.name} any more.`;
    return Object.freeze({
      ...tool,
      unavailable: () => tool.unavailable() ?? (this.#listed.get(server)?.has(tool.name) === true ? undefined : gone),
    });
  }

  #told({ name, state, reason }: McpServerStatus): void {
    this.#ports.log(`MCP server ${name}: ${state}${reason === undefined ? "" : ` (${reason})`}`);
    if (state === "ready") this.#down.delete(name);
    if (state === "restarting" && !this.#down.has(name)) {
      this.#down.add(name);
      this.#warn(`The MCP server ${name} is down: ${reason}. It is started again by itself.`);
    }
    if (state === "dead") this.#warn(`The MCP server ${name} is down and stays so until you restart it: ${reason}.`);
    this.#ports.onChange();
  }

  /** Each message once, until the person restarts a server. */
  #warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#ports.warn(message);
  }
}
