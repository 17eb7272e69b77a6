/** Ends the process of a test run in which something goes on for ever that no test waits for. */
import { tell } from "./tell-events.ts";

/** How long a process may go on, in milliseconds, when no test is left that runs. */
const LATE_MS = 5_000;

// A test may replace them.
const [later, forget] = [setTimeout, clearTimeout];
const resourcesLeft = (): string[] => process.getActiveResourcesInfo();
const exit = process.exit.bind(process);

export class LateEnd {
  readonly #file: string;
  #timer: NodeJS.Timeout | undefined;

  /** The file that the process runs; "" where it runs several. */
  constructor(file: string) {
    this.#file = file;
  }

  /** No test is left. */
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
