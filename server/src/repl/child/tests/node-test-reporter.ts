/** A reporter for node:test, in the process of one test file. It reports each event at once. */
import { Transform } from "node:stream";
import type { TestsStream } from "node:test";
import { fileURLToPath } from "node:url";
import { TestTelling } from "./run-node-tests.ts";
import { EVENTS_VARIABLE } from "./events-variable.ts";
import { LateEnd } from "./late-end.ts";

export class NodeTestReporter extends Transform {
  constructor() {
    super({ writableObjectMode: true, transform: (_chunk, _encoding, done) => done() });
    // Data of the stream comes late, and after an endless loop never; listeners get each event at once.
    this.on("pipe", (stream: TestsStream) => listen(stream));
  }
}

function listen(stream: TestsStream): void {
  const file = process.argv[1] ?? "";
  const own = [fileURLToPath(new URL("..", import.meta.url))];
  const telling = new TestTelling({ file, own, events: process.env[EVENTS_VARIABLE] ?? "" });
  const end = new LateEnd(file);
  let open = 0;
  stream.on("test:enqueue", ({ nesting }) => {
    if (nesting === 0) open++;
    end.cancel();
  });
  stream.on("test:complete", ({ nesting }) => {
    if (nesting === 0) open--;
    if (open === 0) end.begin();
  });
  telling.follow(stream);
}
