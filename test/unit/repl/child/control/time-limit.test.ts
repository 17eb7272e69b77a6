import { MessageChannel } from "node:worker_threads";
import { expect, it } from "vitest";
import { withTimeLimit } from "../../../../../server/src/repl/child/control/inspector/time-limit.ts";

/** As a machine does that gives this thread no time. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it("takes an answer that arrived while the thread stood still, also when its time was over then", async () => {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => port1.once("message", resolve));
  const limited = withTimeLimit(5, answer);
  port2.postMessage("in time");
  stall(30);
  expect(await limited).toBe("in time");
  port1.close();
});

it("answers undefined once the time is over and nothing came", async () => {
  expect(await withTimeLimit(5, new Promise(() => {}))).toBeUndefined();
});
