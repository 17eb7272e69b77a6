/** A bare Node with its inspector open: the floor under every REPL that evaluates by the inspector's protocol. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

interface Reply {
  readonly id?: number;
  readonly result?: { readonly result: { readonly value?: unknown } };
}

const START_LIMIT_MS = 20_000;
const IDLE = "setInterval(() => {}, 2 ** 31 - 1)";

export class InspectedNode {
  readonly #child: ChildProcessByStdio<null, null, Readable>;
  readonly #open: Promise<WebSocket>;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #requests = 0;

  constructor(cwd: string) {
    this.#child = spawn(process.execPath, ["--inspect=127.0.0.1:0", "-e", IDLE], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#open = this.#connect();
  }

  async ready(): Promise<void> {
    await this.#open;
  }

  /** The value of an expression that has one of a primitive type. */
  async evaluate(expression: string): Promise<unknown> {
    const socket = await this.#open;
    const id = ++this.#requests;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, resolve);
    const params = { expression, replMode: true, awaitPromise: true, returnByValue: true };
    socket.send(JSON.stringify({ id, method: "Runtime.evaluate", params }));
    return (await promise).result?.result.value;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  async #connect(): Promise<WebSocket> {
    const socket = new WebSocket(await this.#address());
    socket.addEventListener("message", ({ data }) => {
      const reply = JSON.parse(String(data)) as Reply;
      if (reply.id === undefined) return;
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
    await once(socket, "open", { signal: AbortSignal.timeout(START_LIMIT_MS) });
    return socket;
  }

  async #address(): Promise<string> {
    let text = "";
    for await (const chunk of this.#child.stderr.iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      const address = /ws:\/\/\S+/.exec(text)?.[0];
      if (address === undefined) continue;
      this.#child.stderr.resume();
      return address;
    }
    throw new Error(`node --inspect told no address: ${text}`);
  }
}
