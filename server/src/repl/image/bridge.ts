/**
 * Synchronous questions from the image's main thread to the server, by way of the control worker: the module hooks
 * need their answer before they return. A stopped evaluation may leave an answer behind; it is dropped by its number.
 */
import { receiveMessageOnPort, type MessagePort } from "node:worker_threads";
import type { BridgeAnswer, BridgeNeed, FromImage } from "./wire.ts";

/** What the main thread posts to the control worker. */
export type FromMain = Extract<FromImage, { t: "out" | "dropped" | "event" | "need" }>;

export interface Bridge {
  readonly ask: (need: BridgeNeed) => BridgeAnswer;
  readonly post: (message: FromMain) => void;
}

export function createBridge(port: MessagePort, bell: Int32Array): Bridge {
  const post = port.postMessage.bind(port) as (message: FromMain) => void;
  let requests = 0;
  return {
    post,
    ask: (need) => {
      const request = ++requests;
      post({ t: "need", request, need });
      for (;;) {
        const heard = Atomics.load(bell, 0);
        for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
          const reply = got.message as { request: number; answer: BridgeAnswer };
          if (reply.request === request) return reply.answer;
        }
        Atomics.wait(bell, 0, heard);
      }
    },
  };
}
