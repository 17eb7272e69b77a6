/**
 * Numbers that the main thread and the control worker share: each thread can read them while the other one is blocked.
 */

export const CELL = {
  /** Changes when an answer for the waiting main thread has arrived. */
  bell: 0,
  /** The newest evaluation that has begun. */
  begun: 1,
  /** The evaluation whose code began to run last, as far as the main thread knows. */
  owner: 2,
  /** Counts how often the output was sent to the server on request. */
  flushed: 3,
  /** 0 while the memory watch sleeps: the main thread wakes the watch before it runs anything. */
  watched: 4,
  /** The evaluation that the present question is about. */
  asked: 5,
  /** 1 once the control worker has let go of the main thread. */
  left: 6,
} as const;

export function createCells(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(CELL).length));
}
