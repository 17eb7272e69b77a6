/** What a dying process writes to its error output, cut down to the line that says why it died. */

/** How Go and Node begin that line; the stack that follows is of no use to a reader. */
const TELLING = /^(?:panic|fatal error|SIG[A-Z]+|\w*Error): \S/;
const MAX_LENGTH = 300;
const MAX_LINES = 3;

export class LastWords {
  #unfinished = "";
  #telling: string | undefined;
  #recent: readonly string[] = [];

  hear(text: string): void {
    const lines = (this.#unfinished + text).split("\n");
    this.#unfinished = (lines.pop() ?? "").slice(0, MAX_LENGTH);
    for (const line of lines) this.#note(line.trim());
  }

  /** The last line that says why, else the last lines, for the end of a sentence; empty when nothing was said. */
  text(): string {
    this.#note(this.#unfinished.trim());
    this.#unfinished = "";
    return (this.#telling ?? this.#recent.join(" ")).slice(0, MAX_LENGTH).replace(/\.$/, "");
  }

  #note(line: string): void {
    if (line === "") return;
    if (TELLING.test(line)) this.#telling = line;
    this.#recent = [...this.#recent, line].slice(-MAX_LINES);
  }
}
