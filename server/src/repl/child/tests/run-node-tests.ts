/**
 * Runs one test file for node:test in the main thread of an image, and writes what happens as it happens, a line of JSON for
 * each event: an endless loop in a test ends its process, because node:test uses async hooks, under which Node cannot be
 * interrupted. node:test ends a run in its own process when Node has nothing left to do, which an image always has: here
 * the run ends once the file is loaded and every test is complete.
 *
 * Node loads this file as it is, and this file alone: it imports nothing but Node's own modules.
 */
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { finished } from "node:stream/promises";
import { run, type TestsStream } from "node:test";
import { inspect } from "node:util";
import type { TestFailure, TestPlace } from "../../testing/test-run.ts";
import type { TestEvent } from "./test-events.ts";

export interface NodeTestRequest {
  readonly file: string;
  /** A regular expression over full test names. */
  readonly name?: string;
  /** Folders whose code is the image's own. */
  readonly own: readonly string[];
  /** The file of events, by its path from the folder for temporary files. */
  readonly events: string;
}

/** What the events of node:test have in common, as far as it is used here. */
export interface TestData {
  /** The path of the file, for a file without tests of its own. */
  readonly name: string;
  readonly nesting: number;
  /** From Node 24 on. */
  readonly testId?: number | undefined;
  readonly parentId?: number | undefined;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details?: { readonly error?: NodeTestError; readonly duration_ms?: number; readonly type?: string };
}

interface NodeTestError extends Error {
  readonly failureType?: string;
}

/** How long an error may come after the tests, in milliseconds: some tests leave something running for ever. */
const LATE_MS = 1000;
const MAX_CAUSES = 5;
const FRAME = /(?:\(|at )(?:file:\/\/)?(\/[^()\n?]+?)(?:\?[^()\n:]*)?:(\d+):(\d+)\)?$/gm;
const AFTER_THE_END =
  /^\w+: (?:Test "([^]*)" at (.+):(\d+):(\d+)|A resource) generated asynchronous activity after the test ended\. This activity created the error "(?:(\w+): )?([^]*)" (?:and would have|which triggered)/;

// A test may replace them.
const [soon, later] = [setImmediate, setTimeout];
const resourcesLeft = (): string[] => process.getActiveResourcesInfo();

/** Resolves when Node says that the run is over. */
export async function runNodeTests(request: NodeTestRequest): Promise<void> {
  const telling = new TestTelling(request);
  const stream = run({
    files: [request.file],
    isolation: "none",
    ...(request.name === undefined ? {} : { testNamePatterns: [new RegExp(request.name)] }),
  });
  const end = new RunEnd();
  stream.on("test:enqueue", ({ nesting }) => end.opened(nesting));
  stream.on("test:complete", ({ nesting }) => end.closed(nesting));
  import(request.file).then(
    () => end.loaded(),
    () => end.loaded(),
  );
  telling.follow(stream);
  await finished(stream.resume());
}

/** Ends the run: Node itself would wait until nothing is left to do, as an error may come when its test has ended. */
class RunEnd {
  /** What the image always has open, without requests and immediates of this moment. */
  readonly #idle = resourcesLeft().filter((kind) => !/^Immediate$|req/i.test(kind)).length;
  /** Tests of the outermost level that have not ended. */
  #open = 0;
  #isLoaded = false;

  opened(nesting: number): void {
    if (nesting === 0) this.#open++;
  }

  closed(nesting: number): void {
    if (nesting !== 0) return;
    this.#open--;
    if (this.#open === 0) soon(() => void this.#end());
  }

  loaded(): void {
    this.#isLoaded = true;
    soon(() => void this.#end());
  }

  async #end(): Promise<void> {
    const since = performance.now();
    while (this.#isOver() && resourcesLeft().length > this.#idle && performance.now() - since < LATE_MS) {
      await new Promise((next) => later(next, 5).unref());
    }
    if (this.#isOver()) process.emit("beforeExit", 0);
  }

  #isOver(): boolean {
    return this.#isLoaded && this.#open === 0;
  }
}

export class TestTelling {
  readonly #request: NodeTestRequest;
  /** The titles of the test that began last, from the outermost suite inwards. */
  #begun: readonly string[] = [];
  /** By the ids of tests. */
  readonly #titles = new Map<number | undefined, readonly string[]>();
  /**
   * The titles of the test that is told last: tests that run at once end in another order than node:test tells their
   * ends.
   */
  #told: readonly string[] = [];
  /** What has tests inside that are told. */
  readonly #filled = new Set<string>();

  constructor(request: NodeTestRequest) {
    this.#request = request;
  }

