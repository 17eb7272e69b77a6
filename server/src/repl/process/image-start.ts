/** One start of the image: the process, the evaluations that wait for it, and the end of all when the start is no longer wanted. */
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { whyNot } from "../confinement/level.ts";
import { planLaunch, type Place } from "../confinement/plan-launch.ts";
import { isWithin } from "../../workspace/within.ts";
import type { ImageOptions, LastError } from "../image.ts";
import type { NumberedRequest, PreparedForm } from "./form-runner.ts";
import { ImageChild } from "./image-child.ts";
import type { ImageSession } from "./image-session.ts";
import type { ImageState } from "./image-state.ts";
import type { SpareProcess, SpareStart } from "./spare-process.ts";
import { given } from "../../base/given.ts";
import { errorText } from "../../base/errors.ts";

export interface StartParts {
  /** Told of what the start finds out about the confinement. */
  readonly state: Pick<ImageState, "nodePath" | "findNode" | "level" | "found">;
  readonly onBackgroundError: (error: LastError) => void;
  readonly prepare: (session: ImageSession, request: NumberedRequest) => PreparedForm;
  readonly spare: Pick<SpareProcess, "take"> | undefined;
}

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

/** Contract: no promise rejects; a start that fails or is given up resolves with a sentence. */
export class ImageStart {
  /** Resolves with the session when user code may run in it. */
  readonly opened: Promise<ImageSession | string>;
  readonly #options: ImageOptions;
  readonly #parts: StartParts;
  /** Resolves with the session as soon as there is a process. */
  readonly #launched: Promise<ImageSession | string>;
  readonly #waiting = new Map<number, Waiting>();
  #child: ImageChild | undefined;
  #givenUp: string | undefined;
  readonly #stop = new AbortController();

  constructor(options: ImageOptions, parts: StartParts) {
    this.#options = options;
    this.#parts = parts;
    this.#launched = this.#launch().catch((error: unknown) => cannot(errorText(error)));
    this.opened = this.#untilOpen();
  }

  isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Waits for the process as long as the form is wanted. Meanwhile the form is prepared. */
  async ready(request: NumberedRequest, signal: AbortSignal): Promise<Ready> {
    const stopped = Promise.withResolvers<Ready>();
    const stop: Waiting["stop"] = (why) => {
      if (this.#waiting.delete(request.number)) stopped.resolve({ stopped: why });
    };
    const onAbort = (): void => stop();
    this.#waiting.set(request.number, { evalId: request.evalId, stop });
    signal.addEventListener("abort", onAbort, { once: true });
    const first = await Promise.race([stopped.promise, this.#prepared(request)]);
    signal.removeEventListener("abort", onAbort);
    return first;
  }

  async #prepared(request: NumberedRequest): Promise<Ready> {
    const early = await this.#launched;
    const isWanted = typeof early === "object" && this.#waiting.has(request.number);
    const form = isWanted ? this.#parts.prepare(early, request) : undefined;
    const session = await this.opened;
    if (this.#waiting.delete(request.number) && form !== undefined && typeof session === "object") {
      return { session, form };
    }
    form?.drop();
    return typeof session === "string" ? { refused: session } : { stopped: undefined };
  }

  /** Stops the evaluation that waits, by default all; false when none did. */
  stop(evalId?: string, why?: string): boolean {
    const targets = [...this.#waiting.values()].filter((each) => evalId === undefined || each.evalId === evalId);
    for (const target of targets) target.stop(why);
    return targets.length > 0;
  }

  /** Resolves when the process is gone, or when it is certain that none will start. Nothing waits any more. */
  async giveUp(why: string): Promise<void> {
    this.stop(undefined, why);
    this.#givenUp ??= why;
    this.#stop.abort();
    if (this.#child === undefined) return;
    this.#child.kill();
    await this.#child.gone;
  }

  async #launch(): Promise<ImageSession | string> {
    const { state } = this.#parts;
    const { nodePath } = state;
    const { wall, whyNotStart } = this.#options;
    // The level depends on the wall.
    const [nodeVersion] = await Promise.all([state.findNode(), wall?.()]);
    if (this.#givenUp !== undefined) return this.#givenUp;
    if (nodeVersion === "") return cannot(`${nodePath} is not a Node that runs here`);
    const level = state.level();
    const refusal = whyNotStart?.() ?? whyNot(nodeVersion, level);
    if (refusal !== undefined) return refusal;
    const place = { nodePath, nodeVersion, projectRoot: realpathSync(this.#options.projectRoot) };
    const spare = level === "walled" ? await this.#parts.spare?.take(this.#stop.signal) : undefined;
    const { plan, found } = spare ?? (await planLaunch(level, place, this.#options, this.#stop.signal));
    if (found !== undefined && this.#givenUp === undefined) state.found(found);
    if (typeof plan === "string") return this.#givenUp ?? plan;
    try {
      if (this.#givenUp === undefined)
        return await this.#startSession(place, { plan, ...given({ child: spare?.child }) });
    } catch (error) {
      this.#child?.kill();
      plan.dispose();
      throw error;
    }
    spare?.child.kill();
    await spare?.child.gone;
    plan.dispose();
    return this.#givenUp;
  }

  async #startSession(
    { nodeVersion, projectRoot }: Place,
    { plan, child: spare }: Pick<SpareStart, "plan"> & Partial<Pick<SpareStart, "child">>,
  ): Promise<ImageSession> {
    const { heapLimitMb, onOutput, beforeCleanup, mayQuote } = this.#options;
    const child = spare ?? new ImageChild({ projectRoot, plan, ...given({ heapLimitMb }) });
    this.#child = child;
    // This import loads the parser and the transpilers while the process starts; only an evaluation needs them.
    const { ImageSession } = await import("./image-session.ts");
    return new ImageSession({
      child,
      plan,
      nodeVersion,
      projectRoot,
      readSource: sourceReader(this.#options, projectRoot),
      onOutput,
      onBackgroundError: this.#parts.onBackgroundError,
      ...given({ beforeCleanup, mayQuote }),
    });
  }

  async #untilOpen(): Promise<ImageSession | string> {
    const session = await this.#launched;
    if (typeof session === "string") return session;
    const { refused } = await session.ready;
    if (this.#givenUp === undefined && refused === undefined) return session;
    session.kill(this.#givenUp);
    await session.gone;
    return this.#givenUp ?? cannot(refused ?? "it is gone");
  }
}

function cannot(why: string): string {
  return `The REPL cannot start: ${why}.`;
}

/** The image speaks of real paths; an editor may name a document by a path that leads through a link. */
function sourceReader(options: ImageOptions, realRoot: string): (path: string) => string | null | undefined {
  const { readSource, projectRoot } = options;
  if (readSource === undefined) return () => undefined;
  if (realRoot === projectRoot) return readSource;
  return (path) => {
    const text = readSource(path);
    if (text !== undefined || !isWithin(path, realRoot)) return text;
    return readSource(join(projectRoot, relative(realRoot, path)));
  };
}
