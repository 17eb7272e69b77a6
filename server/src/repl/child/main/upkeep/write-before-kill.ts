/** A process that ends itself by a signal first waits until its output has reached the server. */
import type { Bridge } from "../bridge.ts";
import { CELL } from "../../wire/shared-cells.ts";
import { captured } from "../../shared/captured.ts";

const PATIENCE_MS = 200;
const { load, wait } = Atomics;
const { apply } = Reflect;

export function writeBeforeKill({ post, cells }: Pick<Bridge, "post" | "cells">): void {
  const { pid: own } = process;
  const original = process.kill as (...args: readonly unknown[]) => true;
  const kill = (...args: readonly unknown[]): true => {
    if (args[0] === own && args[1] !== 0) {
      const before = load(cells, CELL.flushed);
      post({ t: "flush" });
      wait(cells, CELL.flushed, before, PATIENCE_MS);
    }
    return apply(original, process, args);
  };
  captured.defineProperty(process, "kill", { value: kill, writable: true, configurable: true, enumerable: true });
}
