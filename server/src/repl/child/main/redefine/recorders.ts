/** All traces and log points: read, waited for and ended together. */
import { captured, shieldedSet } from "../../shared/captured.ts";
import type { Recording } from "./recording.ts";

export interface Recorder {
  readonly recording: Recording;
  /** Whether calls are still recorded. */
  readonly isActive: () => boolean;
  readonly summary: () => string;
  readonly remove: () => void;
}

export interface RecordingReports {
  /** Prints what is recorded, with the latest records. */
  readonly traces: () => void;
  /** Prints one record at length; throws a sentence. */
  readonly traced: (address: string, number: number) => void;
  /** Waits until the recording of that address, by default one of all, is complete, at most `ms` milliseconds. */
  readonly recorded: (ms: number, address?: string) => Promise<void>;
}

const NOTHING = "Nothing is traced.";

export class Recorders {
  readonly #all = shieldedSet<Recorder>();
  readonly #waiting = shieldedSet<{ readonly address: string | undefined; readonly wake: () => void }>();

  add(recorder: Recorder): void {
    this.#all.add(recorder);
  }

  forget(recorder: Recorder): void {
    this.#all.delete(recorder);
  }

  find(address: string): Recorder | undefined {
    let found: Recorder | undefined;
    this.#all.forEach((each) => {
      if (each.recording.address === address) found = each;
    });
    return found;
  }

  /** Ends one, or all, and says what they have counted. */
  remove(address: string | undefined): string {
    let text = "";
    this.#all.forEach((each) => {
      if (address !== undefined && each.recording.address !== address) return;
      text += `${text === "" ? "" : "\n"}${each.summary()} No longer traced.`;
      each.remove();
    });
    if (text !== "") return text;
    return address === undefined ? NOTHING : `${address} is not traced.`;
  }

  report(): string {
    let text = "";
    this.#all.forEach((each) => {
      each.recording.checkTime();
      text += `${text === "" ? "" : "\n\n"}${each.summary()}${each.recording.lines()}`;
    });
    return text === "" ? NOTHING : text;
  }

  detail(address: string, number: number): string {
    const { recording } = this.find(address) ?? {};
    if (recording === undefined) throw new captured.Error(`${address} is not traced.`);
    const detail = recording.detail(number);
    if (detail === undefined) throw new captured.Error(`${address} has no record ${number}: the latest 60 are kept.`);
    return `#${number} ${address}${detail}`;
  }

  /** Something was recorded. */
  news(): void {
    this.#waiting.forEach(({ address, wake }) => this.#isComplete(address) && wake());
  }

  async wait(ms: number, address: string | undefined): Promise<void> {
    const isThere = address === undefined ? this.#all.size > 0 : this.find(address) !== undefined;
    if (!isThere || this.#isComplete(address)) return;
    await new captured.Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(waiting);
        captured.clearTimeout(timer);
        resolve();
      };
      const waiting = { address, wake };
      const timer = captured.setTimeout(wake, ms);
      // A program that has nothing else to do ends.
      timer.unref();
      this.#waiting.add(waiting);
    });
  }

  #isComplete(address: string | undefined): boolean {
    let isComplete = false;
    this.#all.forEach(({ recording }) => {
      isComplete ||= recording.isComplete && (address === undefined || recording.address === address);
    });
    return isComplete;
  }
}

export function recordingReports(recorders: Recorders, write: (text: string) => void): RecordingReports {
  return {
    traces: () => write(recorders.report()),
    traced: (address, number) => write(recorders.detail(address, number)),
    recorded: (ms, address) => recorders.wait(ms, address),
  };
}
