/** A program of the person's below `agentq run`, and requests to it over HTTP. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bareEnvironment, type ServerClient } from "./server-client.ts";

const agentq = fileURLToPath(new URL("../../bin/agentq.js", import.meta.url));

/** A small shop whose server prints its port. `served` and the lines of the cart are its state. */
export const shop: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "shop", "type": "module" }\n',
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "noEmit": true, "allowImportingTsExtensions": true, "types": ["node"] } }\n',
  "src/cart.ts": `export interface Line { readonly price: number; readonly count: number }
const rate: number = 0.2;
export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, { price, count }) => sum + price * count, 0) * (1 + rate);
}
export class Cart {
  #lines: Line[] = [];
  add(line: Line): this { this.#lines.push(line); return this; }
  total(): number { return total(this.#lines); }
}
`,
  "src/server.ts": `import { createServer } from "node:http";
import { Cart } from "./cart.ts";
let served: number = 0;
const cart = new Cart();
export const server = createServer((request, response) => {
  served += 1;
  cart.add({ price: 10, count: 1 });
  if (request.url === "/throw") throw new Error("on purpose");
  response.end(JSON.stringify({ served, total: cart.total() }));
});
server.listen(0, () => console.log("port " + (server.address() as { port: number }).port));
`,
};

export interface ProgramPlace {
  readonly folder: string;
  /** Where programs and servers find each other: a folder that is the person's alone. */
  readonly runtime: string;
  /** The command runs by itself, and not below `agentq run`. */
  readonly isPlain?: true;
  /** Variables beside those that a program needs to run. */
  readonly env?: Readonly<Record<string, string>>;
}

export class RunningProgram {
  readonly #child: ChildProcess;
  readonly port: Promise<number>;
  readonly ended: Promise<number | null>;
  output = "";

  constructor({ folder, runtime, env, isPlain }: ProgramPlace, command: readonly string[], name = "api") {
    const run = isPlain === true ? [] : [process.execPath, agentq, "run", "--name", name, "--"];
    const [program = "", ...words] = [...run, ...command];
    this.#child = spawn(program, words, {
      cwd: folder,
      env: bareEnvironment({ ...env, XDG_RUNTIME_DIR: runtime }),
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    promise.catch(() => undefined);
    this.port = promise;
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        const [, port] = /^port (\d+)$/m.exec(this.output) ?? [];
        if (port !== undefined) resolve(Number(port));
      });
    }
    this.ended = once(this.#child, "close").then(([code]) => {
      reject(new Error(`the program has ended: ${this.output}`));
      return code as number | null;
    });
  }

  /** The process that was started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The ports that the program's processes have printed, one after the other. */
  ports(): number[] {
    return Array.from(this.output.matchAll(/^port (\d+)$/gm), ([, port]) => Number(port));
  }

  /** Asks the process that has started last. */
  async get(path = "/"): Promise<unknown> {
    const first = await this.port;
    const response = await fetch(`http://127.0.0.1:${this.ports().at(-1) ?? first}${path}`);
    return response.json();
  }

  /** Types a line. */
  send(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Ends the command and all that it has started. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null)
      process.kill(-(this.#child.pid ?? 0), "SIGKILL");
    await this.ended;
  }
}

/** Answers the question that is asked next, or that was asked as the one `after` others. */
export async function answerNext(
  client: ServerClient,
  decision: "approved" | "denied" = "approved",
  after = 0,
): Promise<string> {
  const asked = await client.waitFor(
    () => client.received.flatMap((note) => (note.method === "agentq/approval" ? [note.params] : []))[after],
  );
  await client.request("agentq/answerApproval", { approvalId: asked.approvalId, decision });
  return `${asked.question} ${asked.why}`;
}

/** What the tool answers when the person agrees. */
export async function agreedTool(
  client: ServerClient,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const from = client.received.length;
  const running = client.request("agentq/callTool", { name, arguments: args });
  const asked = await Promise.race([
    running.then(() => undefined),
    client.waitFor(() =>
      client.received
        .slice(from)
        .flatMap((note) => (note.method === "agentq/approval" ? [note.params] : []))
        .at(-1),
    ),
  ]);
  if (asked !== undefined) {
    await client.request("agentq/answerApproval", { approvalId: asked.approvalId, decision: "approved" });
  }
  const { content, error } = await running;
  return error ?? content;
}
