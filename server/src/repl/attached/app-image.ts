/**
 * A running program in the place of the REPL's own process. The person starts and ends the program; under the same name
 * its next start is worked with, in which nothing of the last one is left.
 */
import { given } from "../../base/given.ts";
import type { ReplStatus } from "../../protocol/repl-shapes.ts";
import { EvaluationRecord } from "../evaluation/evaluation-record.ts";
import type { Evaluated, ImageOptions } from "../image.ts";
import type { NumberedRequest } from "../process/form-runner.ts";
import type { ImageSession } from "../process/image-session.ts";
import { notStarted, SessionImage, unavailable } from "../process/session-image.ts";
import type { AppConnection } from "./app-connection.ts";

export interface AppImageOptions extends Pick<
  ImageOptions,
  "readSource" | "onOutput" | "onState" | "log" | "mayQuote"
> {
  readonly id: string;
  /** The program while it runs. */
  readonly connection: () => AppConnection | undefined;
  /** Why nothing may be run in the program now: the person's consent is missing. */
  readonly whyNot: () => string | undefined;
}

interface Attached {
  readonly of: AppConnection;
  readonly opened: Promise<ImageSession | string>;
}

export class AppImage extends SessionImage {
  readonly #options: AppImageOptions;
  #attached: Attached | undefined;
  #state: ReplStatus["state"] = "notStarted";

  constructor(options: AppImageOptions) {
    super(options.id, options.log);
    this.#options = options;
  }

  protected async run(request: NumberedRequest, signal: AbortSignal): Promise<Evaluated> {
    const session = this.#options.whyNot() ?? (await this.alive());
    const { level, why } = this.#options.connection()?.facts ?? {};
    if (level === "globals" && request.module !== undefined) {
      return new EvaluationRecord(request).refused("ModuleNotReachable", `${why}.`);
    }
    if (signal.aborted) return notStarted(request);
    if (typeof session === "string") return unavailable(request, session);
    return this.runIn(session, this.prepare(session, request), request, signal);
  }

  /** Nobody but the person starts the program. */
  restart(): Promise<ReplStatus> {
    return Promise.resolve(this.status());
  }

  status(): ReplStatus {
    const connection = this.#options.connection();
    const { pid, node, command } = connection?.facts ?? {};
    return {
      state: connection === undefined ? "dead" : this.#state,
      ...(connection === undefined ? { reason: this.#absent() } : {}),
      confinement: "open",
      level: "open",
      confinementDetail: `A program that you run, with all of your rights: ${command?.join(" ") ?? "not running"}`,
      nodeVersion: node ?? "unknown",
      ...given({ pid }),
    };
  }

  nodeVersion(): Promise<string | undefined> {
    return Promise.resolve(this.#options.connection()?.facts.node);
  }

  dispose(): Promise<void> {
    this.session?.kill();
    return Promise.resolve();
  }

  /** The session in the program that runs now. */
  protected async alive(): Promise<ImageSession | string> {
    const connection = this.#options.connection();
    if (connection === undefined) return this.#absent();
    if (this.#attached?.of !== connection) this.#attached = { of: connection, opened: this.#attach(connection) };
    return this.#attached.opened;
  }

  protected looked(): Promise<ImageSession | string> {
    return this.alive();
  }

  #absent(): string {
    return `${this.#options.id} does not run, or was detached. Start it with agentq run, or attach it.`;
  }

  async #attach(connection: AppConnection): Promise<ImageSession | string> {
    const forget = (why: string): string => {
      if (this.#attached?.of === connection) this.#attached = undefined;
      return why;
    };
    const channel = await connection.open();
    if (typeof channel === "string") return forget(channel);
    const { ImageSession } = await import("../process/image-session.ts");
    const { readSource = () => undefined, onOutput, mayQuote } = this.#options;
    const session = new ImageSession({
      child: channel,
      plan: { dispose: () => undefined, hidden: [], readable: undefined },
      loadsItself: true,
      nodeVersion: connection.facts.node,
      projectRoot: connection.facts.root,
      readSource,
      onOutput,
      onBackgroundError: (error) => this.errors.add(error),
      ...given({ mayQuote }),
    });
    const { refused } = await session.ready;
    if (refused !== undefined) {
      session.kill();
      return forget(`${this.#options.id} cannot be worked with: ${refused}.`);
    }
    this.session = session;
    this.enter("idle");
    void session.gone.then((why) => this.#ended(session, why));
    return session;
  }

  #ended(session: ImageSession, why: string): void {
    if (this.session !== session) return;
    this.session = undefined;
    this.#attached = undefined;
    this.lost.lose("end", session.declared());
    this.#options.log(why);
    this.enter("dead");
  }

  protected enter(state: ReplStatus["state"]): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState(this.status());
  }
}
