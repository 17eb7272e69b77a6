/**
 * Synchronous questions from the image's main thread to the server, by way of the control worker: the module hooks need
 * an answer before they return. A stopped evaluation may leave an answer behind; the number of the answer shows this,
 * and it is dropped.
 */
import workerThreads, { type MessagePort } from "node:worker_threads";
import type { FromMain } from "../wire/from-main.ts";
import { CELL } from "../wire/shared-cells.ts";
import type { BridgeAnswer, BridgeNeed } from "../wire/wire.ts";

/** Taken before user code runs: a function that user code puts in place of one of these would get the port. */
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
