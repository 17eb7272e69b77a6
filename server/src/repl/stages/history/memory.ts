/** Puts every evaluation into the history, and tells the person's editor about the agent's forms. */
import type { HistoryItem } from "../../../protocol/repl-shapes.ts";
import type { DiagnosticLine, Page } from "../../../protocol/shapes.ts";
import { given } from "../../../base/given.ts";
import type { Evaluated, EvaluateRequest } from "../../image.ts";
import type { Run, Stage } from "../stage.ts";
import { toHistoryItem, type History, type HistoryEntry } from "./history.ts";

export interface MemoryOptions {
  /** The output of finished forms since the agent's last answer. */
  readonly takeLateOutput?: () => readonly DiagnosticLine[];
  /**
   * Called when the agent begins a form that is more than a look, and again with `result` when the form has ended. Must
   * not throw.
   */
  readonly onAgentForm?: (form: AgentForm, result?: Evaluated) => void;
}

export interface AgentForm extends HistoryItem {
  /** The code is the words of a tool. */
  readonly isTool?: true;
  /** As in `EvaluateRequest`. */
  readonly host?: string;
}

export interface HistoryQuery {
  readonly limit?: number;
  readonly cursor?: string;
  /** Only evaluations that run or that left something open. */
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

  /** The newest entry comes first. */
  page({ limit = DEFAULT_LIMIT, cursor, only }: HistoryQuery = {}): Page<HistoryItem> {
    const shown = Math.min(limit, MAX_LIMIT);
    return only === undefined
      ? this.#history.page(shown, cursor, this.#pid())
      : this.#history.stoppable(shown, this.#pid());
  }

  /** The entry of a finished evaluation. */
  evaluation(evalId: string): HistoryItem | undefined {
    const entry = this.#history.find(evalId);
    return entry?.result === undefined ? undefined : toHistoryItem(entry, this.#pid());
  }

  #tell(entry: HistoryEntry, result?: Evaluated): void {
    const { by, request, replayOf } = entry;
    if (by !== "agent" || request.tool?.isLook === true || replayOf !== undefined) return;
    const form = { ...toHistoryItem(entry, this.#pid()), ...given({ host: request.host }) };
    this.#options.onAgentForm?.(request.tool === undefined ? form : { ...form, isTool: true }, result);
  }
}
