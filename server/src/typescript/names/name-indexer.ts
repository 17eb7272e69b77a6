/** Reads the names of all files while nobody asks anything, so that a search by name need not wait for them. */
import { indexExternalFiles, indexOwnFiles } from "./indexed-names.ts";
import type { Session } from "../session.ts";
import { View } from "../view.ts";
import { giveWay } from "../yielding.ts";

/** Questions often come in a row, and the names are not worth delaying the next one. */
const QUIET_MS = 250;
/** A few milliseconds of work, after which a question that came meanwhile goes first. */
const FILES_AT_ONCE = 8;
/** The names of more files are not worth their memory; a search then reads what its pattern may be in. */
const MAX_FILES = 10_000;

export class NameIndexer {
  readonly #session: () => Session | undefined;
  readonly #end = new AbortController();
  #asking = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(session: () => Session | undefined) {
    this.#session = session;
  }

  /** Runs a question, and goes on with the names a while after the last one was answered. */
  async around<Result>(ask: () => Promise<Result>): Promise<Result> {
    this.#asking += 1;
    clearTimeout(this.#timer);
    try {
      return await ask();
    } finally {
      this.#asking -= 1;
      if (this.#asking === 0 && !this.#end.signal.aborted) {
        // What could not be read now is read by the search that needs it, which can also say why it fails.
        this.#timer = setTimeout(() => void this.#goOn().catch(() => undefined), QUIET_MS).unref();
      }
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#end.abort();
  }

  async #goOn(): Promise<void> {
    const session = this.#session();
    if (session === undefined || this.#isInTheWay(session)) return;
    const view = new View(session.state(), this.#end.signal);
    const files = [...view.ownFiles(), ...view.externalFiles()];
    if (files.length > MAX_FILES) return;
    const missing = files.filter((file) => !view.state.outlines.names.has(file));
    for (let at = 0; at < missing.length; at += FILES_AT_ONCE) {
      // The next question brings the state up to date and starts this again.
      if (this.#isInTheWay(session)) return;
      await this.#read(session, missing.slice(at, at + FILES_AT_ONCE));
      await giveWay();
    }
  }

  async #read(session: Session, files: readonly string[]): Promise<void> {
    await session.gate.enter(
      () => false,
      () => Promise.resolve(),
    );
    try {
      const view = new View(session.state(), this.#end.signal);
      const own = files.filter((file) => view.paths.isOwn(file));
      await indexOwnFiles(view, own);
      await indexExternalFiles(
        view,
        files.filter((file) => !own.includes(file)),
      );
    } finally {
      session.gate.leave();
    }
  }

  #isInTheWay(session: Session): boolean {
    return this.#asking > 0 || this.#end.signal.aborted || session.isStale();
  }
}
