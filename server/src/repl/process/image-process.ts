/** The image as the server holds it: it starts at the first evaluation, and a new process replaces a dead one. */
import { realpath } from "node:fs/promises";
import type { CompletionAnswer, EvalResult, ReplStatus } from "../../protocol/repl-shapes.ts";
import { EvaluationRecord } from "../evaluation/evaluation-record.ts";
import { RaisedErrors } from "../evaluation/raised-errors.ts";
import { LostNames } from "../evaluation/lost-names.ts";
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
import { ImageStart } from "./image-start.ts";
import { ImageState } from "./image-state.ts";
import type { SpareProcess } from "./spare-process.ts";
import { errorText, stackOf } from "../../base/errors.ts";

export type * from "../image.ts";

const CLOSED = "The REPL is closed.";

/** A walled process is taken from `spare` where one stands ready there. */
export function createImage(options: ImageOptions, spare?: SpareProcess): Image {
  return new ImageProcess(options, spare);
}

class ImageProcess implements Image {
  readonly #options: ImageOptions;
  readonly #spare: SpareProcess | undefined;
  readonly #state: ImageState;
  readonly #lost = new LostNames();
  /** The process in which user code may run; undefined while the process starts. */
  #session: ImageSession | undefined;
  /** The start that is under way, with the evaluations that wait for the process. */
  #start: ImageStart | undefined;
  #numbers = 0;
  readonly #errors = new RaisedErrors();
  #isDisposed = false;

  constructor(options: ImageOptions, spare: SpareProcess | undefined) {
    this.#options = options;
    this.#spare = spare;
    this.#state = new ImageState(options, () => this.#session?.pid);
  }

  nextNumber(): number {
    return ++this.#numbers;
  }

  evaluate(form: NumberedForm, signal: AbortSignal): Promise<Evaluated> {
    const number = form.number ?? this.nextNumber();
    return this.#run({ ...form, number, evalId: form.evalId ?? String(number) }, signal);
  }

  async interrupt(evalId?: string): Promise<boolean> {
    const wasWaiting = this.#start?.stop(evalId);
    const isStopped = await this.#session?.interrupt(evalId);
    return wasWaiting === true || isStopped === true;
  }

  async endLeftOpen(evalId: string): Promise<string | undefined> {
    return this.#session?.endLeftOpen(evalId);
  }

  async restart(): Promise<ReplStatus> {
    this.#state.enter("restarting");
    await this.#stopProcess("the REPL was restarted");
    await this.#alive();
    return this.status();
  }

  status(): ReplStatus {
    return this.#state.status();
  }

