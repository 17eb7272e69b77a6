/** Testing many names against a regular expression that may backtrack for ever. */
import { createContext, Script } from "node:vm";
import { Worker } from "node:worker_threads";

/** What an ordinary expression needs for some ten thousand names; in this thread, where nothing else runs meanwhile. */
const HERE_MS = 25;
/** In a thread of its own, on a machine that has other things to do. */
const ELSEWHERE_MS = 3_000;

/** No name holds this character. */
const SEPARATOR = "\0";

/** The names travel in and the verdicts out in one string each, so nothing of this process is reachable from there. */
const SCRIPT = new Script(`names.split("\\0").map((name) => (expression.test(name) ? "1" : "0")).join("")`);

const WORKER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const expression = new RegExp(workerData.source, workerData.flags);
  parentPort.postMessage(workerData.names.map((name) => expression.test(name)));
`;

/** Undefined when it takes too long. The event loop is held up for a moment at most. */
export async function testAll(expression: RegExp, names: readonly string[]): Promise<readonly boolean[] | undefined> {
  if (names.length === 0) return [];
  const context = createContext({ names: names.join(SEPARATOR), expression });
  try {
    const verdicts = SCRIPT.runInContext(context, { timeout: HERE_MS }) as string;
    return Array.from(names, (_name, index) => verdicts[index] === "1");
  } catch {
    // Too slow, or this process had to wait for the processor: someone with more time will tell.
    return testElsewhere(expression, names);
  }
}

async function testElsewhere(
  { source, flags }: RegExp,
  names: readonly string[],
): Promise<readonly boolean[] | undefined> {
  const worker = new Worker(WORKER, { eval: true, workerData: { source, flags, names } });
  const { promise, resolve } = Promise.withResolvers<readonly boolean[] | undefined>();
  worker.once("message", resolve);
  worker.once("error", () => resolve(undefined));
  // The time begins when the thread runs.
  let timer: NodeJS.Timeout | undefined;
  worker.once("online", () => (timer = setTimeout(() => resolve(undefined), ELSEWHERE_MS)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    void worker.terminate();
  }
}
