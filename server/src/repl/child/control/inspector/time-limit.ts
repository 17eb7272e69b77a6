/**
 * The promise's value, or undefined when the promise takes longer than `ms` milliseconds. An answer that has arrived in
 * time is used even when this thread reads it late: on a stalled machine the timer runs out before the answer is read.
 */
export async function withTimeLimit<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    // In one turn of the event loop, timers come before messages, and immediates come after them.
    timer = setTimeout(() => setImmediate(() => resolve(undefined)), ms);
  });
  const result = await Promise.race([promise, late]);
  clearTimeout(timer);
  return result;
}
