/** An MCP server as a child process: one JSON-RPC message per line on its standard input and output. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import type { ServerCommand } from "./lsp-client.ts";

const ANSWER_LIMIT_MS = 120_000;

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export class McpClient {
  readonly startedAt: number = performance.now();
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #nextId = 1;

  constructor({ command: [program, ...args], env }: ServerCommand, cwd: string) {
    this.#child = spawn(program, args, {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child.stderr.resume();
    this.#child.stdin.on("error", () => undefined);
    this.#child.once("exit", () => {
      for (const fail of this.#waiting.values()) fail({ error: { message: "the server ended" } });
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      if (!line.startsWith("{")) return;
      const reply = JSON.parse(line) as Reply;
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  sinceSpawn(): number {
    return performance.now() - this.startedAt;
  }

  async start(): Promise<void> {
    const clientInfo = { name: "bench", version: "1" };
    await this.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.#write({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** The text that the agent gets to read. */
  async callTool(name: string, args: object): Promise<string> {
    const result = await this.request<{ content: readonly { text?: string }[] }>("tools/call", {
      name,
      arguments: args,
    });
    return result.content.map(({ text }) => text ?? "").join("\n");
  }

  async request<Result>(method: string, params: object): Promise<Result> {
    const id = this.#nextId;
    this.#nextId += 1;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, resolve);
    const late = setTimeout(() => resolve({ error: { message: "no answer" } }), ANSWER_LIMIT_MS);
    this.#write({ jsonrpc: "2.0", id, method, params });
    const reply = await promise;
    clearTimeout(late);
    this.#waiting.delete(id);
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result as Result;
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 3_000);
    await gone;
    clearTimeout(timer);
  }

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}
