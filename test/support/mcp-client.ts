/** A real `agentq mcp` and the SDK's own client that speaks to it. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Client, type CallToolResult, type ElicitRequest, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bareEnvironment, serverProgram } from "./server-client.ts";
import type { SessionStage } from "./session-stage.ts";

export interface McpClientOptions {
  /** What the person answers; without it the client announces no elicitation. */
  readonly answer?: (params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult>;
  readonly settings?: object;
  readonly roots?: readonly string[];
  /** Only the protocol of 2026, in place of the one of 2025. */
  readonly isModern?: boolean;
  readonly cwd?: string;
}

export class McpClient {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  /** What the person was asked. */
  readonly asked: ElicitRequest["params"][] = [];
  stderr = "";

  constructor(stage: SessionStage, { answer, settings, roots, isModern = false, cwd }: McpClientOptions = {}) {
    const capabilities = {
      ...(answer === undefined ? {} : { elicitation: {} }),
      ...(roots === undefined ? {} : { roots: {} }),
    };
    const mode = isModern ? { pin: "2026-07-28" } : "legacy";
    this.client = new Client({ name: "test", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
    if (answer !== undefined) {
      this.client.setRequestHandler("elicitation/create", ({ params }) => {
        this.asked.push(params);
        return answer(params);
      });
    }
    if (roots !== undefined) {
      const told = roots.map((folder) => ({ uri: pathToFileURL(folder).href }));
      this.client.setRequestHandler("roots/list", () => ({ roots: told }));
    }
    const args = [serverProgram, "mcp"];
    if (settings !== undefined) args.push("--settings", writeSettings(stage, settings));
    const env = bareEnvironment(stage.environment());
    this.transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env,
      cwd: cwd ?? stage.folder,
      stderr: "pipe",
    });
    this.transport.stderr?.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
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

export function writeSettings(stage: SessionStage, settings: object): string {
  const file = path.join(path.dirname(stage.folder), "settings.json");
  writeFileSync(file, `// As an editor's initializationOptions.\n${JSON.stringify(settings)}`);
  return file;
}
