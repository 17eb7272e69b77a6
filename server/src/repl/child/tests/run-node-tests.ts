/**
 * Runs one test file for node:test in the main thread of an image, and writes each event at once, as a line of JSON. An
 * endless loop in a test ends its process: node:test uses async hooks, under which Node cannot be interrupted. In its
 * own process, node:test ends a run when Node has nothing left to do. An image always has something to do, so here the
 * run ends when the file is loaded and every test is complete.
 *
 * Node loads this file as it is, and no other: the file imports only Node's own modules.
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
  /** Folders with the image's own code. */
  readonly own: readonly string[];
  /** The path of the file of events, relative to the folder for temporary files. */
  readonly events: string;
}

/** The fields of node:test's events that are used here. */
export interface TestData {
  /** For a file without tests of its own, the path of the file. */
  readonly name: string;
  readonly nesting: number;
  /** Present from Node 24 on. */
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

/** How long to wait for an error after the tests, in milliseconds: some tests leave something running for ever. */
const LATE_MS = 1000;
const MAX_CAUSES = 5;
const FRAME = /(?:\(|at )(?:file:\/\/)?(\/[^()\n?]+?)(?:\?[^()\n:]*)?:(\d+):(\d+)\)?$/gm;
const AFTER_THE_END =
  /^\w+: (?:Test "([^]*)" at (.+):(\d+):(\d+)|A resource) generated asynchronous activity after the test ended\. This activity created the error "(?:(\w+): )?([^]*)" (?:and would have|which triggered)/;

// Kept here, because a test may replace these functions.
const [soon, later] = [setImmediate, setTimeout];
const resourcesLeft = (): string[] => process.getActiveResourcesInfo();

/** Resolves when Node reports the end of the run. */
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

/**
 * Ends the run. Node itself would wait until nothing is left to do, because an error may come after its test has ended.
 */
class RunEnd {
  /** The resources that the image always has, without requests and immediates of this moment. */
  readonly #idle = resourcesLeft().filter((kind) => !/^Immediate$|req/i.test(kind)).length;
  /** The number of top-level tests that have not ended. */
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
  /** The titles by the ids of tests. */
  readonly #titles = new Map<number | undefined, readonly string[]>();
  /**
   * The titles of the test that is being reported: concurrent tests end in another order than node:test reports them.
   */
  #told: readonly string[] = [];
  /** The tests and suites that have reported tests inside. */
  readonly #filled = new Set<string>();

  constructor(request: NodeTestRequest) {
    this.#request = request;
  }

  /** Listeners get each event at once; data of the stream comes later, and after an endless loop never. */
  follow(stream: TestsStream): void {
    stream.on("test:diagnostic", ({ message }) => this.#diagnostic(message));
    stream.on("test:dequeue", (data) => this.#begins(data));
    stream.on("test:start", (data) => this.#starts(data));
    stream.on("test:pass", (data) => this.#ends(data, true));
    stream.on("test:fail", (data) => this.#ends(data, false));
  }

  /** The test runs from now on. The event "start" comes later, when node:test reports the end. */
  #begins(data: TestData): void {
    if (data.name === this.#request.file) return;
    const around = this.#titles.get(data.parentId) ?? this.#begun.slice(0, data.nesting);
    this.#begun = [...around, data.name];
    if (data.testId !== undefined) this.#titles.set(data.testId, this.#begun);
    this.#tell({ begins: { file: data.file ?? "", titles: this.#begun, ...placeOf(data) } });
  }

  /** The next events of this depth or deeper are about this test. */
  #starts(data: TestData): void {
    this.#told = [...this.#told.slice(0, data.nesting), data.name];
  }

  #ends(data: TestData, hasPassed: boolean): void {
    // A file without tests of its own is reported as one test, with its path as the name.
    if (hasPassed && data.name === this.#request.file) return;
    const { error, duration_ms: durationMs, type } = data.details ?? {};
    const file = data.file ?? "";
    const titles = [...this.#told.slice(0, data.nesting), data.name];
    this.#filled.add(JSON.stringify([file, ...titles.slice(0, -1)]));
    const isSet = (mark: unknown): boolean => mark !== undefined && mark !== false;
    // The tests of a suite have outcomes of their own; a suite that is left out has no tests that report one.
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

  /** An error that came after the end of its test, which node:test reports only as a sentence. */
  #diagnostic(message: string): void {
    const [all, name, path, line, column, error = "Thrown", text = ""] = AFTER_THE_END.exec(message) ?? [];
    if (all === undefined) return;
    const file = path === undefined ? this.#request.file : resolve(path);
    const place = path === undefined ? {} : { place: { file, line: Number(line), column: Number(column) } };
    const titles = name === undefined ? ["(after the tests)"] : [name, "(after it had ended)"];
    this.#tell({ ends: { file, titles, state: "failed", ...place, failures: [{ name: error, message: text }] } });
  }

  /**
   * The failure of a test. A test that failed without an error of its own, by a subtest or at its time limit, gets
   * Node's words.
   */
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

  /** The innermost frame of the project's own code. */
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
