/**
 * The image with a memory: every evaluation goes into the history, a fresh process runs the person's start-up script
 * first, and after a crash or a restart forms can be run again. It stands before any image and adds nothing to its rules.
 */
import type { EvalResult, HistoryItem, RestartAnswer } from "../../../protocol/repl-shapes.ts";
import type { DiagnosticLine, Page } from "../../../protocol/shapes.ts";
import { whatIsGone } from "./what-is-gone.ts";
import { createHistory, toHistoryItem, type Author, type HistoryEntry } from "./history.ts";
import type { Evaluated, EvaluateRequest, Image } from "../../image.ts";
import { errorText } from "../../../protocol/errors.ts";

export interface StartupScript {
  /** As the person named it. */
  readonly path: string;
  /** Throws when the file cannot be read. */
  readonly read: () => Promise<string>;
}

export interface RememberingOptions {
  /** Only ever what the editor's user named: never taken from the repository by itself. */
  readonly startup?: StartupScript;
  /** What forms that are over printed since the agent's last answer. */
  readonly takeLateOutput?: () => readonly DiagnosticLine[];
  /** Tells that the start-up script failed. */
  readonly onStartupFailed: (message: string) => void;
  /** The agent began a form that is more than a look, and then, with `result`, what came of it. Must not throw. */
  readonly onAgentForm?: (form: AgentForm, result?: Evaluated) => void;
}

export interface AgentForm extends HistoryItem {
  /** The code is a tool's own words. */
  readonly isTool?: true;
}

export interface RestartRequest {
  /** Ids of evaluations that succeeded, or all that the state was built from. */
  readonly replay?: readonly string[] | "all";
}

export interface HistoryQuery {
  readonly limit?: number;
  readonly cursor?: string;
  /** Those that an interrupt would end something of. */
  readonly only?: "stoppable";
}

export interface Memory {
  readonly restart: (request?: RestartRequest, signal?: AbortSignal) => Promise<RestartAnswer>;
  /** Newest first. */
  readonly history: (query?: HistoryQuery) => Page<HistoryItem>;
  readonly evaluation: (evalId: string) => HistoryItem | undefined;
}

/** The image as it was given, with the memory's own `restart`. */
export type Remembering<Given extends Image> = Omit<Given, "restart"> & Memory;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

