/**
 * Synchronous questions from the image's main thread to the server, by way of the control worker: the module hooks
 * need their answer before they return. A stopped evaluation may leave an answer behind; it is dropped by its number.
 */
import workerThreads, { type MessagePort } from "node:worker_threads";
import type { Ended } from "../wire/stopped-reports.ts";
import { CELL } from "../wire/shared-cells.ts";
import type { BridgeAnswer, BridgeNeed, FromImage } from "../wire/wire.ts";

/** What the main thread posts to the control worker. Heap queries and ways into a scope are answered there. */
export type FromMain =
  | Extract<FromImage, { t: "out" | "dropped" | "event" | "need" }>
  /** Hand over the output so far: the process may end now. */
  | { readonly t: "flush" }
  /** What that evaluation had open, and has no more since it is interrupted. */
  | ({ readonly t: "ended"; readonly id: number } & Ended)
  /** That evaluation opened something that may outlast it. */
  | { readonly t: "opened"; readonly id: number }
  | { readonly t: "query"; readonly question: number }
  | { readonly t: "enter"; readonly question: number; readonly url: string };

/** As they are before user code runs: a function that takes their place would be handed the port. */
const { receiveMessageOnPort } = workerThreads;
const { load, wait } = Atomics;

export interface Bridge {
  readonly ask: (need: BridgeNeed) => BridgeAnswer;
  readonly post: (message: FromMain) => void;
  readonly cells: Int32Array;
}

export function createBridge(port: MessagePort, cells: Int32Array): Bridge {
  const post = port.postMessage.bind(port) as (message: FromMain) => void;
  let requests = 0;
  return {
    post,
    cells,
    ask: (need) => {
      const request = ++requests;
      post({ t: "need", request, need });
      for (;;) {
        const heard = load(cells, CELL.bell);
        for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
          const reply = got.message as { request: number; answer: BridgeAnswer };
          if (reply.request === request) return reply.answer;
        }
        wait(cells, CELL.bell, heard);
      }
    },
  };
}
