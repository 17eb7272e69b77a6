/** Waiting that ends when the one who waits gives up. */

/**
 * The work's outcome, or the signal's reason once it aborts; what the work still does goes unheard. `graceMs` is how long
 * work that listens to the signal itself may still say how it ended.
 */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal, graceMs = 0): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
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

/** Resolves once the signal aborts, which may be never. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Resolves after the time; rejects with the signal's reason once the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds === 0) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  return untilAborted(promise, signal).finally(() => clearTimeout(timer));
}
