/** `agentq mcp` and the SDK's own client that speaks to it. */
import { pathToFileURL } from "node:url";
import { Client, type CallToolResult, type ElicitRequest, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { Door, type DoorOptions } from "./door.ts";
import type { Ground } from "./session-stage.ts";

export interface McpClientOptions extends DoorOptions {
  /** What the person answers; without it the client announces no elicitation. */
  readonly answer?: (params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult>;
  readonly roots?: readonly string[];
  /** Only the protocol of 2026, in place of the one of 2025. */
  readonly isModern?: boolean;
}

export class McpClient {
  readonly client: Client;
  readonly door: Door;
  /** What the person was asked. */
  readonly asked: ElicitRequest["params"][] = [];
  /** What the person answers now; only where the client announces elicitation at all. */
  answer: McpClientOptions["answer"];

  constructor(stage: Ground, options: McpClientOptions = {}) {
    const { answer, roots, isModern = false } = options;
    const capabilities = {
      ...(answer === undefined ? {} : { elicitation: {} }),
      ...(roots === undefined ? {} : { roots: {} }),
    };
    const mode = isModern ? { pin: "2026-07-28" } : "legacy";
    this.client = new Client({ name: "test", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
    this.answer = answer;
    if (answer !== undefined) {
      this.client.setRequestHandler("elicitation/create", ({ params }) => {
        this.asked.push(params);
        return this.answer?.(params) ?? { action: "cancel" };
      });
    }
    if (roots !== undefined) {
      const told = roots.map((folder) => ({ uri: pathToFileURL(folder).href }));
      this.client.setRequestHandler("roots/list", () => ({ roots: told }));
    }
    this.door = new Door("mcp", stage, options);
  }

  async connect(): Promise<void> {
    // What reads and writes lines at one end of two streams does so at the other end.
    await this.client.connect(new StdioServerTransport(this.door.stdout, this.door.stdin));
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.door.close();
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> {
    return answerOf(await this.client.callTool({ name, arguments: args }));
  }

  async read(uri: string): Promise<string> {
    const { contents } = await this.client.readResource({ uri });
    const [first] = contents;
    return first !== undefined && "text" in first ? first.text : "";
  }
}

export function answerOf({ content, isError = false }: CallToolResult): { text: string; isError: boolean } {
  return { text: content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n"), isError };
}

/** One server of the door for all tests of a file or of a `describe`, on the ground of a stage that is called before. */
export function sharedMcp(stage: Ground, options: McpClientOptions = {}): { readonly mcp: McpClient } {
  const shared: { mcp: McpClient } = { mcp: undefined as never };
  beforeAll(async () => {
    shared.mcp = new McpClient(stage, options);
    await shared.mcp.connect();
  });
  beforeEach(() => {
    shared.mcp.asked.length = 0;
    shared.mcp.answer = options.answer;
  });
  afterAll(() => shared.mcp.close());
  return shared;
}
