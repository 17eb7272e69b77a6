/** Ends the process of a test run in which something runs for ever that no test waits for. */
import { tell } from "./tell-events.ts";

/** How long the process may go on after its last test, in milliseconds. */
const LATE_MS = 5_000;

// Kept here, because a test may replace these functions.
const [later, forget] = [setTimeout, clearTimeout];
const resourcesLeft = (): string[] => process.getActiveResourcesInfo();
const exit = process.exit.bind(process);

export class LateEnd {
  readonly #file: string;
  #timer: NodeJS.Timeout | undefined;

  /** The file that the process runs; "" when it runs several files. */
  constructor(file: string) {
    this.#file = file;
  }

  /** The last test has ended. */
  begin(): void {
    this.#timer = later(() => this.#end(), LATE_MS).unref();
  }

  cancel(): void {
    forget(this.#timer);
  }

  #end(): void {
    const kinds = [...new Set(resourcesLeft())].join(", ");
    const seconds = LATE_MS / 1000;
    tell({
      file: this.#file,
      problem: `no test ran any more, and it did not end within ${seconds} s (open: ${kinds})`,
    });
    exit();
  }
}
