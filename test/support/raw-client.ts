/** A client of one of the server's doors that writes what it likes: what a client may do wrong, by mistake or on purpose. */
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { readProcess } from "./descendants.ts";
import { Door, type DoorOptions } from "./door.ts";
import type { Ground } from "./session-stage.ts";

export interface RawMessage<Result> {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result?: Result;
}

export class RawClient<Result> {
  readonly door: Door;
  /** What the server has said, requests and notifications among it. */
  readonly messages: RawMessage<Result>[] = [];

  constructor(door: "mcp" | "acp", stage: Ground, options: DoorOptions = {}) {
    this.door = new Door(door, stage, options);
  }

  listen(): this {
    createInterface(this.door.stdout).on("line", (line) => this.messages.push(JSON.parse(line) as RawMessage<Result>));
    return this;
  }

  /** A string goes out as it is, as a line of its own. */
  send(...messages: (object | string)[]): void {
    for (const message of messages) {
      const line = typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message });
      this.door.stdin.write(`${line}\n`);
    }
  }

  async answer(id: RawMessage<Result>["id"]): Promise<RawMessage<Result>> {
    const find = (): RawMessage<Result> | undefined =>
      this.messages.find((each) => each.id === id && each.method === undefined);
    await expect.poll(find, { timeout: 60_000 }).toBeDefined();
    return find() ?? {};
  }
}

/** A process that has ended and was not waited for is not alive. */
export const isAlive = (pid: number): boolean => /^State:\t[^Z]/m.test(readProcess(pid, "status") ?? "");
