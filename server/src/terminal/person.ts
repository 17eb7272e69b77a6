/** The person at the terminal: questions, and what they answer. */
import { createInterface, type AsyncCompleter } from "node:readline";
import { given } from "../given.ts";

/** The person pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** What was typed until then. */
  readonly line: string;

  constructor(line: string) {
    super("interrupted");
    this.line = line;
  }
}

export interface LineOptions {
  /** The candidates for the end of a line, and the part of the line that they take the place of. Contract: never rejects. */
  readonly complete?: (line: string) => Promise<[string[], string]>;
  /** The lines before, newest first: the one that is answered joins them. */
  readonly history?: string[];
  /** Takes the question back: something happened that the person has to see first. */
  readonly signal?: AbortSignal;
}

const HISTORY_LINES = 1_000;

export class Person {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  /** What was typed at a question that was taken back: it stands at the next one. */
  #typed = "";

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#input = input;
    this.#output = output;
  }

  /** The answer without the spaces around it, or undefined after Ctrl-D. Ctrl-C throws `Interrupted`. */
  async ask(question: string): Promise<string | undefined> {
    return (await this.line(question))?.trim();
  }

  /** As `ask`, with all spaces. Rejects with the signal's reason when that takes the question back. */
  line(question: string, options: LineOptions = {}): Promise<string | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    const { complete, history, signal } = options;
    const lines = createInterface({
      input: this.#input,
      output: this.#output,
      ...given({ completer: complete && completerOf(complete) }),
      ...(history === undefined
        ? {}
        : { history: [...history], historySize: HISTORY_LINES, removeHistoryDuplicates: true }),
    });
    const takeBack = (): void => {
      this.#typed = lines.line;
      reject(signal?.reason);
      lines.close();
    };
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
    });
    lines.once("SIGINT", () => {
      reject(new Interrupted(lines.line));
      lines.close();
    });
    lines.once("close", () => {
      signal?.removeEventListener("abort", takeBack);
      resolve(undefined);
    });
    lines.setPrompt(question);
    lines.prompt();
    if (history !== undefined) {
      lines.write(this.#typed);
      this.#typed = "";
    }
    if (signal?.aborted === true) takeBack();
    else signal?.addEventListener("abort", takeBack, { once: true });
    return promise.then(
      (line) => {
        if (line === undefined) this.#output.write("\n");
        else if (history !== undefined && line.trim() !== "" && history[0] !== line) history.unshift(line);
        return line;
      },
      (error: unknown) => {
        this.#output.write("\n");
        throw error;
      },
    );
  }
}

function completerOf(complete: NonNullable<LineOptions["complete"]>): AsyncCompleter {
  const answer = async (line: string, done: Parameters<AsyncCompleter>[1]): Promise<void> => {
    done(null, await complete(line));
  };
  return (line, done) => void answer(line, done);
}
