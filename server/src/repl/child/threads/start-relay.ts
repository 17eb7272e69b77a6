/**
 * Starts the thread that passes a forked process's questions on to the image, before the project's threads are hooked.
 */
import workerThreads from "node:worker_threads";

const { Worker } = workerThreads;
const LIMIT_MS = 5000;

/** Returns once the thread listens. */
export function startRelay(program: string, socket: string): void {
  const ready = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  new Worker(new URL(program), { workerData: { socket, ready }, execArgv: [] }).unref();
  Atomics.wait(ready, 0, 0, LIMIT_MS);
}
