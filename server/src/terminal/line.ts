/** What a line that the person is asked for can be, and how the person can leave it. */

/** The person left a line: with Ctrl-C, or to write in their editor. */
export class LineLeft extends Error {
  override readonly name = "LineLeft";
  readonly by: "interrupt" | "editor";
  /** What was typed until then. */
  readonly text: string;

  constructor(by: LineLeft["by"], text: string) {
    super(by === "interrupt" ? "interrupted" : "the editor is wanted");
    this.by = by;
    this.text = text;
  }
}

export interface LineOptions {
  /** The candidates for the end of a line, and the part of the line that they take the place of. Contract: never rejects. */
  readonly complete?: (line: string) => Promise<[string[], string]>;
  /** The lines before, newest first: the one that is answered joins them. */
  readonly history?: string[];
  /** Takes the question back: something happened that the person has to see first. */
  readonly signal?: AbortSignal;
  /** A backslash at the end of a line puts a line's end there, and Ctrl-X Ctrl-E rejects with `LineLeft`. */
  readonly isText?: boolean;
}

/** What hears the keys while something runs and nothing is asked. */
export interface Listener {
  /** A line, or several that belong together. */
  readonly said: (text: string) => void;
  readonly interrupted: () => void;
}

/** What a question that was answered left over, such as a reason after an "n", is for the question that follows it. */
export interface QuestionOptions {
  readonly isFollowUp?: boolean;
}
