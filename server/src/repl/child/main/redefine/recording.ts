/**
 * What a trace or a log point keeps: the latest records, by number. A recording ends after so many records, or when its
 * time is over, and its records can be read until the recording is removed.
 */
import { captured } from "../../shared/captured.ts";

export interface RecordingLimits {
  /** So many records, and the recording ends. */
  readonly count?: number;
  /** So many seconds, and the recording ends. */
  readonly seconds?: number;
}

/** One call, or one time at a log point. */
export interface Kept {
  /** Lets go of what the record holds of the program, and keeps the text of it. */
  readonly settle?: () => void;
  readonly line: () => string;
  readonly detail: () => string;
}

const MAX_KEPT = 60;
const clock = captured.now;

export class Recording {
  readonly address: string;
  /** Why the recording has ended. */
  over: string | undefined;
  /** Records of calls that have not ended. */
  open = 0;
  readonly #kept: (Kept & { readonly number: number })[] = [];
  readonly #wanted: number | undefined;
  readonly #until: number;
  readonly #onOver: () => void;
  #numbers = 0;

  constructor(address: string, { count, seconds }: RecordingLimits, onOver: () => void) {
    this.address = address;
    this.#wanted = count;
    this.#until = seconds === undefined ? Infinity : clock() + seconds * 1000;
    this.#onOver = onOver;
  }

  /** Whether there is nothing to wait for. */
  get isComplete(): boolean {
    return this.open === 0 && (this.over !== undefined || (this.#wanted === undefined && this.#numbers > 0));
  }

  /** How much was recorded, kept or not. */
  get size(): number {
    return this.#numbers;
  }

  keep(kept: Kept): void {
    this.#kept[this.#kept.length] = { ...kept, number: ++this.#numbers };
    if (this.#kept.length > MAX_KEPT) {
      for (let index = 1; index < this.#kept.length; index++) {
        this.#kept[index - 1] = this.#kept[index] as Kept & { readonly number: number };
      }
      this.#kept.length--;
    }
    if (this.#numbers === this.#wanted) this.end(`ended after ${this.#numbers}`);
  }

  settle(): void {
    for (let index = 0; index < this.#kept.length; index++) this.#kept[index]?.settle?.();
  }

  /** Ends the recording when its time is over. */
  checkTime(): void {
    if (clock() > this.#until) this.end("ended: its time is over");
  }

  end(why: string): void {
    if (this.over !== undefined) return;
    this.over = why;
    this.#onOver();
  }

  /** The record of that number at length; undefined when it is not kept. */
  detail(number: number): string | undefined {
    for (let index = 0; index < this.#kept.length; index++) {
      if (this.#kept[index]?.number === number) return this.#kept[index]?.detail();
    }
    return undefined;
  }

  /** A line for each record. */
  lines(): string {
    let text = "";
    for (let index = 0; index < this.#kept.length; index++) {
      const { number, line } = this.#kept[index] as Kept & { readonly number: number };
      text += `\n  #${number} ${line()}`;
    }
    return text;
  }
}
