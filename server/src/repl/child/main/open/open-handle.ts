/** Something that an evaluation opened and that goes on without it. */
export interface OpenHandle {
  /** `server`, `socket` and others. An entry without a kind is not reported. */
  readonly kind: string;
  /** Called when it is reported, because a server learns its port late. */
  readonly name: () => string;
  readonly end: () => void;
}

/** Remembers the handle for the evaluation whose code runs. Call the returned function when the handle is over. */
export type Hold = (handle: OpenHandle) => () => void;
