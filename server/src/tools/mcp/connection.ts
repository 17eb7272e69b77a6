/** A connection to one MCP server, by the official SDK, which is read from disk for the first server that is named. */
import { Client, deserializeMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { boundedFetch } from "./bounded-fetch.ts";
import type { PlannedServer, Road } from "./planned-server.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** What a server says of a tool: anything may be missing or wrong. */
export interface ListedTool {
  readonly name?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
}

/** What a server answers to a call: anything may be missing or wrong. */
export interface CallAnswer {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

export interface CallOptions {
  /** Once it aborts the server is sent the notification that the call is cancelled. */
  readonly signal: AbortSignal;
  readonly onProgress: (words: string) => void;
}

/** Contract: each method rejects with an `Error` when the server refuses, breaks off or answers nonsense. */
export interface McpConnection {
  readonly tools: (signal: AbortSignal) => Promise<readonly ListedTool[]>;
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<CallAnswer>;
  readonly close: () => Promise<void>;
}

export interface ConnectionEvents {
  /** Called once, with the reason. */
  readonly onEnd: (why: string) => void;
  readonly onToolsChanged: () => void;
}

/** The executor and the start have clocks of their own. */
const NO_LIMIT_MS = 2_000_000_000;
const MAX_PAGES = 50;

interface ToolPage {
  readonly tools?: unknown;
  readonly nextCursor?: unknown;
}

/** A schema in the shape that the SDK takes. */
interface AnyJson<Answer> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: Answer };
    readonly types?: { readonly input: unknown; readonly output: Answer };
  };
}

/** Any JSON: a server with one wrong tool must not hide its other ones, so what is in an answer is looked at by us. */
function anyJson<Answer>(): AnyJson<Answer | null> {
  return { "~standard": { version: 1, vendor: "agentq", validate: (value) => ({ value: value as Answer | null }) } };
}

export async function connect(
  { road }: Pick<PlannedServer, "road">,
  { onEnd, onToolsChanged }: ConnectionEvents,
  { version, signal }: { readonly version: string; readonly signal: AbortSignal },
): Promise<McpConnection> {
  // The client offers no abilities of its own (sampling, elicitation, roots).
  const client = new Client({ name: "agentq", version });
  const transport = transportFor(road);
  const whyEnded = (): string => (transport instanceof StdioTransport ? transport.whyEnded() : "it hung up");
  const options = { signal, timeout: NO_LIMIT_MS };
  client.setNotificationHandler("notifications/tools/list_changed", () => onToolsChanged());
  try {
    await client.connect(transport, options);
  } catch (error) {
    // The SDK closes the connection to a server that answered with an error, which tells more than the end does.
    const why = transport instanceof StdioTransport && !transport.isStopped ? transport.whyEnded() : "";
    await client.close().catch(() => undefined);
    throw signal.aborted || why === "" ? error : new Error(why, { cause: error });
  }
  // The SDK has no events to listen to, only this place.
  Object.assign(client, { onclose: () => onEnd(whyEnded()) });
  return {
    tools: (until) => listed(client, until),
    call: async (name, args, { signal: until, onProgress }) => {
      const params = { name, arguments: args };
      const answer = await client.request({ method: "tools/call", params }, anyJson<CallAnswer>(), {
        signal: until,
        timeout: NO_LIMIT_MS,
        onprogress: ({ progress, total, message }) => onProgress(progressWords(progress, total, message)),
      });
      return answer ?? {};
    },
    close: () => client.close().catch(() => undefined),
  };
}

function transportFor(road: Road): StdioTransport | StreamableHTTPClientTransport {
  if (road.kind === "stdio") return new StdioTransport(road, deserializeMessage);
  return new StreamableHTTPClientTransport(new URL(road.url), {
    requestInit: { headers: { ...road.headers } },
    fetch: boundedFetch,
  });
}

async function listed(client: Client, signal: AbortSignal): Promise<ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const request = { method: "tools/list", params: cursor === undefined ? {} : { cursor } };
    const answer = await client.request(request, anyJson<ToolPage>(), { signal, timeout: NO_LIMIT_MS });
    if (Array.isArray(answer?.tools)) tools.push(...(answer.tools as ListedTool[]));
    if (typeof answer?.nextCursor !== "string" || answer.nextCursor === cursor) break;
    cursor = answer.nextCursor;
  }
  return tools;
}

function progressWords(progress: number, total: number | undefined, message: string | undefined): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? count : `${count}: ${message}`;
}
