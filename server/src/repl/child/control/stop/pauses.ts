/** Pauses a busy main thread briefly, to find out whose code it runs and whether that code may continue. */
import type { Debugger, Session } from "node:inspector";
import type { Post } from "../inspector/inspector-post.ts";
import { withTimeLimit } from "../inspector/time-limit.ts";
import { PausedMain } from "./paused-main.ts";

/**
 * How long to wait for answers. The debugger takes tens of milliseconds to list the scripts of a large project, and the
 * machine may be busy.
 */
const PATIENCE_MS = { enable: 1500, pause: 400 };
const IMPATIENCE_MS = { enable: 300, pause: 120 };
/** Names the script of the expression that an idle main thread runs. */
const IDLE = "agentq:idle";
/** In a running loop, the next statement comes at once. */
const STEP_MS = 50;
type PausedEvent = { readonly params: Debugger.PausedEventDataType };
type ParsedEvent = { readonly params: Debugger.ScriptParsedEventDataType };
type Frames = readonly Debugger.CallFrame[];

/** Contract: at most one call of `pause` is pending. `end` must be called once the main thread may run freely. */
export class Pauses {
  readonly #session: Session;
  readonly #post: Post;
  // A frame of evaluated code does not name its script; the list of scripts from `enable` does.
  readonly #urls = new Map<string, string>();
  #hand: ((frames: Frames) => void) | undefined;
  #isEnabled = false;
  #isListening = false;

  constructor(session: Session, post: Post) {
    this.#session = session;
    this.#post = post;
  }

  /**
   * `idle`: the main thread runs nothing at the moment. `silent`: the main thread does not answer, as in native code. A
   * thread that is known to answer gets more time.
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
    if (frames !== undefined) return this.#pausedAt(frames);
    // An idle main thread runs nothing that could pause, so it runs this expression. A pause in this expression must
    // not be ended: in a busy thread that would end only the expression. The wait is long also for an impatient stop: a
    // pause ends code between two of Node's own steps, and the termination that follows silence in the middle of one.
    void this.#post("Runtime.evaluate", { expression: `0//# sourceURL=${IDLE}`, silent: true });
    const late = await withTimeLimit(PATIENCE_MS.pause, paused);
    if (late !== undefined && this.#urlOf(late[0]) !== IDLE) return this.#pausedAt(late);
    if (late !== undefined) {
      void this.#post("Debugger.resume");
      return "idle";
    }
    this.#hand = undefined;
    // A pause that is still pending would hit the code that runs next; disabling the debugger cancels it.
    this.end();
    return "silent";
  }

  #pausedAt(frames: Frames): PausedMain {
    return new PausedMain({
      post: this.#post,
      frames,
      urlOf: (frame) => this.#urlOf(frame),
      step: () => this.#step(),
    });
  }

  #urlOf(frame: Debugger.CallFrame | undefined): string {
    return frame === undefined ? "" : (this.#urls.get(frame.location.scriptId) ?? frame.url);
  }

  /** Disables the debugger. */
  end(): void {
    if (!this.#isEnabled) return;
    this.#isEnabled = false;
    // Not awaited: a main thread in native code answers only when that code returns.
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
    // Nobody waits for a pause that comes too late: the main thread goes on.
    if (this.#hand === undefined) void this.#post("Debugger.resume");
    else this.#hand(params.callFrames);
    this.#hand = undefined;
  };

  #nextPause(): Promise<Frames> {
    const { promise, resolve } = Promise.withResolvers<Frames>();
    this.#hand = resolve;
    return promise;
  }

  /** Undefined when the main thread did not pause again: then the step is cancelled. */
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
