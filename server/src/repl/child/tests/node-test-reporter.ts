/** A reporter for node:test, in the process of one test file: says what happens as it happens. */
import { Transform } from "node:stream";
import type { TestsStream } from "node:test";
import { fileURLToPath } from "node:url";
import { TestTelling } from "./run-node-tests.ts";
import { EVENTS_VARIABLE } from "./events-variable.ts";
import { tell } from "./tell-events.ts";

/** How long a process may go on, in milliseconds, when no test is left that runs. */
const LATE_MS = 5_000;

// A test may replace them.
const [later, forget] = [setTimeout, clearTimeout];
const resourcesLeft = (): string[] => process.getActiveResourcesInfo();
const exit = process.exit.bind(process);

export class NodeTestReporter extends Transform {
  constructor() {
    super({ writableObjectMode: true, transform: (_chunk, _encoding, done) => done() });
    // What is read from the stream comes late, and after an endless loop never; listeners hear of an event at once.
    this.on("pipe", (stream: TestsStream) => listen(stream));
  }
}

function listen(stream: TestsStream): void {
  const file = process.argv[1] ?? "";
  const own = [fileURLToPath(new URL("..", import.meta.url))];
  const telling = new TestTelling({ file, own, events: process.env[EVENTS_VARIABLE] ?? "" });
  const end = new LateEnd(file);
  stream.on("test:enqueue", ({ nesting }) => end.opened(nesting));
  stream.on("test:complete", ({ nesting }) => end.closed(nesting));
  telling.follow(stream);
}

/** Ends a process in which something goes on for ever that no test waits for. */
class LateEnd {
  readonly #file: string;
  #open = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  opened(nesting: number): void {
    if (nesting === 0) this.#open++;
    forget(this.#timer);
  }

  closed(nesting: number): void {
    if (nesting === 0) this.#open--;
    if (this.#open === 0) this.#timer = later(() => this.#end(), LATE_MS).unref();
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
