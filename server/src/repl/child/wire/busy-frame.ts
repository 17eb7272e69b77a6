/** A frame of a busy main thread. Positions are those of the generated code, 0-based. */
export interface BusyFrame {
  readonly function: string;
  readonly url: string;
  readonly line: number;
  readonly column: number;
  /** The function's variables as names and short texts. Only the first frame of the project's code has them. */
  readonly locals?: readonly (readonly [string, string])[];
}
