/** Keeps one compiler session alive: starts it when first needed, and again when it dies or is outdated. */
import { pause } from "../../base/abort.ts";
import type { TypeScriptStatus } from "../../protocol/status.ts";
import { CompilerDeaths } from "./compiler-deaths.ts";
import { compilerVersion } from "../compiler-version.ts";
import type { Session } from "./session.ts";
import { TypeScriptUnavailable } from "../typescript-unavailable.ts";
import { errorText } from "../../base/errors.ts";

interface SessionKeeperParts {
  /** Rejects with the reason when the process dies before it can answer. */
  readonly start: () => Promise<Session>;
  readonly onState: (status: TypeScriptStatus) => void;
  /** A start failed; another one may follow. */
  readonly onFailedStart: () => void;
  /** No start follows until somebody asks for one. */
  readonly onGivenUp: (reason: string) => void;
  /** The session's process is about to be ended, because its answers do not hold any more. */
  readonly onOutdated: (session: Session) => void;
  readonly log: (message: string) => void;
}

/**
 * Contract: at most one process is live or being started. One that dies is started again in the background, after rests
 * that grow with each death; a question that waits for it shortens the rest, so that it is answered soon.
 */
export class SessionKeeper {
  readonly #parts: SessionKeeperParts;
  readonly #deaths = new CompilerDeaths();
  readonly #end = new AbortController();
  /** Sessions whose answers do not hold any more: the packages or folders they were started with have changed. */
  readonly #outdated = new WeakSet<Session>();
  #state: TypeScriptStatus["state"] = "notStarted";
  #reason: string | undefined;
  #session: Session | undefined;
  #launching: Promise<Session> | undefined;
  #awaited = new AbortController();
  #startedAt = 0;
  #reportedProjects = "[]";

  constructor(parts: SessionKeeperParts) {
    this.#parts = parts;
  }

  /** The running session. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** Starts in the background, after the rest that is due. */
  start(): void {
    if (!this.#end.signal.aborted) void this.#live().catch(() => undefined);
  }

  /** The running session, or the one being started, for somebody who waits for it. */
  live(): Promise<Session> {
    if (this.#session === undefined) this.#awaited.abort();
    return this.#live();
  }

  status(): TypeScriptStatus {
    const reason = this.#reason === undefined ? {} : { reason: this.#reason };
    return { version: compilerVersion, state: this.#state, ...reason, projects: this.#session?.projects() ?? [] };
  }

  /** Reports the projects when they are others than those reported last. */
  reportProjects(session: Session): void {
    if (session !== this.#session || JSON.stringify(session.projects()) === this.#reportedProjects) return;
    this.#setState(this.#state, this.#reason);
  }

  /** What to tell a reader whose question died with the process, also when it was asked anew. */
  whyUnanswered(reason: string): string {
    return this.#deaths.whyUnanswered(reason);
  }

  isOutdated(session: Session): boolean {
    return this.#outdated.has(session);
  }

  /** The next question gets a new process. */
  startAnew(old: Session, why: string): void {
    this.#parts.log(`typescript: ${why}, starting anew`);
    this.#outdated.add(old);
    if (this.#session === old) this.#session = undefined;
    this.#parts.onOutdated(old);
    void old.native.dispose();
  }

  /** The session there was, for its owner to end. */
  async stop(): Promise<Session | undefined> {
    this.#end.abort(new TypeScriptUnavailable("The TypeScript engine was shut down."));
    const session = this.#session ?? (await this.#launching?.catch(() => undefined));
    this.#session = undefined;
    return session;
  }

  /** The last word after `stop`. */
  reportStopped(): void {
    this.#setState("notStarted");
  }

  #live(): Promise<Session> {
    if (this.#end.signal.aborted) return Promise.reject(this.#end.signal.reason as Error);
    if (this.#session !== undefined) return Promise.resolve(this.#session);
    this.#launching ??= this.#launch().finally(() => {
      this.#launching = undefined;
      this.#awaited = new AbortController();
    });
    return this.#launching;
  }

  async #launch(): Promise<Session> {
    if (this.#state === "notStarted" || this.#state === "dead") this.#setState("starting");
    else if (this.#state !== "restarting") this.#setState("restarting");
    for (;;) {
      await this.#rest();
      try {
        return await this.#startOnce();
      } catch (error) {
        if (this.#end.signal.aborted) throw this.#end.signal.reason as Error;
        const reason = errorText(error);
        this.#deaths.noteFailedStart(reason);
        this.#parts.onFailedStart();
        this.#parts.log(`typescript: start failed: ${reason}`);
        if (!this.#deaths.isHopeless()) continue;
        this.#setState("dead", this.#deaths.story());
        this.#parts.onGivenUp(this.#deaths.story());
        throw new TypeScriptUnavailable(this.#deaths.whyNone());
      }
    }
  }

  async #rest(): Promise<void> {
    const { least, most } = this.#deaths.rest();
    await pause(least, this.#end.signal);
    if (most === least || this.#awaited.signal.aborted) return;
    await pause(most - least, AbortSignal.any([this.#end.signal, this.#awaited.signal])).catch(() =>
      this.#end.signal.throwIfAborted(),
    );
  }

  async #startOnce(): Promise<Session> {
    this.#startedAt = performance.now();
    const session = await this.#parts.start();
    this.#deaths.noteStarted();
    this.#session = session;
    void session.native.exited.then((reason) => this.#onExit(session, reason));
    this.#setState("ready");
    return session;
  }

  #onExit(session: Session, reason: string): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    if (this.#end.signal.aborted) return;
    this.#parts.log(`typescript: ${reason}`);
    this.#deaths.noteDeath(reason, performance.now() - this.#startedAt);
    this.#setState("restarting", reason);
    this.start();
  }

  #setState(state: TypeScriptStatus["state"], reason?: string): void {
    this.#state = state;
    this.#reason = reason;
    const status = this.status();
    this.#reportedProjects = JSON.stringify(status.projects);
    this.#parts.onState(status);
  }
}