  /** Listeners hear of an event at once; what is read from the stream comes later, and after an endless loop never. */
  follow(stream: TestsStream): void {
    stream.on("test:diagnostic", ({ message }) => this.#diagnostic(message));
    stream.on("test:dequeue", (data) => this.#begins(data));
    stream.on("test:start", (data) => this.#starts(data));
    stream.on("test:pass", (data) => this.#ends(data, true));
    stream.on("test:fail", (data) => this.#ends(data, false));
  }

  /** A test runs from here on; node:test says "start" only when it tells the end, too. */
  #begins(data: TestData): void {
    if (data.name === this.#request.file) return;
    const around = this.#titles.get(data.parentId) ?? this.#begun.slice(0, data.nesting);
    this.#begun = [...around, data.name];
    if (data.testId !== undefined) this.#titles.set(data.testId, this.#begun);
    this.#tell({ begins: { file: data.file ?? "", titles: this.#begun, ...placeOf(data) } });
  }

  /** What follows in the same depth or deeper tells of this test. */
  #starts(data: TestData): void {
    this.#told = [...this.#told.slice(0, data.nesting), data.name];
  }

  #ends(data: TestData, hasPassed: boolean): void {
    // Without tests of its own a file is reported as one test by its path.
    if (hasPassed && data.name === this.#request.file) return;
    const { error, duration_ms: durationMs, type } = data.details ?? {};
    const file = data.file ?? "";
    const titles = [...this.#told.slice(0, data.nesting), data.name];
    this.#filled.add(JSON.stringify([file, ...titles.slice(0, -1)]));
    const isSet = (mark: unknown): boolean => mark !== undefined && mark !== false;
    // A suite's tests have the outcomes; one that is left out tells none.
    const isMarked = (isSet(data.skip) || isSet(data.todo)) && !this.#filled.has(JSON.stringify([file, ...titles]));
    if (type === "suite" && !isMarked && (hasPassed || error?.failureType === "subtestsFailed")) {
      this.#tell({ passesOver: { file, titles } });
      return;
    }
    this.#tell({
      ends: {
        file,
        titles,
        state: isSet(data.skip) ? "skipped" : isSet(data.todo) ? "todo" : hasPassed ? "passed" : "failed",
        ...(durationMs === undefined ? {} : { durationMs }),
        ...placeOf(data),
        failures: error === undefined ? [] : [this.#outcomeOf(error)],
      },
    });
  }

  /** What went wrong after the end of its test, which node:test says in a sentence alone. */
  #diagnostic(message: string): void {
    const [all, name, path, line, column, error = "Thrown", text = ""] = AFTER_THE_END.exec(message) ?? [];
    if (all === undefined) return;
    const file = path === undefined ? this.#request.file : resolve(path);
    const place = path === undefined ? {} : { place: { file, line: Number(line), column: Number(column) } };
    const titles = name === undefined ? ["(after the tests)"] : [name, "(after it had ended)"];
    this.#tell({ ends: { file, titles, state: "failed", ...place, failures: [{ name: error, message: text }] } });
  }

  /** A test that failed without an error of its own, by a subtest or at its time limit, is reported in Node's words. */
  #outcomeOf({ failureType = "", cause, message }: NodeTestError): TestFailure {
    const isOfTheTest = ["testCodeFailure", "hookFailed"].includes(failureType) || cause instanceof Error;
    const words: unknown = cause ?? message;
    return isOfTheTest ? this.#failureOf(cause) : { name: "Error", message: String(words) };
  }

  #failureOf(thrown: unknown, depth = 0): TestFailure {
    if (!(thrown instanceof Error)) {
      return { name: "Thrown", message: typeof thrown === "string" ? thrown : inspect(thrown) };
    }
    const { cause, errors = [] } = thrown as Error & { readonly errors?: readonly unknown[] };
    const causes = depth < MAX_CAUSES ? [...(cause === undefined ? [] : [cause]), ...errors] : [];
    const place = this.#placeIn(thrown.stack);
    return {
      name: thrown.name,
      message: thrown.message,
      ...(place === undefined ? {} : { place }),
      ...(causes.length === 0 ? {} : { causes: causes.map((each) => this.#failureOf(each, depth + 1)) }),
    };
  }

  /** The innermost frame of the project's own. */
  #placeIn(stack: string | undefined): TestPlace | undefined {
    for (const [, file = "", line, column] of (stack ?? "").matchAll(FRAME)) {
      const isOwn = this.#request.own.some((folder) => file.startsWith(folder));
      if (isOwn || file.includes("/node_modules/")) continue;
      return { file: decodeURI(file), line: Number(line), column: Number(column) };
    }
    return undefined;
  }

  #tell(event: TestEvent): void {
    appendFileSync(resolve(tmpdir(), this.#request.events), `${JSON.stringify(event)}\n`);
  }
}

function placeOf({ file, line, column }: TestData): { readonly place?: TestPlace } {
  return file === undefined ? {} : { place: { file, line: line ?? 0, column: column ?? 0 } };
}
