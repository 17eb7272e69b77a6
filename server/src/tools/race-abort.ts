/** Waits for work that may not listen to its signal. */

/**
 * Rejects with the signal's reason once it aborts; what comes later is dropped. `graceMs` is how long work that does
 * listen may still say how it ended.
 */
export function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal, graceMs = 0): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  let timer: NodeJS.Timeout | undefined;
  const abort = (): void => {
    const stop = (): void => reject(signal.reason as Error);
    if (graceMs === 0) stop();
    else timer = setTimeout(stop, graceMs);
  };
  work.then(resolve, reject).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  });
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return promise;
}
