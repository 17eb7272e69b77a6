/**
 * The promise's value, or undefined when the promise takes longer than that. An answer that has arrived is taken,
 * however late this thread looks: on a stalled machine the timer is over before the answer is read.
 */
export async function withTimeLimit<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    // Timers come before messages in a turn of the event loop, and immediates after them.
    timer = setTimeout(() => setImmediate(() => resolve(undefined)), ms);
  });
  const result = await Promise.race([promise, late]);
  clearTimeout(timer);
  return result;
}
