/**
 * A running program in the place of the REPL's own process. The person starts and ends the program; under the same name
 * its next start is worked with, in which nothing of the last one is left.
 */
import { realpath } from "node:fs/promises";
import { errorText } from "../../base/errors.ts";
import { given } from "../../base/given.ts";
import type { CompletionAnswer, ReplStatus } from "../../protocol/repl-shapes.ts";
import { EvaluationRecord } from "../evaluation/evaluation-record.ts";
import { LostNames } from "../evaluation/lost-names.ts";
import { RaisedErrors } from "../evaluation/raised-errors.ts";
import type {
  CompleteRequest,
  Evaluated,
  Image,
  ImageOptions,
  InspectAnswer,
  InspectRequest,
  LastError,
  LiveValue,
  LiveValueRequest,
  NumberedForm,
  TrialRequest,
} from "../image.ts";
import type { ImageSession } from "../process/image-session.ts";
import type { RunningModule } from "../redefine/running-texts.ts";
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

interface Session {
  readonly of: AppConnection;
  readonly opened: Promise<ImageSession | string>;
}

export class AppImage implements Image {
  readonly #options: AppImageOptions;
  readonly #lost = new LostNames();
  readonly #errors = new RaisedErrors();
  #session: Session | undefined;
  /** The session in which forms can run now. */
  #open: ImageSession | undefined;
  #numbers = 0;
  #state: ReplStatus["state"] = "notStarted";

  constructor(options: AppImageOptions) {
    this.#options = options;
  }

  nextNumber(): number {
    return ++this.#numbers;
  }

  async evaluate(form: NumberedForm, signal: AbortSignal): Promise<Evaluated> {
    const number = form.number ?? this.nextNumber();
    const request = { ...form, number, evalId: form.evalId ?? String(number) };
    const refused = (name: string, why: string): Evaluated => new EvaluationRecord(request).refused(name, why);
    const session = this.#options.whyNot() ?? (await this.#attached());
    const { level, why } = this.#options.connection()?.facts ?? {};
    if (level === "globals" && form.module !== undefined) return refused("ModuleNotReachable", `${why}.`);
    if (signal.aborted) return { ...refused("Interrupted", "Stopped before it began."), outcome: "interrupted" };
    if (typeof session === "string") return refused("ReplUnavailable", session);
    this.#enter("busy");
    let result: Evaluated;
    try {
      result = this.#lost.explain(await session.prepare(request).run(signal));
    } catch (error) {
      this.#options.log(`${this.#options.id}: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
      result = refused("InternalError", `The REPL failed on this form: ${errorText(error)}`);
    }
    if (result.valueId !== undefined) this.#lost.kept(result.valueId);
    if (result.error !== undefined) {
      this.#errors.add({ error: result.error, code: request.tool?.words ?? request.code, evalId: request.evalId });
    }
    if (this.#open === session && !session.isBusy()) this.#enter("idle");
    return result;
  }

  async interrupt(evalId?: string): Promise<boolean> {
    return (await this.#open?.interrupt(evalId)) === true;
  }

  async endLeftOpen(evalId: string): Promise<string | undefined> {
    return this.#open?.endLeftOpen(evalId);
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

  lastError(): LastError | undefined {
    return this.#errors.last();
  }

  errorsOf(evalId: string): readonly LastError[] {
    return this.#errors.of(evalId);
  }

  declared(): readonly string[] {
    return this.#open?.declared() ?? [];
  }

  runningModules(): readonly RunningModule[] {
    return this.#open?.runningModules() ?? [];
  }

  async liveValue({ file, path }: LiveValueRequest): Promise<LiveValue | undefined> {
    const real = await realpath(file).catch(() => file);
    return this.#open?.liveValue({ file: real, path });
  }

  async inspect(request: InspectRequest): Promise<InspectAnswer> {
    const session = await this.#attached();
    if (typeof session === "string") return { ok: false, why: "notRunning", reason: session };
    return this.#lost.explainLook(await session.sight.inspect(await withRealModule(request)));
  }

  async complete(request: CompleteRequest): Promise<CompletionAnswer> {
    const session = await this.#attached();
    if (typeof session !== "string") return session.sight.complete(await withRealModule(request));
    const { completeWithoutImage } = await import("../sight/completion.ts");
    return completeWithoutImage(request);
  }

  async tryOut(request: TrialRequest): Promise<string | undefined> {
    const session = await this.#attached();
    return typeof session === "string" ? undefined : session.sight.tryOut(await withRealModule(request));
  }

  async alias(from: string, to: string): Promise<void> {
    await this.#open?.sight.alias(from, to);
    this.#lost.kept(to);
  }

  dispose(): Promise<void> {
    this.#open?.kill();
    return Promise.resolve();
  }

  /** The session in the program that runs now, or a sentence why there is none. */
  async #attached(): Promise<ImageSession | string> {
    const connection = this.#options.connection();
    if (connection === undefined) return this.#absent();
    if (this.#session?.of !== connection) this.#session = { of: connection, opened: this.#attach(connection) };
    return this.#session.opened;
  }

  #absent(): string {
    return `${this.#options.id} does not run, or was detached. Start it with agentq run, or attach it.`;
  }

  async #attach(connection: AppConnection): Promise<ImageSession | string> {
    const forget = (why: string): string => {
      if (this.#session?.of === connection) this.#session = undefined;
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
      onBackgroundError: (error) => this.#errors.add(error),
      ...given({ mayQuote }),
    });
    const { refused } = await session.ready;
    if (refused !== undefined) {
      session.kill();
      return forget(`${this.#options.id} cannot be worked with: ${refused}.`);
    }
    this.#open = session;
    this.#enter("idle");
    void session.gone.then((why) => this.#ended(session, why));
    return session;
  }

  #ended(session: ImageSession, why: string): void {
    if (this.#open !== session) return;
    this.#open = undefined;
    this.#session = undefined;
    this.#lost.lose("end", session.declared());
    this.#options.log(why);
    this.#enter("dead");
  }

  #enter(state: ReplStatus["state"]): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState(this.status());
  }
}

async function withRealModule<T extends { readonly module?: string }>(request: T): Promise<T> {
  const { module } = request;
  return module === undefined ? request : { ...request, module: await realpath(module).catch(() => module) };
}
