/**
 * Fresh processes. The person's start-up script runs first in each process, and after a crash or a restart forms can be
 * run again. New evaluations wait until these have run.
 */
import { given } from "../../../base/given.ts";
import { errorText } from "../../../base/errors.ts";
import type { RestartAnswer } from "../../../protocol/repl-shapes.ts";
import type { DiagnosticLine } from "../../../protocol/shapes.ts";
import type { Evaluated, EvaluateRequest, Image } from "../../image.ts";
import type { Author, Run, Stage } from "../stage.ts";
import { toHistoryItem, type History, type HistoryEntry } from "./history.ts";
import { whatIsGone } from "./what-is-gone.ts";
import { plural } from "../../../base/plural.ts";

export interface StartupScript {
  /** The path as the person gave it. */
  readonly path: string;
  /** Throws when the file cannot be read. */
  readonly read: () => Promise<string>;
}

export interface RestartOptions {
  /** Only a file that the editor's user named: the repository alone never sets it. */
  readonly startup?: StartupScript;
  /** Called with a message when the start-up script failed. */
  readonly onStartupFailed: (message: string) => void;
  /** The process is a program of the person's, which nobody else starts again. */
  readonly isProgram?: true;
}

export interface RestartRequest {
  /** Ids of evaluations that succeeded, or all from which the state was built. */
  readonly replay?: readonly string[] | "all";
}

/** The part of the answer that a restart adds to the status. */
export type Restarted = Pick<RestartAnswer, "lost" | "replayed">;

interface RestartParts extends RestartOptions {
  readonly history: History;
  readonly image: Pick<Image, "status" | "declared" | "alias">;
  readonly restartImage: () => Promise<unknown>;
  /** Evaluates without waiting for admission. */
  readonly run: (
    request: EvaluateRequest,
    about: Pick<Run, "by" | "replayOf">,
    signal: AbortSignal,
  ) => Promise<Evaluated>;
}

/** A number that no process has. */
const NEVER = -1;

export class Restarts implements Stage {
  readonly #parts: RestartParts;
  /** New evaluations wait for this: a start-up script, or a replay. */
  #gate: Promise<unknown> = Promise.resolve();
  #startedIn: number | undefined;
  /** The script ended its process, so it is not run again: it would end every process. */
  #isStartupDeadly = false;
  #warning: DiagnosticLine | undefined;

  constructor(parts: RestartParts) {
    this.#parts = parts;
  }

  async admit(signal: AbortSignal): Promise<AbortSignal> {
    await (this.#parts.startup === undefined ? this.#gate : this.#inTurn(() => this.#startUp()));
    return signal;
  }

  answered({ by }: EvaluateRequest, result: Evaluated): Evaluated {
    const notes = this.#warning === undefined ? [] : [this.#warning];
    this.#warning = undefined;
    if (!result.stateKept && this.#parts.isProgram !== true)
      notes.push(...replayOffer(this.#parts.history.replayable("all").length, by));
    return notes.length === 0 ? result : { ...result, notes: [...result.notes, ...notes] };
  }

  async restart({ replay: wanted }: RestartRequest, signal: AbortSignal): Promise<Restarted> {
    const { history, image, restartImage } = this.#parts;
    const entries = wanted === undefined ? [] : history.replayable(wanted);
    return this.#inTurn(async () => {
      this.#isStartupDeadly = false;
      this.#startedIn = undefined;
      // "all" keeps the line of forms that built the present state; any other choice begins a new line.
      if (wanted !== "all") history.startLine(entries);
      const before = { ...history.holdings(image.status().pid), names: image.declared() };
      await restartImage();
      await this.#startUp();
      const replayed = await this.#replay(entries, signal);
      const gone = whatIsGone(before, image.declared(), replayed);
      return {
        ...(gone === "" ? {} : { lost: gone }),
        ...(wanted === undefined
          ? {}
          : { replayed: replayed.map((entry) => toHistoryItem(entry, image.status().pid)) }),
      };
    });
  }

  /** Does work for which new evaluations wait. It begins after all earlier work of this kind. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#gate.then(work);
    this.#gate = done.catch(() => undefined);
    return done;
  }

  async #startUp(): Promise<void> {
    const { startup, image } = this.#parts;
    const { pid } = image.status();
    if (startup === undefined || this.#isStartupDeadly || this.#startedIn === NEVER) return;
    if (pid === undefined || pid !== this.#startedIn) await this.#runStartup(startup);
  }

  async #runStartup({ path, read }: StartupScript): Promise<void> {
    const fail = (why: string): void => {
      const message = `The start-up script ${path} failed, and the REPL goes on without it: ${why}`;
      this.#warning = { severity: "warning", message };
      this.#parts.onStartupFailed(message);
    };
    let code: string;
    try {
      code = await read();
    } catch (error) {
      this.#startedIn = NEVER;
      return fail(errorText(error));
    }
    const { run, image } = this.#parts;
    const result = await run({ code, by: "person" }, { by: "startup" }, new AbortController().signal);
    this.#isStartupDeadly = !result.stateKept;
    this.#startedIn = image.status().pid;
    if (result.error !== undefined) fail(`${result.error.name}: ${result.error.message}`);
  }

  async #replay(entries: readonly HistoryEntry[], signal: AbortSignal): Promise<HistoryEntry[]> {
    const { history, image, run } = this.#parts;
    const done: HistoryEntry[] = [];
    for (const { request, by, evalId, result: first } of entries) {
      if (signal.aborted) break;
      const { trial: _tried, ...again } = request;
      const old = first?.valueId;
      const replayOf = { evalId, ...given({ valueId: old }) };
      const result = await run(again, { by, replayOf }, signal);
      const entry = history.find(result.evalId);
      if (entry !== undefined) done.push(entry);
      if (result.valueId !== undefined && old !== undefined) await image.alias(result.valueId, old);
      if (!result.stateKept) break;
    }
    return done;
  }
}

/** The agent is told which tools run forms again; a person's editor has its own commands. */
function replayOffer(count: number, by: Author): DiagnosticLine[] {
  if (count === 0) return [];
  const forms = plural(count, "form that succeeded", "forms that succeeded");
  const how = ': restart_repl with replay ["all"], or with the ids that get_repl_history names';
  const message = `${forms} can be run again in a fresh process, with all effects${by === "agent" ? how : ""}.`;
  return [{ severity: "information", message }];
}
