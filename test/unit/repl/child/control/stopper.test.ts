import { EventEmitter } from "node:events";
import type { Session } from "node:inspector";
import { expect, it } from "vitest";
import type { Post } from "../../../../../server/src/repl/child/control/inspector/inspector-post.ts";
import { CELL } from "../../../../../server/src/repl/child/wire/shared-cells.ts";
import { AwaitedPrograms } from "../../../../../server/src/repl/child/control/stop/awaited-programs.ts";
import { createStopper } from "../../../../../server/src/repl/child/control/stop/stopper.ts";

/** A main thread in an endless loop, whose first question after a stop takes the termination upon itself, as seen of V8. */
function busyMain(answerOfTheHit: { error: Error | null; result: unknown }): {
  readonly session: Session;
  readonly post: Post;
  readonly ends: () => number;
} {
  const session = new EventEmitter();
  let isBusy = true;
  let ended = 0;
  const answers: Record<string, (params: never) => unknown> = {
    "Debugger.enable": () => ({ error: null, result: {} }),
    "Debugger.disable": () => ({ error: null, result: {} }),
    "Debugger.pause": () => {
      setImmediate(() => session.emit("Debugger.paused", { params: { callFrames: [] } }));
      return { error: null, result: {} };
    },
    "Debugger.resume": ({ terminateOnResume }: { terminateOnResume: boolean }) => {
      if (terminateOnResume) ended++;
      return { error: null, result: {} };
    },
    "Runtime.evaluate": ({ expression }: { expression: string }) => {
      if (!expression.includes("tick")) return { error: null, result: { result: { type: "number", value: 7 } } };
      if (ended === 1 && isBusy) {
        isBusy = false;
        return answerOfTheHit;
      }
      // In the loop nothing turns.
      return ended < 2 ? new Promise(() => {}) : { error: null, result: { result: { type: "undefined" } } };
    },
  };
  const post = (async (method: string, params: object = {}) => answers[method]?.(params as never)) as unknown as Post;
  return { session: session as unknown as Session, post, ends: () => ended };
}

it.each([
  ["an error of the inspector", { error: new Error("Inspector error -32603: Internal error"), result: undefined }],
  [
    "the termination itself",
    { error: null, result: { result: { type: "undefined" }, exceptionDetails: { text: "" } } },
  ],
  ["a lost promise", { error: new Error("Inspector error -32000: Promise was collected"), result: undefined }],
])("goes on stopping code when its question was ended instead, as %s", async (_what, answer) => {
  const main = busyMain(answer);
  const cells = new Int32Array(new SharedArrayBuffer(4 * Object.keys(CELL).length));
  const programs = new AwaitedPrograms();
  const stop = createStopper({ session: main.session, post: main.post, cells, programs, isRunning: (id) => id === 7 });
  expect(await stop(7, true)).toMatchObject({ how: "terminated" });
  expect(main.ends()).toBe(2);
});
