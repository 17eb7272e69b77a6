/** A frame of a busy main thread, in generated positions (0-based). */
export interface BusyFrame {
  readonly function: string;
  readonly url: string;
  readonly line: number;
  readonly column: number;
  /** Names and short texts of the function's variables, for the first frame that is the project's. */
  readonly locals?: readonly (readonly [string, string])[];
}
