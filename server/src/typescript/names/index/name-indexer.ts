/**
 * Reads the names of all files of a project that is not too large, and the syntax trees of most, while nobody asks
 * anything, so that a question about a symbol that nobody asked about before need not wait for them.
 */
import { setFlagsFromString } from "node:v8";
import type { SourceFile } from "typescript/unstable/ast";
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
 * character of an outline or tree leaves some fifty bytes of garbage in the compiler, which takes twice as much again as
 * it holds before it collects any; a large project would double its memory for questions that may never come.
 */
const MAX_OWN_BYTES = 8_000_000;
/** Text of which the compiler made an outline or tree, after which it is asked to collect that garbage. */
const COLLECTED_CHARACTERS = 600_000;
/** Text whose trees are fetched ahead; they take about five bytes for a character. The compiler's client keeps them. */
const MAX_TREE_CHARACTERS = 10_000_000;

export class NameIndexer {
  readonly #session: () => Session | undefined;
  readonly #end = new AbortController();
  #asking = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The state of which all was read that is worth it. */
  #readOf: Snapshot | undefined;
  /** Trees that were there before: those of files that did not change come from the client's memory. */
  readonly #trees = new WeakSet<SourceFile>();

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
        this.#timer = setTimeout(
          () => void inSmallNursery(() => this.#goOn()).catch(() => undefined),
          QUIET_MS,
        ).unref();
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
    const readTrees = async (now: View, few: readonly string[]): Promise<number> => {
      if (characters > MAX_TREE_CHARACTERS) return 0;
      const read = few.filter((file) => !names.outermostOnly.has(file)).map((file) => now.source(file));
      const trees = (await Promise.all(read)).flatMap((found) => found?.source ?? []);
      characters += sumOf(trees, ({ end }) => end);
      const made = trees.filter((tree) => !this.#trees.has(tree));
      for (const tree of made) this.#trees.add(tree);
      return sumOf(made, ({ end }) => end);
    };
    // The language's own files are few and very large, and a line about a global is taken from their text.
    const wanted = isSmall ? files.filter((file) => !isLibFile(file)) : [];
    if (await this.#eachFew(session, wanted, readTrees)) this.#readOf = view.state.snapshot;
  }

  /**
   * False when a question came in between: that question brings the state up to date and starts this work again. `read`
   * tells of how many characters the compiler made an outline or tree for it.
   */
  async #eachFew(
    session: Session,
    files: readonly string[],
    read: (view: View, few: readonly string[]) => Promise<number>,
  ): Promise<boolean> {
    let uncollected = 0;
    for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
      if (this.#isInTheWay(session)) return false;
      await session.gate.enter(
        () => false,
        () => Promise.resolve(),
      );
      try {
        uncollected += await read(new View(session.state(), this.#end.signal), files.slice(at, at + FILES_AT_ONCE));
      } finally {
        session.gate.leave();
      }
      if (uncollected > COLLECTED_CHARACTERS) {
        await session.native.collectGarbage().catch(() => undefined);
        uncollected = 0;
      }
      await giveWay();
    }
    return true;
  }

  #isInTheWay(session: Session): boolean {
    return this.#asking > 0 || this.#end.signal.aborted || session.isStale();
  }
}

/**
 * Nearly all that is read ahead is kept, which V8 takes for a reason to make room for ever more young objects: 128 MB in
 * Node 24, which it gives back only seconds later.
 */
async function inSmallNursery(work: () => Promise<void>): Promise<void> {
  setFlagsFromString("--semi-space-growth-factor=1");
  try {
    await work();
  } finally {
    setFlagsFromString("--semi-space-growth-factor=2");
  }
}

/** Whether the files have no more bytes in all. */
async function isAtMost(files: readonly string[], limit: number): Promise<boolean> {
  let bytes = 0;
  for (let at = 0; at < files.length && bytes <= limit; at += STATS_AT_ONCE) {
    bytes += sumOf(files.slice(at, at + STATS_AT_ONCE), bytesOf);
    await giveWay();
  }
  return bytes <= limit;
}

const bytesOf = (file: string): number => statsOf(file)?.size ?? 0;

function sumOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0);
}

async function indexNames(view: View, files: readonly string[]): Promise<number> {
  const own = files.filter((file) => view.paths.isOwn(file));
  await indexOwnFiles(view, own);
  await indexExternalFiles(
    view,
    files.filter((file) => !own.includes(file)),
  );
  // The names of packages are read from their texts, without the compiler.
  return sumOf(own, bytesOf);
}
