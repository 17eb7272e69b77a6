/** The REPL as handlers and tools hold it. The file reads as the life of an evaluation: `evaluate`, then `#run`. */
import type {
  ChangeDecision,
  CompletionAnswer,
  HistoryItem,
  ReplStatus,
  RestartAnswer,
} from "../protocol/repl-shapes.ts";
import type { Page } from "../protocol/shapes.ts";
import type {
  CompleteRequest,
  Evaluated,
  EvaluateRequest,
  Image,
  InspectAnswer,
  InspectRequest,
  LastError,
  LiveValue,
  LiveValueRequest,
  ReplImageOptions,
  TrialRequest,
} from "./image.ts";
import { withFilesOnDisk } from "./forms/named-files.ts";
import type { SpareProcess } from "./process/spare-process.ts";
import { WorkspaceChanges, type ChangeOptions } from "./stages/changes/workspace-changes.ts";
import { TypeChecks, type CheckOptions, type CompilationNotes } from "./stages/checking/type-checks.ts";
import { Consent, type Admission, type ConsentOptions } from "./stages/consent/consent.ts";
import { PersonsLock } from "./stages/consent/lock.ts";
import { History } from "./stages/history/history.ts";
import { Memory, type HistoryQuery, type MemoryOptions } from "./stages/history/memory.ts";
import { Restarts, type RestartOptions, type RestartRequest } from "./stages/history/restarts.ts";
import type { Run, Stage } from "./stages/stage.ts";
import { readingOver, type ReadSource } from "./testing/laid-texts.ts";
import type { LaidTexts } from "./testing/test-run.ts";

export interface ReplOptions {
  /** Makes an image, which asks here how it may start and reports every state that it enters. */
  readonly createImage: (from: ReplImageOptions) => Image;
  /** Where images take a process that stands ready. */
  readonly spare?: Pick<SpareProcess, "expectUse" | "leaveAlone" | "dispose">;
  /** The text of an open document. */
  readonly readSource: ReadSource;
  readonly consent: ConsentOptions;
  readonly restarts: RestartOptions;
  readonly memory: MemoryOptions;
  readonly checks: CheckOptions;
  readonly changes: ChangeOptions;
  /** Called with every status, as the person shall see it. */
  readonly onState: (status: ReplStatus) => void;
  /**
   * Shows work as progress once it takes long, under the token of the client that asked for it. Settles as the work
   * does.
   */
  readonly showLong: <T>(title: string, token: ProgressToken | undefined, work: Promise<T>) => Promise<T>;
}

type ProgressToken = string | number;

/**
 * Contract: nothing here throws for what user code does. A dead process is a state, and the next evaluation starts a
 * new process. Evaluations begin in the order they came, and a new one begins while earlier ones wait for something.
 */
export class Repl {
  readonly #image: Image;
  readonly #options: ReplOptions;
  readonly #lock = new PersonsLock();
  readonly #consent: Consent;
  readonly #history = new History();
  readonly #memory: Memory;
  readonly #restarts: Restarts;
  readonly #checks: TypeChecks;
  readonly #changes: WorkspaceChanges;
  /**
   * The outermost comes first. Consent comes before the number, and the history entry before the run. The type check
   * goes on beside the run, and the search for changed files is the innermost stage.
   */
  readonly #stages: readonly Stage[];

