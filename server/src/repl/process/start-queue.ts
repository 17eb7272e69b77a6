/** The evaluations that wait for the process to start. Meanwhile their forms are prepared. */
import type { NumberedRequest, PreparedForm } from "./form-runner.ts";
import type { ImageSession } from "./image-session.ts";
import type { ImageStart } from "./image-start.ts";

export type Ready =
  | { readonly session: ImageSession; readonly form: PreparedForm }
  /** Nobody wants the form any more; the value is the reason where one was given. */
  | { readonly stopped: string | undefined }
  /** The value is the reason why there is no process. */
  | { readonly refused: string };

interface Waiting {
  readonly evalId: string;
  readonly stop: (why?: string) => void;
}

export class StartQueue {
  readonly #prepare: (session: ImageSession, request: NumberedRequest) => PreparedForm;
  readonly #waiting = new Map<number, Waiting>();

  constructor(prepare: (session: ImageSession, request: NumberedRequest) => PreparedForm) {
    this.#prepare = prepare;
  }

  isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Stops that evaluation, by default all; false when none was waiting. */
  stop(evalId?: string, why?: string): boolean {
    const targets = [...this.#waiting.values()].filter((each) => evalId === undefined || each.evalId === evalId);
    for (const target of targets) target.stop(why);
    return targets.length > 0;
  }

  /** Waits for the process as long as the form is wanted. */
  async ready(request: NumberedRequest, signal: AbortSignal, start: ImageStart): Promise<Ready> {
    const stopped = Promise.withResolvers<Ready>();
    const stop: Waiting["stop"] = (why) => {
      if (this.#waiting.delete(request.number)) stopped.resolve({ stopped: why });
    };
    const onAbort = (): void => stop();
    this.#waiting.set(request.number, { evalId: request.evalId, stop });
    signal.addEventListener("abort", onAbort, { once: true });
    const first = await Promise.race([stopped.promise, this.#opened(request, start)]);
    signal.removeEventListener("abort", onAbort);
    return first;
  }

  async #opened(request: NumberedRequest, { launched, opened }: ImageStart): Promise<Ready> {
    const early = await launched;
    const isWanted = typeof early === "object" && this.#waiting.has(request.number);
    const form = isWanted ? this.#prepare(early, request) : undefined;
    const session = await opened;
    if (this.#waiting.delete(request.number) && form !== undefined && typeof session === "object") {
      return { session, form };
    }
    form?.drop();
    return typeof session === "string" ? { refused: session } : { stopped: undefined };
  }
}
