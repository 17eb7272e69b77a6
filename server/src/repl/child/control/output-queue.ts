/** Joins the output of the main thread into fewer frames for the server. */
import type { FromImage } from "../wire/wire.ts";

type Output = Extract<FromImage, { t: "out" }>;

const DELAY_MS = 16;

export class OutputQueue {
  readonly #send: (frame: Output) => void;
  #waiting: Output[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (frame: Output) => void) {
    this.#send = send;
  }

  add(output: Output): void {
    const last = this.#waiting.at(-1);
    if (last?.id === output.id && last.stream === output.stream) {
      this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + output.text };
    } else this.#waiting.push(output);
    if (this.#timer !== undefined) return;
    // The first text is sent at once: the process may end before the timer runs out.
    this.flush();
    this.#timer = setTimeout(() => this.flush(), DELAY_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const frames = this.#waiting;
    this.#waiting = [];
    for (const frame of frames) this.#send(frame);
  }
}
