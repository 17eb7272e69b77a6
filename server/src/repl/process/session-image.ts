/** What every image does in its session: that of the REPL's own process, or of a running program. */
import { realpath } from "node:fs/promises";
import { errorText, stackOf } from "../../base/errors.ts";
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
import type { RunningModule } from "../redefine/running-texts.ts";
import type { NumberedRequest, PreparedForm } from "./form-runner.ts";
import type { ImageSession } from "./image-session.ts";

export abstract class SessionImage implements Image {
  /** The session in which forms can run now. */
  protected session: ImageSession | undefined;
  protected readonly lost: LostNames = new LostNames();
  protected readonly errors: RaisedErrors = new RaisedErrors();
  readonly #name: string;
  readonly #log: ImageOptions["log"];
  #numbers = 0;

  /** `name` begins each line of the log. */
  constructor(name: string, log: ImageOptions["log"]) {
    this.#name = name;
    this.#log = log;
  }

  abstract restart(): Promise<ReplStatus>;
  abstract status(): ReplStatus;
  abstract nodeVersion(): Promise<string | undefined>;
  abstract dispose(): Promise<void>;
  /** The session to look at, or why there is none, as a sentence. */
  protected abstract looked(): Promise<ImageSession | string>;
  /** The same; where none is there, one is made. */
  protected abstract alive(): Promise<ImageSession | string>;
  protected abstract run(request: NumberedRequest, signal: AbortSignal): Promise<Evaluated>;
  protected abstract enter(state: ReplStatus["state"]): void;

  nextNumber(): number {
    return ++this.#numbers;
  }

  evaluate(form: NumberedForm, signal: AbortSignal): Promise<Evaluated> {
    const number = form.number ?? this.nextNumber();
    return this.run({ ...form, number, evalId: form.evalId ?? String(number) }, signal);
  }

  async interrupt(evalId?: string): Promise<boolean> {
    return (await this.session?.interrupt(evalId)) === true;
  }

  async endLeftOpen(evalId: string): Promise<string | undefined> {
    return this.session?.endLeftOpen(evalId);
  }

  lastError(): LastError | undefined {
    return this.errors.last();
  }

  errorsOf(evalId: string): readonly LastError[] {
    return this.errors.of(evalId);
  }

  declared(): readonly string[] {
    return this.session?.declared() ?? [];
  }

  runningModules(): readonly RunningModule[] {
    return this.session?.runningModules() ?? [];
  }

  async liveValue({ file, path }: LiveValueRequest): Promise<LiveValue | undefined> {
    const { session } = this;
    const real = session && (await realpath(file).catch(() => file));
    return real === undefined ? undefined : session?.liveValue({ file: real, path });
  }

  async inspect(request: InspectRequest): Promise<InspectAnswer> {
    const session = await this.looked();
    if (typeof session === "string") return { ok: false, why: "notRunning", reason: session };
    return this.lost.explainLook(await session.sight.inspect(await withRealModule(request)));
  }

  async complete(request: CompleteRequest): Promise<CompletionAnswer> {
    const session = await this.looked();
    if (typeof session !== "string") return session.sight.complete(await withRealModule(request));
    const { completeWithoutImage } = await import("../sight/completion.ts");
    return completeWithoutImage(request);
  }

  async tryOut(request: TrialRequest): Promise<string | undefined> {
    const session = await this.alive();
    return typeof session === "string" ? undefined : session.sight.tryOut(await withRealModule(request));
  }

  async alias(from: string, to: string): Promise<void> {
    await this.session?.sight.alias(from, to);
    this.lost.kept(to);
  }

  protected prepare(session: ImageSession, request: NumberedRequest): PreparedForm {
    try {
      return session.prepare(request);
    } catch (error) {
      return { run: () => Promise.resolve(this.#failed(request, error)), drop: () => {} };
    }
  }

  protected async runIn(
    session: ImageSession,
    form: PreparedForm,
    request: NumberedRequest,
    signal: AbortSignal,
  ): Promise<Evaluated> {
    if (this.session === session) this.enter("busy");
    const ran = await form.run(signal).catch((error: unknown) => this.#failed(request, error));
    const result = this.lost.explain(ran);
    if (result.valueId !== undefined) this.lost.kept(result.valueId);
    if (this.session === session && !session.isBusy()) this.enter("idle");
    if (result.error !== undefined) {
      const code = request.tool?.words ?? request.code;
      this.errors.add({ error: result.error, code, evalId: request.evalId });
    }
    return result;
  }

  /** A bug of ours, and not of the form: it ends this evaluation and nothing else. */
  #failed(request: NumberedRequest, error: unknown): Evaluated {
    this.#log(`${this.#name}: ${stackOf(error)}`);
    const why = errorText(error);
    return new EvaluationRecord(request).refused("InternalError", `The REPL failed on this form: ${why}`);
  }
}

async function withRealModule<T extends { readonly module?: string }>(request: T): Promise<T> {
  const { module } = request;
  return module === undefined ? request : { ...request, module: await realpath(module).catch(() => module) };
}

/** A form that was stopped before it began. */
export function notStarted(request: NumberedRequest, why?: string): Evaluated {
  const reason = why === undefined ? "" : `: ${why}`;
  const result = new EvaluationRecord(request).refused("Interrupted", `Stopped before it began${reason}.`);
  return { ...result, outcome: "interrupted" };
}

export function unavailable(request: NumberedRequest, why: string): Evaluated {
  return new EvaluationRecord(request).refused("ReplUnavailable", why);
}
