/** The process of `bare-loop.ts`, for the measures that stand beside it. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BareOrder } from "./bare-loop.ts";

const program = fileURLToPath(new URL("bare-loop.ts", import.meta.url));

export class BareProcess {
  readonly #child: ChildProcess = fork(program, [], { env: { PATH: process.env["PATH"] ?? "" }, execArgv: [] });

  /** Resolves when the reply to the last body was read. */
  async run(order: BareOrder): Promise<void> {
    const done = once(this.#child, "message");
    this.#child.send(order);
    await done;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}