export function rememberEvaluations<Given extends Image>(
  image: Given,
  options: RememberingOptions,
): Remembering<Given> {
  const history = createHistory();
  /** What new evaluations wait for: a start-up script, or a replay. */
  let gate: Promise<unknown> = Promise.resolve();
  let startedIn: number | undefined;
  /** A script that ends the process would end every process. */
  let isStartupDeadly = false;
  let warning: DiagnosticLine | undefined;

  const evaluate = async (
    request: EvaluateRequest,
    by: Author,
    signal: AbortSignal,
    replayOf?: HistoryEntry,
  ): Promise<{ entry: HistoryEntry; result: EvalResult }> => {
    const entry = history.begin(request, by, replayOf);
    const tell = (told?: Evaluated): void => {
      if (by !== "agent" || request.isLook === true || replayOf !== undefined) return;
      const form = toHistoryItem(entry, image.status().pid);
      options.onAgentForm?.(request.words === undefined ? form : { ...form, isTool: true }, told);
    };
    const onNumbered = (evalId: string): void => {
      entry.evalId = evalId;
      tell();
    };
    const result = await image.evaluate({ ...request, onNumbered }, signal);
    history.end(entry, result, image.status().pid);
    tell(result);
    return { entry, result };
  };

  const runStartup = async ({ path, read }: StartupScript): Promise<void> => {
    const fail = (why: string): void => {
      const message = `The start-up script ${path} failed, and the REPL goes on without it: ${why}`;
      warning = { severity: "warning", message };
      options.onStartupFailed(message);
    };
    let code: string;
    try {
      code = await read();
    } catch (error) {
      startedIn = NEVER;
      return fail(errorText(error));
    }
    const { result } = await evaluate({ code, by: "person" }, "startup", new AbortController().signal);
    isStartupDeadly = !result.stateKept;
    startedIn = image.status().pid;
    if (result.error !== undefined) fail(`${result.error.name}: ${result.error.message}`);
  };

  const startUp = async (): Promise<void> => {
    const { startup } = options;
    const { pid } = image.status();
    if (startup === undefined || isStartupDeadly || startedIn === NEVER) return;
    if (pid === undefined || pid !== startedIn) await runStartup(startup);
  };
  /** Does something that new evaluations wait for, after everything of that kind that was begun before. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = gate.then(work);
    gate = done.catch(() => undefined);
    return done;
  };

  const noted = (result: EvalResult, { by, isLook }: EvaluateRequest): EvalResult => {
    const notes = by === "agent" && isLook !== true ? [...(options.takeLateOutput?.() ?? [])] : [];
    if (warning !== undefined) notes.push(warning);
    warning = undefined;
    if (!result.stateKept) notes.push(...replayOffer(history.replayable("all").length, by));
    return notes.length === 0 ? result : { ...result, notes: [...result.notes, ...notes] };
  };

  const replay = async (entries: readonly HistoryEntry[], signal: AbortSignal): Promise<HistoryEntry[]> => {
    const done: HistoryEntry[] = [];
    for (const entry of entries) {
      if (signal.aborted) break;
      const { evalId: _given, proven: _tried, ...request } = entry.request;
      const { entry: again, result } = await evaluate(request, entry.by, signal, entry);
      done.push(again);
      const old = entry.result?.valueId;
      if (result.valueId !== undefined && old !== undefined) await image.alias(result.valueId, old);
      if (!result.stateKept) break;
    }
    return done;
  };

  const report = (
    entries: readonly HistoryEntry[],
    wanted: readonly string[] | "all",
    done: readonly HistoryEntry[],
  ): Pick<RestartAnswer, "replayed" | "unknown"> => {
    const { pid } = image.status();
    const known = new Set(entries.map(({ result }) => result?.evalId));
    const unknown = wanted === "all" ? [] : wanted.filter((id) => !known.has(id));
    return {
      replayed: done.map((entry) => toHistoryItem(entry, pid)),
      ...(unknown.length === 0 ? {} : { unknown }),
    };
  };

  return {
    ...image,
    evaluate: async (request, signal) => {
      await (options.startup === undefined ? gate : inTurn(startUp));
      return noted((await evaluate(request, request.by, signal)).result, request);
    },
    prove: async (request) => {
      await (options.startup === undefined ? gate : inTurn(startUp));
      return image.prove(request);
    },
    restart: async ({ replay: wanted } = {}, signal = new AbortController().signal) => {
      const entries = wanted === undefined ? [] : history.replayable(wanted);
      const done = await inTurn(async () => {
        isStartupDeadly = false;
        startedIn = undefined;
        // What the present state was built of is what "all" means; anything else begins anew.
        if (wanted !== "all") history.startLine(entries);
        const before = { ...history.holdings(image.status().pid), names: image.declared() };
        await image.restart();
        await startUp();
        const replayed = await replay(entries, signal);
        return { replayed, gone: whatIsGone(before, image.declared(), replayed) };
      });
      const { replayed, gone } = done;
      const lost = gone === "" ? {} : { lost: gone };
      return { ...image.status(), ...lost, ...(wanted === undefined ? {} : report(entries, wanted, replayed)) };
    },
    evaluation: (evalId) => history.find(evalId, image.status().pid),
    history: ({ limit = DEFAULT_LIMIT, cursor, only } = {}) => {
      const shown = Math.min(limit, MAX_LIMIT);
      const { pid } = image.status();
      return only === undefined ? history.page(shown, cursor, pid) : history.stoppable(shown, pid);
    },
    endLeftOpen: async (evalId) => {
      const ended = await image.endLeftOpen(evalId);
      history.ended(evalId);
      return ended;
    },
  };
}

/** No process has this number. */
const NEVER = -1;

/** A person's editor names its own commands; the agent knows its tools. */
function replayOffer(count: number, by: Author): DiagnosticLine[] {
  if (count === 0) return [];
  const forms = count === 1 ? "1 form that succeeded" : `${count} forms that succeeded`;
  const how = ': restart_repl with replay ["all"], or with the ids that get_repl_history names';
  const message = `${forms} can be run again in a fresh process, with all effects${by === "agent" ? how : ""}.`;
  return [{ severity: "information", message }];
}
