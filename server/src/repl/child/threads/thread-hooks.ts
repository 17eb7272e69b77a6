/**
 * The program that each thread of the project runs first. From then on the thread's modules come from the server, as in
 * the main thread, but they run their source. Only the main thread has the scopes of modules.
 */
import { createRequire, isBuiltin, registerHooks } from "node:module";
import { BroadcastChannel, receiveMessageOnPort, threadId, type MessagePort } from "node:worker_threads";
import { KERNEL_NAME } from "../wire/kernel-name.ts";
import { THREAD_CHANNEL, type ThreadAnswer, type ThreadNeed, type ThreadQuestion } from "../wire/thread-questions.ts";
import type { BridgeAnswer } from "../wire/wire.ts";
import { hookThreads } from "./hook-threads.ts";

const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const channel = new BroadcastChannel(THREAD_CHANNEL);
/** A channel can be read like a port, which its types do not say. */
const port = channel as unknown as MessagePort;
const bell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const { load, wait } = Atomics;
let questions = 0;

hookThreads(new URL(`./thread-hooks${extension}`, import.meta.url).href);
process.setSourceMapsEnabled(true);
// The transpiler turns `import a = require("a")` in an ES module into a call of `requireOf`.
Object.defineProperty(globalThis, KERNEL_NAME, { value: Object.freeze({ requireOf: createRequire }) });
// The channel does not keep the thread running.
channel.unref();
registerHooks({
  resolve: (specifier, context, next) => {
    const { parentURL: parent = specifier, conditions } = context;
    const isAsked = isOfProject(parent) && !isBuiltin(specifier) && !specifier.startsWith("data:");
    const answer = isAsked ? ask({ op: "threadResolve", specifier, parent, conditions: [...conditions] }) : {};
    return answer.url === undefined ? next(specifier, context) : { url: answer.url, shortCircuit: true };
  },
  load: (url, context, next) => {
    const { source, format } = isOfProject(url) ? ask({ op: "threadLoad", url }) : {};
    if (source === undefined || format === undefined) return next(url, context);
    return { format, source, shortCircuit: true };
  },
});

function isOfProject(url: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/");
}

function ask(need: ThreadNeed): BridgeAnswer {
  const question: ThreadQuestion = { thread: threadId, number: ++questions, need, bell };
  channel.postMessage(question);
  for (;;) {
    const heard = load(bell, 0);
    for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
      const { thread, number, answer } = got.message as Partial<ThreadAnswer>;
      if (thread !== threadId || number !== questions || answer === undefined) continue;
      if (answer.error === undefined) return answer;
      throw Object.assign(new Error(answer.error.message), answer.error);
    }
    wait(bell, 0, heard);
  }
}
