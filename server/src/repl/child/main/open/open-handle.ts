/** Something that an evaluation opened and that goes on by itself. */
export interface OpenHandle {
  /** `server`, `socket`, … An entry without a kind is not reported. */
  readonly kind: string;
  /** Read at report time, because a server learns its port late. */
  readonly name: () => string;
  readonly end: () => void;
}

/** Remembers the handle for the evaluation whose code runs; what it returns is to be called when the handle is over. */
export type Hold = (handle: OpenHandle) => () => void;