  constructor(options: ReplOptions) {
    this.#options = options;
    this.#consent = new Consent({
      ...options.consent,
      nodeVersion: () => this.#image.nodeVersion(),
      onState: () => this.#tellState(),
    });
    const image = options.createImage({
      confinement: () => this.#consent.confinement(),
      whyNotStart: () => this.#consent.whyNotStart(),
      onState: (status) => {
        options.onState(this.#seen(status));
        if (status.state === "idle") options.spare?.expectUse();
        else options.spare?.leaveAlone();
      },
    });
    this.#image = image;
    this.#restarts = new Restarts({
      ...options.restarts,
      history: this.#history,
      image,
      restartImage: () => this.#restartImage(),
      run: (request, about, signal) => this.#run(request, about, signal),
    });
    this.#memory = new Memory(this.#history, () => image.status().pid, options.memory);
    this.#checks = new TypeChecks(options.checks, () => image.runningModules());
    this.#changes = new WorkspaceChanges(options.changes, () => image.status().confinement === "confined");
    this.#stages = [this.#lock, this.#consent, this.#restarts, this.#memory, this.#checks, this.#changes];
  }

  /** Aborting `signal` stops this evaluation only. Work that takes long is shown under `token`. */
  evaluate(request: EvaluateRequest, signal: AbortSignal, token?: ProgressToken): Promise<Evaluated> {
    return this.#options.showLong("Evaluating in the REPL", token, this.#evaluate(request, signal));
  }

  async #evaluate(asked: EvaluateRequest, given: AbortSignal): Promise<Evaluated> {
    const request = this.#withFilesOnDisk(asked);
    if (asked.by === "person") this.#consent.byPerson();
    let signal = given;
    for (const stage of this.#stages) if (stage.admit !== undefined) signal = await stage.admit(signal);
    const result = await this.#run(request, { by: request.by }, signal);
    return this.#stages.reduceRight((told, stage) => stage.answered?.(request, told) ?? told, result);
  }

  /** Replays and the start-up script enter here: no stage has to admit them. */
  #run(request: EvaluateRequest, about: Pick<Run, "by" | "replayOf">, signal: AbortSignal): Promise<Evaluated> {
    const number = this.#image.nextNumber();
    const run: Run = { ...about, request, number, evalId: String(number) };
    const inside = (depth: number): Promise<Evaluated> => {
      const stage = this.#stages[depth];
      if (stage === undefined) return this.#image.evaluate({ ...request, number }, signal);
      return stage.around?.(run, () => inside(depth + 1)) ?? inside(depth + 1);
    };
    return inside(0);
  }

  /**
   * Evaluates in a process of its own that sees the texts in place of the files, and that ends with the call. Answers a
   * sentence when no process may run; does not throw for what the form does.
   */
  async evaluateWith(
    texts: LaidTexts,
    form: Pick<EvaluateRequest, "code" | "module" | "timeoutMs">,
    signal: AbortSignal,
  ): Promise<Evaluated | string> {
    const admitted = await this.admit(signal);
    if ("refusal" in admitted) return admitted.refusal;
    const image = this.#options.createImage({
      ...admitted,
      readSource: readingOver(this.#options.readSource, texts),
      onOutput: () => undefined,
      onState: () => undefined,
    });
    try {
      return await image.evaluate({ ...this.#withFilesOnDisk(form), by: "agent" }, signal);
    } finally {
      await image.dispose();
      this.#options.spare?.expectUse();
    }
  }

  /** Somebody has begun what may lead to an evaluation: its process shall stand ready. */
  expectUse(): void {
    if (this.#image.status().state !== "busy") this.#options.spare?.expectUse();
  }

  /** That has ended: a process that is not being started yet is not started. */
  expectNoUse(): void {
    this.#options.spare?.leaveAlone();
  }

  /** The value of `trial` for `evaluate`, when the form's value could be read without side effects; else undefined. */
  async tryOut(request: TrialRequest): Promise<string | undefined> {
    await this.#restarts.admit(new AbortController().signal);
    return this.#image.tryOut(this.#withFilesOnDisk(request));
  }

  #withFilesOnDisk<Request extends Pick<EvaluateRequest, "code" | "module">>(request: Request): Request {
    const { projectRoot } = this.#options.checks;
    return { ...request, code: withFilesOnDisk(request.code, request.module, projectRoot) };
  }

  /**
   * Stops that evaluation, by default all that run or wait for the person's consent. When there are none, stops what
   * earlier evaluations left running on the main thread. False when there was nothing to stop.
   */
  async interrupt(evalId?: string): Promise<boolean> {
    const wasWaiting = evalId === undefined && this.#consent.stopWaiting();
    return (await this.#image.interrupt(evalId)) || wasWaiting;
  }

  /**
   * Ends everything that a finished evaluation left open, and says what was ended: `1 timer`. Undefined when there was
   * nothing.
   */
  async endLeftOpen(evalId: string): Promise<string | undefined> {
    const ended = await this.#image.endLeftOpen(evalId);
    this.#history.ended(evalId);
    return ended;
  }

  /**
   * Starts a fresh process: definitions and values are gone. After the person's own restart, questions that the person
   * answered with No are asked again. Nothing is restarted when `replay` names an unknown id.
   */
  async restart(
    { by, ...request }: RestartRequest & { readonly by?: "person" | "agent" } = {},
    signal: AbortSignal = new AbortController().signal,
    token?: ProgressToken,
  ): Promise<RestartAnswer> {
    const unknown = this.#history.notReplayable(request.replay);
    if (unknown.length > 0) return { ...this.status(), unknown };
    if (by === "person") this.#consent.askAgain();
    const restart = async (): Promise<RestartAnswer> => {
      await this.#consent.mayRun(signal);
      const restarted = await this.#restarts.restart(request, signal);
      return { ...this.status(), ...restarted };
    };
    return this.#options.showLong("Restarting the REPL", token, restart());
  }

  /**
   * Answers how the REPL's process may run. Asks the person where the process cannot or shall not be confined, and
   * calls `onWaiting` when it waits for the person.
   */
  admit(signal: AbortSignal, onWaiting?: () => void): Promise<Admission> {
    return this.#consent.mayRun(signal, onWaiting);
  }

  /**
   * Why tests may not run without a wall; undefined when the person has agreed. `why` is the reason why the wall is
   * missing.
   */
  whyNotTest(why: string, signal: AbortSignal, onWaiting?: () => void): Promise<string | undefined> {
    return this.#consent.whyNotTest(why, signal, onWaiting);
  }

  status(): ReplStatus {
    return this.#seen(this.#image.status());
  }

  lock(locked: boolean): ReplStatus {
    if (this.#lock.set(locked)) this.#tellState();
    return this.status();
  }

  /** The sentence for an agent that wants to run something now; undefined when the agent may. */
  whyLocked(): string | undefined {
    return this.#lock.whyLocked();
  }

  /** The newest entry comes first. */
  history(query?: HistoryQuery): Page<HistoryItem> {
    return this.#memory.page(query);
  }

  /** The entry of a finished evaluation. */
  evaluation(evalId: string): HistoryItem | undefined {
    return this.#memory.evaluation(evalId);
  }

  lastError(): LastError | undefined {
    return this.#image.lastError();
  }

  /** The errors that the form raised, the oldest first. */
  errorsOf(evalId: string): readonly LastError[] {
    return this.#image.errorsOf(evalId);
  }

  /** The compiler's notes on the form; undefined where the compiler was never asked or the notes were forgotten. */
  compilationNotesOf(evalId: string, signal: AbortSignal): Promise<CompilationNotes | undefined> {
    return this.#checks.notesOf(evalId, signal);
  }

  /** Keeps or reverts the changed files of an evaluation. Undefined when nothing of it is left to decide. */
  decideChanges(
    evalId: string,
    what: "keep" | "revert",
    uris: readonly string[] | undefined,
  ): Promise<ChangeDecision | undefined> {
    return this.#changes.decide(evalId, what, uris);
  }

  /**
   * The present value of a module's name. Runs nothing and starts nothing; undefined where the value cannot be read
   * that way.
   */
  liveValue(request: LiveValueRequest): Promise<LiveValue | undefined> {
    return this.#image.liveValue(request);
  }

  /** A page of a value. Runs nothing and starts nothing. */
  inspect(request: InspectRequest): Promise<InspectAnswer> {
    return this.#image.inspect(request);
  }

  /** Completions at a place of a form. Runs nothing and starts nothing. */
  complete(request: CompleteRequest): Promise<CompletionAnswer> {
    return this.#image.complete(request);
  }

  async dispose(): Promise<void> {
    await Promise.all([this.#image.dispose(), this.#options.spare?.dispose()]);
  }

  #restartImage(): Promise<unknown> {
    for (const stage of this.#stages) stage.restarting?.();
    return this.#image.restart();
  }

  /** Turns a status into what the person sees. Events and answers both pass here. */
  #seen(status: ReplStatus): ReplStatus {
    return this.#stages.reduceRight((seen, stage) => stage.seen?.(seen) ?? seen, status);
  }

  #tellState(): void {
    this.#options.onState(this.status());
  }
}
