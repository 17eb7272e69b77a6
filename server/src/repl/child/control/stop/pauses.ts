/** Pauses a busy main thread briefly, to find whose code it runs and to decide whether that code may continue. */
import type { Debugger, Session } from "node:inspector";
import type { Post } from "../inspector/inspector-post.ts";
import { withTimeLimit } from "../inspector/time-limit.ts";
import { PausedMain } from "./paused-main.ts";

/** Listing the scripts of a large project takes tens of milliseconds, and the machine may have much else to do. */
const PATIENCE_MS = { enable: 1500, pause: 400 };
const IMPATIENCE_MS = { enable: 300, pause: 120 };
/** In a loop that goes round the next statement comes at once. */
const STEP_MS = 50;
type PausedEvent = { readonly params: Debugger.PausedEventDataType };
type ParsedEvent = { readonly params: Debugger.ScriptParsedEventDataType };
type Frames = readonly Debugger.CallFrame[];

/** Contract: at most one call of `pause` is under way. `end` must be called once the main thread runs freely. */
export class Pauses {
  readonly #session: Session;
  readonly #post: Post;
  // A frame of evaluated code does not name its script; the list of scripts that `enable` sends names it.
  readonly #urls = new Map<string, string>();
  #hand: ((frames: Frames) => void) | undefined;
  #isEnabled = false;
  #isListening = false;

  constructor(session: Session, post: Post) {
    this.#session = session;
    this.#post = post;
  }

  /**
   * `idle`: the main thread runs nothing just now. `silent`: it answers nothing, as in native code; a thread that is known
   * to answer is waited for longer.
   */
  async pause(isAnswering: boolean): Promise<PausedMain | "idle" | "silent"> {
    const limits = isAnswering ? PATIENCE_MS : IMPATIENCE_MS;
    if (!(await this.#enable(limits.enable))) {
      this.end();
      return "silent";
    }
    const paused = this.#nextPause();
    void this.#post("Debugger.pause");
    const frames = await withTimeLimit(limits.pause, paused);
    if (frames !== undefined) {
      const urlOf = (frame: Debugger.CallFrame): string => this.#urls.get(frame.location.scriptId) ?? frame.url;
      return new PausedMain({ post: this.#post, frames, urlOf, step: () => this.#step() });
    }
    // An idle main thread runs nothing that could pause; it runs this. Code in this pause must not be ended: in a busy
    // thread that would end this expression and nothing else.
    void this.#post("Runtime.evaluate", { expression: "0", silent: true });
    if ((await withTimeLimit(limits.pause, paused)) !== undefined) {
      void this.#post("Debugger.resume");
      return "idle";
    }
    this.#hand = undefined;
    // A pause that is still wanted would hit whatever runs next: ending the debugger takes the wish back.
    this.end();
    return "silent";
  }

  /** Ends the debugger's part. */
  end(): void {
    if (!this.#isEnabled) return;
    this.#isEnabled = false;
    // Not awaited: a main thread in native code answers only when it comes back.
    void this.#post("Debugger.disable").then(() => {
      if (this.#isEnabled) return;
      this.#session.off("Debugger.scriptParsed", this.#onParsed).off("Debugger.paused", this.#onPaused);
      this.#isListening = false;
    });
  }

  async #enable(limitMs: number): Promise<boolean> {
    if (this.#isEnabled) return true;
    this.#isEnabled = true;
    if (!this.#isListening) {
      this.#session.on("Debugger.scriptParsed", this.#onParsed).on("Debugger.paused", this.#onPaused);
    }
    this.#isListening = true;
    return (await withTimeLimit(limitMs, this.#post("Debugger.enable"))) !== undefined;
  }

  readonly #onParsed = ({ params }: ParsedEvent): void => void this.#urls.set(params.scriptId, params.url);

  readonly #onPaused = ({ params }: PausedEvent): void => {
    // A pause that comes late, when nobody waits for it any more, must not hold anything up.
    if (this.#hand === undefined) void this.#post("Debugger.resume");
    else this.#hand(params.callFrames);
    this.#hand = undefined;
  };

  #nextPause(): Promise<Frames> {
    const { promise, resolve } = Promise.withResolvers<Frames>();
    this.#hand = resolve;
    return promise;
  }

  /** Undefined when the main thread did not pause again: nothing more is wanted of it then. */
  async #step(): Promise<Frames | undefined> {
    const paused = this.#nextPause();
    void this.#post("Debugger.stepOver");
    const reached = await withTimeLimit(STEP_MS, paused);
    if (reached !== undefined) return reached;
    void this.#post("Debugger.pause");
    const late = await withTimeLimit(PATIENCE_MS.pause, paused);
    if (late !== undefined) return late;
    this.#hand = undefined;
    this.end();
    return undefined;
  }
}
