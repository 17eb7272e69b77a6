/** The part of the composition for MCP servers, read from disk only where the settings name one. */
import type { Sessions } from "../conversation/sessions.ts";
import type { ClientPort } from "../services.ts";
import type { ModelToolSchema } from "../model/model-port.ts";
import type { McpServerStatus } from "../protocol/status.ts";
import type { Settings } from "../settings/settings.ts";
import { plannedServers, secretsOf, type PlannedServers, type Variables } from "../tools/mcp/planned-server.ts";
import type { ToolRegistry } from "../tools/run/registry.ts";

/** Empty where the settings name no server. */
export interface ComposedMcp {
  /** The tools that a conversation is told of, once the servers have had time to start. Never rejects. */
  readonly offered?: (sessionId: string | undefined) => Promise<ModelToolSchema[]>;
  readonly mcpServers?: () => McpServerStatus[];
  readonly restartMcp?: (name: string) => Promise<McpServerStatus>;
  readonly endMcp?: () => Promise<void>;
}

export interface McpParts {
  readonly mcpPlans: PlannedServers;
  readonly version: string;
  readonly client: ClientPort;
  readonly sessions: Pick<Sessions, "turnOf">;
  readonly onChange: () => void;
}

/** What the settings say of servers, and what no text may hold because of them. */
export function plannedMcp(
  { version, variables }: { readonly version: string; readonly variables: Variables },
  { mcpServers }: Pick<Settings, "mcpServers">,
): Pick<McpParts, "mcpPlans" | "version"> & { readonly mcpSecrets: readonly string[] } {
  const plans = plannedServers(mcpServers, variables);
  return { mcpPlans: plans, version, mcpSecrets: secretsOf(plans) };
}

/** Starts the servers. */
export async function composeMcp(parts: McpParts, registry: ToolRegistry): Promise<ComposedMcp> {
  const { mcpPlans: plans, version, client, sessions, onChange } = parts;
  if (plans.size === 0) return {};
  const [{ McpServers }, { ConversationOffer }] = await Promise.all([
    import("../tools/mcp/mcp-servers.ts"),
    import("../tools/mcp/conversation-offer.ts"),
  ]);
  const servers = new McpServers(plans, {
    registry,
    version,
    warn: (message) => client.warn(message),
    log: (message) => client.log("info", message),
    progress: (title) => progressOf(client, title),
    onChange,
  });
  const offer = new ConversationOffer();
  return {
    offered: async (sessionId) => {
      await servers.ready();
      return offer.told(registry.toolsToSchema(), sessionId, sessions.turnOf(sessionId)?.id);
    },
    mcpServers: () => servers.statuses(),
    restartMcp: (name) => servers.restart(name),
    endMcp: () => servers.dispose(),
  };
}

/** Shown once the server says anything: most calls are over before. */
function progressOf(client: ClientPort, title: string): { report: (words: string) => void; end: () => void } {
  let shown: ReturnType<ClientPort["progress"]> | undefined;
  return {
    report: (words) => {
      shown ??= client.progress(title);
      shown.report(words);
    },
    end: () => shown?.end(),
  };
}
