/** A server for each folder that an ACP client works in: all conversations of a folder share the compiler and the REPL. */
import { isAbsolute } from "node:path";
import { RequestError, type McpServer, type ToolKind } from "@agentclientprotocol/sdk";
import { startAgentq, type AgentqClient, type ServerStart } from "../../client/agentq-client.ts";
import { toolKindOf } from "./updates.ts";
import { isFolder } from "../../workspace/file-names.ts";

export interface Workspace {
  readonly folder: string;
  readonly client: AgentqClient;
  readonly kindOf: (tool: string) => ToolKind;
}

export interface Place {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
}

const MAX_SERVERS = 8;

export class Workspaces {
  readonly #start: Omit<ServerStart, "folder" | "moreFolders" | "name">;
  readonly #open = new Map<string, Promise<Workspace>>();

  constructor(start: Omit<ServerStart, "folder" | "moreFolders" | "name">) {
    this.#start = start;
  }

  /** Rejects with a `RequestError` for a place where no server can work. */
  async at({ cwd, additionalDirectories = [], mcpServers = [] }: Place): Promise<Workspace> {
    const key = JSON.stringify([cwd, additionalDirectories, mcpServers]);
    const known = this.#open.get(key);
    if (known !== undefined) return await known;
    for (const folder of [cwd, ...additionalDirectories]) checkFolder(folder);
    if (this.#open.size >= MAX_SERVERS) {
      throw RequestError.invalidRequest(undefined, `${MAX_SERVERS} folders are open already: close a session first.`);
    }
    const { settings = {} } = this.#start;
    const { mcpServers: own = {} } = settings as { readonly mcpServers?: object };
    const opening = this.#begin({
      ...this.#start,
      folder: cwd,
      moreFolders: additionalDirectories,
      name: "agentq-acp",
      settings: { ...settings, mcpServers: { ...own, ...mcpSettings(mcpServers) } },
    });
    this.#open.set(key, opening);
    // A server that could not start, or has died, is started anew when it is asked for again.
    const forget = (): boolean => this.#open.get(key) === opening && this.#open.delete(key);
    opening.then(({ client }) => client.gone.then(forget), forget);
    return await opening;
  }

  /** The server is not needed any more. */
  async close(workspace: Workspace): Promise<void> {
    for (const [key, opening] of this.#open) {
      if ((await opening.catch(() => undefined)) !== workspace) continue;
      this.#open.delete(key);
      await workspace.client.dispose();
    }
  }

  async dispose(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map(async (opening) => (await opening.catch(() => undefined))?.client.dispose()));
  }

  async #begin(start: ServerStart): Promise<Workspace> {
    const client = await startAgentq(start);
    const kinds = new Map<string, ToolKind>();
    const learn = async (): Promise<void> => {
      const { items } = await client.request("agentq/listTools", {});
      for (const tool of items) kinds.set(tool.name, toolKindOf(tool));
    };
    // The tools are loaded by then, and the client is answered before.
    void learn().catch(() => undefined);
    return { folder: start.folder, client, kindOf: (tool) => kinds.get(tool) ?? "other" };
  }
}

function checkFolder(folder: string): void {
  if (!isAbsolute(folder)) throw RequestError.invalidParams({ cwd: folder }, `"${folder}" is no absolute path.`);
  if (!isFolder(folder)) {
    throw RequestError.invalidParams({ cwd: folder }, `There is no folder ${folder}.`);
  }
}

/** As in `initializationOptions`: each call of their tools asks the person, for nothing says that it is harmless. */
function mcpSettings(servers: readonly McpServer[]): Record<string, object> {
  return Object.fromEntries(
    servers.map((server) => {
      const { name } = server;
      if (!("type" in server)) {
        const { command, args, env } = server;
        return [name, { command, args, env: Object.fromEntries(env.map((each) => [each.name, each.value])) }];
      }
      if (server.type === "sse") {
        throw RequestError.invalidParams({ name }, `The MCP server ${name} speaks SSE, which was not announced.`);
      }
      const headers = Object.fromEntries(server.headers.map((each) => [each.name, each.value]));
      return [name, { url: server.url, headers }];
    }),
  );
}
