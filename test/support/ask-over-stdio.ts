/** A tool call over the wire, as text with the notes it came with. */
import type { ServerClient } from "./server-client.ts";

export async function askOverStdio(
  client: ServerClient,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const result = await client.request("agentq/callTool", { name, arguments: args });
  const { complete, notes = [] } = result.metadata;
  return [result.content || result.error, `complete: ${String(complete)}`, ...notes].join("\n");
}
