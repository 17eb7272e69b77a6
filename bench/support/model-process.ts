/** The process of `model-api.ts`, for the measure that tells it what to answer. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ApiMessage, ApiOrder, Asked, Plan } from "./model-api.ts";

const program = fileURLToPath(new URL("model-api.ts", import.meta.url));

export class ModelProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(): Promise<ModelProcess> {
    const child = fork(program, [], { env: { PATH: process.env["PATH"] ?? "" }, execArgv: [] });
    const [told] = (await once(child, "message")) as [Extract<ApiMessage, { kind: "listening" }>];
    return new ModelProcess(told.url, child);
  }

  /** Before the turn that it is about. */
  plan(plan: Plan): void {
    this.#order({ kind: "plan", plan });
  }

  /** The requests since the plan. */
  async asked(): Promise<readonly Asked[]> {
    return (await this.#told("asked")).asked;
  }

  /** Of the requests since the plan. */
  async bodies(): Promise<readonly string[]> {
    return (await this.#told("bodies")).bodies;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }

  async #told<Kind extends "asked" | "bodies">(kind: Kind): Promise<Extract<ApiMessage, { kind: Kind }>> {
    const told = once(this.#child, "message");
    this.#order({ kind });
    const [message] = (await told) as [Extract<ApiMessage, { kind: Kind }>];
    return message;
  }

  #order(order: ApiOrder): void {
    this.#child.send(order);
  }
}
