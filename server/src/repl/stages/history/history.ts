/**
 * The history of evaluations: the code, the author and the outcome. The server keeps it, so it survives a crash of the
 * process.
 */
import { shortened } from "../../../base/cut-text.ts";
import type { EvalResult, HistoryItem } from "../../../protocol/repl-shapes.ts";
import type { Page } from "../../../protocol/shapes.ts";
import type { Run } from "../stage.ts";
import { given } from "../../../base/given.ts";

export interface HistoryEntry extends Omit<Run, "number"> {
  readonly at: Date;
  /** Absent while the evaluation runs. */
  result?: EvalResult;
  /** Everything that the evaluation left open was ended. */
  isEnded?: boolean;
  /** The process that has the evaluation's state. */
  pid?: number | undefined;
  /** Forms of one line build on each other. A restart that replays nothing begins a new line. */
  line: number;
}

/**
 * The parts of a process's state that the history knows: its values, what it has open, and the functions that are
 * traced.
 */
export interface Holdings {
  readonly values: readonly string[];
  readonly open: readonly string[];
  readonly traced: readonly string[];
}

const MAX_ENTRIES = 1000;
const MAX_CHARACTERS = 2_000_000;
/** The words that the tracing tools give their own forms. */
const TRACE_WORDS = /^(un)?trace_function(?: (\S.*))?$/;
const SHOWN_CODE = 4000;
const SHOWN_PREVIEW = 200;

export class History {
  readonly #entries: HistoryEntry[] = [];
  #characters = 0;
  #line = 0;
  /**
   * The number of dropped entries. Entries keep their numbers, so that a page's cursor stays right when older entries
   * are dropped and new ones come.
   */
  #dropped = 0;

  begin({ request, by, evalId, replayOf }: Omit<Run, "number">): HistoryEntry {
    const entry: HistoryEntry = { request, by, evalId, ...given({ replayOf }), at: new Date(), line: this.#line };
    this.#entries.push(entry);
    this.#characters += request.code.length;
    while (this.#entries.length > MAX_ENTRIES || (this.#characters > MAX_CHARACTERS && this.#entries.length > 1)) {
      this.#characters -= this.#entries.shift()?.request.code.length ?? 0;
      this.#dropped += 1;
    }
    return entry;
  }

  end(entry: HistoryEntry, result: EvalResult, pid: number | undefined): void {
    entry.result = result;
    entry.pid = result.stateKept ? pid : undefined;
  }

  /** The newest entry comes first. */
  page(limit: number, cursor: string | undefined, pid: number | undefined): Page<HistoryItem> {
    const before = cursor === undefined ? this.#dropped + this.#entries.length : Number(cursor);
    const end = Math.min(Math.max(0, before - this.#dropped), this.#entries.length);
    const start = Math.max(0, end - limit);
    return {
      items: this.#items(pid, start, end).toReversed(),
      total: this.#entries.length,
      ...(start > 0 ? { nextCursor: String(this.#dropped + start) } : {}),
    };
  }

  /** Evaluations that run, or that left something open in the present process. The newest comes first. */
  stoppable(limit: number, pid: number | undefined): Page<HistoryItem> {
    const found = this.#items(pid).filter(isStoppable);
    return { items: found.toReversed().slice(0, limit), total: found.length };
  }

  holdings(pid: number | undefined): Holdings {
    const kept = this.#items(pid).filter((item) => item.stateKept);
    const traced = new Set<string>();
    for (const { code, outcome } of kept) {
      const [, un, name] = outcome === "value" ? (TRACE_WORDS.exec(code) ?? []) : [];
      if (un === "un" && name === undefined) traced.clear();
      else if (name !== undefined) traced[un === "un" ? "delete" : "add"](name);
    }
    return {
      values: kept.flatMap(({ valueId }) => valueId ?? []),
      open: kept.flatMap(({ left }) => left ?? []),
      traced: [...traced],
    };
  }

  find(evalId: string): HistoryEntry | undefined {
    return this.#entries.findLast((entry) => entry.evalId === evalId);
  }

  /** Everything that the evaluation left open was ended. */
  ended(evalId: string): void {
    for (const entry of this.#entries) if (entry.evalId === evalId) entry.isEnded = true;
  }

  /** Forms that succeeded, in their order: those with these ids, or all from which the present state was built. */
  replayable(ids: readonly string[] | "all"): readonly HistoryEntry[] {
    const originals = this.#entries.filter(isOriginal);
    if (ids !== "all") return originals.filter(({ evalId }) => ids.includes(evalId));
    const latest = Math.max(...originals.map(({ line }) => line));
    return originals.filter(({ line }) => line === latest);
  }

  /** The ids that name no form that can be run again. */
  notReplayable(ids: readonly string[] | "all" = []): readonly string[] {
    if (ids === "all") return [];
    const known = new Set(this.replayable(ids).map(({ evalId }) => evalId));
    return ids.filter((id) => !known.has(id));
  }

  /** From now on, the state is built from these forms only. */
  startLine(chosen: readonly HistoryEntry[]): void {
    this.#line += 1;
    for (const entry of chosen) entry.line = this.#line;
  }

  #items(pid: number | undefined, start?: number, end?: number): HistoryItem[] {
    return this.#entries.slice(start, end).map((entry) => toHistoryItem(entry, pid));
  }
}

function isOriginal({ request, by, replayOf, result }: HistoryEntry): boolean {
  return replayOf === undefined && request.tool?.isLook !== true && by !== "startup" && result?.outcome === "value";
}

export function toHistoryItem(entry: HistoryEntry, pid: number | undefined): HistoryItem {
  const { request, by, evalId, at, replayOf, result } = entry;
  const base = {
    evalId,
    by,
    ...given({ module: request.module }),
    code: shortened(request.tool?.words ?? request.code, SHOWN_CODE),
    at: at.toISOString(),
    ...given({ replayOf: replayOf?.evalId }),
  };
  if (result === undefined) return { ...base, outcome: "running", stateKept: true };
  const { outcome, valueId, preview, type, error, durationMs, left } = result;
  // What a form without a value, or a failed form, left behind is part of the state too.
  const stateKept = result.stateKept && entry.pid !== undefined && entry.pid === pid;
  return {
    ...base,
    outcome,
    ...given({ valueId }),
    ...(preview === undefined ? {} : { preview: shortened(preview, SHOWN_PREVIEW) }),
    ...given({ type }),
    ...(error === undefined ? {} : { error: shortened(`${error.name}: ${error.message}`, SHOWN_PREVIEW) }),
    durationMs,
    stateKept,
    ...(left === undefined || !stateKept || entry.isEnded === true ? {} : { left }),
  };
}

function isStoppable({ outcome, left }: HistoryItem): boolean {
  return outcome === "running" || left !== undefined;
}