  async nodeVersion(): Promise<string | undefined> {
    return (await this.#state.findNode()) || undefined;
  }

  lastError(): LastError | undefined {
    return this.#errors.last();
  }

  errorsOf(evalId: string): readonly LastError[] {
    return this.#errors.of(evalId);
  }

  declared(): readonly string[] {
    return this.#session?.declared() ?? [];
  }

  runningModules(): readonly RunningModule[] {
    return this.#session?.runningModules() ?? [];
  }

  async liveValue({ file, path }: LiveValueRequest): Promise<LiveValue | undefined> {
    const current = this.#session;
    const real = current && (await realpath(file).catch(() => file));
    return real === undefined ? undefined : current?.liveValue({ file: real, path });
  }

  async inspect(request: InspectRequest): Promise<InspectAnswer> {
    const current = this.#session;
    if (current === undefined) {
      return { ok: false, why: "notRunning", reason: "The REPL does not run: there is no value to see." };
    }
    return this.#lost.explainLook(await current.sight.inspect(await withRealModule(request)));
  }

  async complete(request: CompleteRequest): Promise<CompletionAnswer> {
    const current = this.#session;
    if (current !== undefined) return current.sight.complete(await withRealModule(request));
    const { completeWithoutImage } = await import("../sight/completion.ts");
    return completeWithoutImage(request);
  }

  async tryOut(request: TrialRequest): Promise<string | undefined> {
    const current = await this.#alive();
    if (typeof current === "string") return undefined;
    return current.sight.tryOut(await withRealModule(request));
  }

  async alias(from: string, to: string): Promise<void> {
    await this.#session?.sight.alias(from, to);
    this.#lost.kept(to);
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#stopProcess("the REPL was closed");
  }

  async #alive(): Promise<ImageSession | string> {
    if (this.#isDisposed) return CLOSED;
    return this.#session ?? this.#starting().opened;
  }

  async #run(request: NumberedRequest, signal: AbortSignal): Promise<Evaluated> {
    if (signal.aborted) return notStarted(request);
    if (this.#isDisposed) return unavailable(request, CLOSED);
    const session = this.#session;
    if (session !== undefined) return this.#runIn(session, this.#prepare(session, request), request, signal);
    const ready = await this.#starting().ready(request, signal);
    if ("stopped" in ready) return notStarted(request, ready.stopped);
    if ("refused" in ready) return unavailable(request, ready.refused);
    return this.#runIn(ready.session, ready.form, request, signal);
  }

  async #runIn(
    session: ImageSession,
    form: PreparedForm,
    request: NumberedRequest,
    signal: AbortSignal,
  ): Promise<Evaluated> {
    if (this.#session === session) this.#state.enter("busy");
    const ran = await form.run(signal).catch((error: unknown) => this.#failed(request, error));
    const result = this.#lost.explain(ran);
    if (result.valueId !== undefined) this.#lost.kept(result.valueId);
    if (this.#session === session && !session.isBusy()) this.#state.enter("idle");
    if (result.error !== undefined) {
      const code = request.tool?.words ?? request.code;
      this.#errors.add({ error: result.error, code, evalId: request.evalId });
    }
    return result;
  }

  #prepare(session: ImageSession, request: NumberedRequest): PreparedForm {
    try {
      return session.prepare(request);
    } catch (error) {
      return { run: () => Promise.resolve(this.#failed(request, error)), drop: () => {} };
    }
  }

  /** A bug of ours, and not of the form: it ends this evaluation and nothing else. */
  #failed(request: NumberedRequest, error: unknown): Evaluated {
    this.#options.log(`image: ${stackOf(error)}`);
    const why = errorText(error);
    return new EvaluationRecord(request).refused("InternalError", `The REPL failed on this form: ${why}`);
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
      onBackgroundError: (error) => this.#errors.add(error),
      prepare: (session, form) => this.#prepare(session, form),
      spare: this.#spare,
    });
    void fresh.opened.then((opened) => this.#opened(fresh, opened));
    return fresh;
  }

  #opened(start: ImageStart, opened: ImageSession | string): void {
    if (this.#start !== start) return;
    this.#start = undefined;
    if (typeof opened === "string") return this.#state.enter("dead", opened);
    this.#session = opened;
    void opened.gone.then((why) => this.#ended(opened, why));
    if (!start.isAwaited()) this.#state.enter("idle");
  }

  #ended(gone: ImageSession, why: string): void {
    this.#options.log(`image ${gone.pid ?? ""}: ${why}`);
    if (this.#session !== gone) return;
    this.#session = undefined;
    this.#lost.lose("end", gone.declared());
    this.#state.enter("dead", `The REPL's process is gone: ${why}.`);
  }

  async #stopProcess(why: string): Promise<void> {
    const [session, start] = [this.#session, this.#start];
    if (session !== undefined) this.#lost.lose("restart", session.declared());
    this.#session = undefined;
    this.#start = undefined;
    session?.kill(why);
    await Promise.all([session?.gone, start?.giveUp(why)]);
  }
}

async function withRealModule<T extends { readonly module?: string }>(request: T): Promise<T> {
  const { module } = request;
  return module === undefined ? request : { ...request, module: await realpath(module).catch(() => module) };
}

function notStarted(request: NumberedRequest, why?: string): EvalResult {
  const reason = why === undefined ? "" : `: ${why}`;
  const result = new EvaluationRecord(request).refused("Interrupted", `Stopped before it began${reason}.`);
  return { ...result, outcome: "interrupted" };
}

function unavailable(request: NumberedRequest, why: string): EvalResult {
  return new EvaluationRecord(request).refused("ReplUnavailable", why);
}
