/**
 * Reads the names of all files of a project that is not too large, and the syntax trees of most, while nobody asks
 * anything, so that a question about a symbol that nobody asked about before need not wait for them.
 */
import type { Snapshot } from "typescript/unstable/async";
import { isLibFile } from "./external-names.ts";
import { indexExternalFiles, indexOwnFiles } from "./indexed-names.ts";
import { statsOf } from "../../../workspace/file-names.ts";
import type { Session } from "../../session/session.ts";
import { View } from "../../view.ts";
import { giveWay } from "../../yielding.ts";

/** Questions often come in a row, and the names are not worth delaying the next one. */
const QUIET_MS = 250;
/** A few milliseconds of work, after which a question that came meanwhile goes first. */
const FILES_AT_ONCE = 8;
const STATS_AT_ONCE = 200;
/** The names of more packages' files are not worth their memory. */
const MAX_EXTERNAL_FILES = 10_000;
/**
 * Own text beyond which none of it is read ahead: a search then reads the files that may hold its pattern. Each
 * character of an outline or tree leaves some fifty bytes of garbage in the compiler, which takes as much again as it
 * holds before it collects any; a large project would double its memory for questions that may never come.
 */
const MAX_OWN_BYTES = 8_000_000;
/** Text whose trees are fetched ahead; they take about five bytes for a character. The compiler's client keeps them. */
const MAX_TREE_CHARACTERS = 10_000_000;

export class NameIndexer {
  readonly #session: () => Session | undefined;
  readonly #end = new AbortController();
  #asking = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The state of which all was read that is worth it. */
  #readOf: Snapshot | undefined;

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
    if (this.#readOf === view.state.snapshot) return;
    const external = view.externalFiles().length <= MAX_EXTERNAL_FILES ? view.externalFiles() : [];
    const isSmall = await isAtMost(view.ownFiles(), MAX_OWN_BYTES);
    const files = isSmall ? [...view.ownFiles(), ...external] : external;
    const { names } = view.state.outlines;
    const missing = files.filter((file) => !names.has(file));
    if (!(await this.#eachFew(session, missing, indexNames))) return;
    let characters = 0;
    const readTrees = async (now: View, few: readonly string[]): Promise<void> => {
      if (characters > MAX_TREE_CHARACTERS) return;
      const read = few.filter((file) => !names.outermostOnly.has(file)).map((file) => now.source(file));
      for (const found of await Promise.all(read)) characters += found?.source.end ?? 0;
    };
    // The language's own files are few and very large, and a line about a global is taken from their text.
    const wanted = isSmall ? files.filter((file) => !isLibFile(file)) : [];
    if (await this.#eachFew(session, wanted, readTrees)) this.#readOf = view.state.snapshot;
  }

  /** False when a question came in between: that question brings the state up to date and starts this work again. */
  async #eachFew(
    session: Session,
    files: readonly string[],
    read: (view: View, few: readonly string[]) => Promise<void>,
  ): Promise<boolean> {
    for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
      if (this.#isInTheWay(session)) return false;
      await session.gate.enter(
        () => false,
        () => Promise.resolve(),
      );
      try {
        await read(new View(session.state(), this.#end.signal), files.slice(at, at + FILES_AT_ONCE));
      } finally {
        session.gate.leave();
      }
      await giveWay();
    }
    return true;
  }

  #isInTheWay(session: Session): boolean {
    return this.#asking > 0 || this.#end.signal.aborted || session.isStale();
  }
}

/** Whether the files have no more bytes in all. */
async function isAtMost(files: readonly string[], limit: number): Promise<boolean> {
  let bytes = 0;
  for (let at = 0; at < files.length && bytes <= limit; at += STATS_AT_ONCE) {
    for (const file of files.slice(at, at + STATS_AT_ONCE)) bytes += statsOf(file)?.size ?? 0;
    await giveWay();
  }
  return bytes <= limit;
}

async function indexNames(view: View, files: readonly string[]): Promise<void> {
  const own = files.filter((file) => view.paths.isOwn(file));
  await indexOwnFiles(view, own);
  await indexExternalFiles(
    view,
    files.filter((file) => !own.includes(file)),
  );
}
