/** Every evaluation goes into the history, and the person's editor is told of the agent's forms. */
import type { HistoryItem } from "../../../protocol/repl-shapes.ts";
import type { DiagnosticLine, Page } from "../../../protocol/shapes.ts";
import type { Evaluated, EvaluateRequest } from "../../image.ts";
import type { Run, Stage } from "../stage.ts";
import { toHistoryItem, type History, type HistoryEntry } from "./history.ts";

export interface MemoryOptions {
  /** What forms that are over printed since the agent's last answer. */
  readonly takeLateOutput?: () => readonly DiagnosticLine[];
  /** The agent began a form that is more than a look, and then, with `result`, what came of it. Must not throw. */
  readonly onAgentForm?: (form: AgentForm, result?: Evaluated) => void;
}

export interface AgentForm extends HistoryItem {
  /** The code is a tool's own words. */
  readonly isTool?: true;
}

export interface HistoryQuery {
  readonly limit?: number;
  readonly cursor?: string;
  /** Those that an interrupt would end something of. */
  readonly only?: "stoppable";
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

export class Memory implements Stage {
  readonly #history: History;
  readonly #pid: () => number | undefined;
  readonly #options: MemoryOptions;

  constructor(history: History, pid: () => number | undefined, options: MemoryOptions) {
    this.#history = history;
    this.#pid = pid;
    this.#options = options;
  }

  async around(run: Run, next: () => Promise<Evaluated>): Promise<Evaluated> {
    const entry = this.#history.begin(run);
    this.#tell(entry);
    const result = await next();
    this.#history.end(entry, result, this.#pid());
    this.#tell(entry, result);
    return result;
  }

  answered({ by, tool }: EvaluateRequest, result: Evaluated): Evaluated {
    const late = by === "agent" && tool?.isLook !== true ? (this.#options.takeLateOutput?.() ?? []) : [];
    return late.length === 0 ? result : { ...result, notes: [...result.notes, ...late] };
  }

  /** Newest first. */
  page({ limit = DEFAULT_LIMIT, cursor, only }: HistoryQuery = {}): Page<HistoryItem> {
    const shown = Math.min(limit, MAX_LIMIT);
    return only === undefined
      ? this.#history.page(shown, cursor, this.#pid())
      : this.#history.stoppable(shown, this.#pid());
  }

  /** The history's item of an evaluation that is over. */
  evaluation(evalId: string): HistoryItem | undefined {
    const entry = this.#history.find(evalId);
    return entry?.result === undefined ? undefined : toHistoryItem(entry, this.#pid());
  }

  #tell(entry: HistoryEntry, result?: Evaluated): void {
    const { by, request, replayOf } = entry;
    if (by !== "agent" || request.tool?.isLook === true || replayOf !== undefined) return;
    const form = toHistoryItem(entry, this.#pid());
    this.#options.onAgentForm?.(request.tool === undefined ? form : { ...form, isTool: true }, result);
  }
}
