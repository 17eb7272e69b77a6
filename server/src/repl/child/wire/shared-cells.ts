/** Numbers that the main thread and the control worker share: each reads them while the other one is stuck. */

export const CELL = {
  /** Rung when an answer for the waiting main thread has arrived. */
  bell: 0,
  /** The newest evaluation that has begun. */
  begun: 1,
  /** The evaluation whose code began to run last, as far as the main thread noticed. */
  owner: 2,
  /** Counts how often the output so far was handed to the server on request. */
  flushed: 3,
  /** 0 when the watch on the memory sleeps: the main thread wakes it before it runs anything. */
  watched: 4,
  /** The evaluation that a question is about. */
  asked: 5,
} as const;

export function createCells(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(CELL).length));
}
