/** The image as the server holds it: it starts at the first evaluation, and a new process replaces a dead one. */
import type { ReplStatus } from "../../protocol/repl-shapes.ts";
import type { Evaluated, Image, ImageOptions } from "../image.ts";
import type { NumberedRequest } from "./form-runner.ts";
import type { ImageSession } from "./image-session.ts";
import { ImageStart } from "./image-start.ts";
import { ImageState } from "./image-state.ts";
import { notStarted, SessionImage, unavailable } from "./session-image.ts";
import type { SpareProcess } from "./spare-process.ts";

export type * from "../image.ts";

const CLOSED = "The REPL is closed.";
const NOT_RUNNING = "The REPL does not run: there is no value to see.";

/** A walled process is taken from `spare` where one stands ready there. */
export function createImage(options: ImageOptions, spare?: SpareProcess): Image {
  return new ImageProcess(options, spare);
}

class ImageProcess extends SessionImage {
  readonly #options: ImageOptions;
  readonly #spare: SpareProcess | undefined;
  readonly #state: ImageState;
  /** The start that is under way, with the evaluations that wait for the process. */
  #start: ImageStart | undefined;
  #isDisposed = false;

  constructor(options: ImageOptions, spare: SpareProcess | undefined) {
    super("image", options.log);
    this.#options = options;
    this.#spare = spare;
    this.#state = new ImageState(options, () => this.session?.pid);
  }

  override async interrupt(evalId?: string): Promise<boolean> {
    const wasWaiting = this.#start?.stop(evalId);
    const isStopped = await super.interrupt(evalId);
    return wasWaiting === true || isStopped;
  }

  async restart(): Promise<ReplStatus> {
    this.#state.enter("restarting");
    await this.#stopProcess("the REPL was restarted");
    await this.alive();
    return this.status();
  }

  status(): ReplStatus {
    return this.#state.status();
  }

  async nodeVersion(): Promise<string | undefined> {
    return (await this.#state.findNode()) || undefined;
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#stopProcess("the REPL was closed");
  }

  protected looked(): Promise<ImageSession | string> {
    return Promise.resolve(this.session ?? NOT_RUNNING);
  }

  protected async alive(): Promise<ImageSession | string> {
    if (this.#isDisposed) return CLOSED;
    return this.session ?? this.#starting().opened;
  }

  protected async run(request: NumberedRequest, signal: AbortSignal): Promise<Evaluated> {
    if (signal.aborted) return notStarted(request);
    if (this.#isDisposed) return unavailable(request, CLOSED);
    const session = this.session;
    if (session !== undefined) return this.runIn(session, this.prepare(session, request), request, signal);
    const ready = await this.#starting().ready(request, signal);
    if ("stopped" in ready) return notStarted(request, ready.stopped);
    if ("refused" in ready) return unavailable(request, ready.refused);
    return this.runIn(ready.session, ready.form, request, signal);
  }

  protected enter(state: ReplStatus["state"]): void {
    this.#state.enter(state);
  }

  /** The start that is under way, or a new one. */
  #starting(): ImageStart {
    this.#start ??= this.#begin();
    return this.#start;
  }

  #begin(): ImageStart {
    if (!this.#state.isRestarting()) this.#state.enter("starting");
    const fresh = new ImageStart(this.#options, {
      state: this.#state,
      onBackgroundError: (error) => this.errors.add(error),
      prepare: (session, form) => this.prepare(session, form),
      spare: this.#spare,
    });
    void fresh.opened.then((opened) => this.#opened(fresh, opened));
    return fresh;
  }

  #opened(start: ImageStart, opened: ImageSession | string): void {
    if (this.#start !== start) return;
    this.#start = undefined;
    if (typeof opened === "string") return this.#state.enter("dead", opened);
    this.session = opened;
    void opened.gone.then((why) => this.#ended(opened, why));
    if (!start.isAwaited()) this.#state.enter("idle");
  }

  #ended(gone: ImageSession, why: string): void {
    this.#options.log(`image ${gone.pid ?? ""}: ${why}`);
    if (this.session !== gone) return;
    this.session = undefined;
    this.lost.lose("end", gone.declared());
    this.#state.enter("dead", `The REPL's process is gone: ${why}.`);
  }

  async #stopProcess(why: string): Promise<void> {
    const [session, start] = [this.session, this.#start];
    if (session !== undefined) this.lost.lose("restart", session.declared());
    this.session = undefined;
    this.#start = undefined;
    session?.kill(why);
    await Promise.all([session?.gone, start?.giveUp(why)]);
  }
}
