/** What was evaluated, by whom and with what outcome: kept by the server, so a crash of the image takes nothing from it. */
import { shortened } from "../../../protocol/cut-text.ts";
import type { EvalResult, HistoryItem } from "../../../protocol/repl-shapes.ts";
import type { Page } from "../../../protocol/shapes.ts";
import type { EvaluateRequest } from "../../image.ts";
import { given } from "../../../given.ts";

export type Author = HistoryItem["by"];

export interface HistoryEntry {
  readonly request: EvaluateRequest;
  readonly by: Author;
  readonly at: Date;
  /** The entry whose form this one ran again. */
  readonly replayOf?: HistoryEntry;
  /** Known as soon as the image numbered it. */
  evalId?: string;
  /** Absent while it runs. */
  result?: EvalResult;
  /** What it left open was ended. */
  isEnded?: boolean;
  /** The process whose state it became part of. */
  pid?: number | undefined;
  /** Forms of one line build on each other: a restart that replays nothing begins a new one. */
  line: number;
}

export interface History {
  readonly begin: (request: EvaluateRequest, by: Author, replayOf?: HistoryEntry) => HistoryEntry;
  readonly end: (entry: HistoryEntry, result: EvalResult, pid: number | undefined) => void;
  /** Newest first. */
  readonly page: (limit: number, cursor: string | undefined, pid: number | undefined) => Page<HistoryItem>;
  /** Those that run, or whose process still has open what they left. Newest first. */
  readonly stoppable: (limit: number, pid: number | undefined) => Page<HistoryItem>;
  /** Of what is part of the state of a process: its values, what it has open, and the functions whose calls are told. */
  readonly holdings: (pid: number | undefined) => Holdings;
  readonly find: (evalId: string, pid: number | undefined) => HistoryItem | undefined;
  /** What that one left open is open no more. */
  readonly ended: (evalId: string) => void;
  /** Forms that succeeded, in their order: those named, or all that the present state was built from. */
  readonly replayable: (ids: readonly string[] | "all") => readonly HistoryEntry[];
  /** From now on the state is built of these alone. */
  readonly startLine: (entries: readonly HistoryEntry[]) => void;
}

export interface Holdings {
  readonly values: readonly string[];
  readonly open: readonly string[];
  readonly traced: readonly string[];
}

const MAX_ENTRIES = 1000;
const MAX_CHARACTERS = 2_000_000;
/** How the tools that trace call their own forms. */
const TRACE_WORDS = /^(un)?trace_function(?: (\S.*))?$/;
const SHOWN_CODE = 4000;
const SHOWN_PREVIEW = 200;

export function createHistory(): History {
  const entries: HistoryEntry[] = [];
  let characters = 0;
  let line = 0;
  /** Numbers of entries, so that a page's cursor stays right while older ones are dropped and new ones come. */
  let dropped = 0;

  const isOriginal = ({ request, by, replayOf, result }: HistoryEntry): boolean =>
    replayOf === undefined && request.isLook !== true && by !== "startup" && result?.outcome === "value";
  const ofLine = (wanted: number): HistoryEntry[] =>
    entries.filter((entry) => isOriginal(entry) && entry.line === wanted);

  return {
    begin: (request, by, replayOf) => {
      const entry: HistoryEntry = {
        request,
        by,
        at: new Date(),
        line,
        ...given({ replayOf }),
      };
      entries.push(entry);
      characters += request.code.length;
      while (entries.length > MAX_ENTRIES || (characters > MAX_CHARACTERS && entries.length > 1)) {
        characters -= entries.shift()?.request.code.length ?? 0;
        dropped += 1;
      }
      return entry;
    },
    end: (entry, result, pid) => {
      entry.result = result;
      entry.pid = result.stateKept ? pid : undefined;
    },
    page: (limit, cursor, pid) => {
      const before = cursor === undefined ? dropped + entries.length : Number(cursor);
      const end = Math.min(Math.max(0, before - dropped), entries.length);
      const start = Math.max(0, end - limit);
      const items = entries.slice(start, end).toReversed();
      return {
        items: items.map((entry) => toHistoryItem(entry, pid)),
        total: entries.length,
        ...(start > 0 ? { nextCursor: String(dropped + start) } : {}),
      };
    },
    stoppable: (limit, pid) => {
      const found = entries.map((entry) => toHistoryItem(entry, pid)).filter(isStoppable);
      return { items: found.toReversed().slice(0, limit), total: found.length };
    },
    holdings: (pid) => {
      const kept = entries.map((entry) => toHistoryItem(entry, pid)).filter((item) => item.stateKept);
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
    },
    find: (evalId, pid) => {
      const entry = entries.findLast(({ result }) => result?.evalId === evalId);
      return entry === undefined ? undefined : toHistoryItem(entry, pid);
    },
    ended: (evalId) => {
      for (const entry of entries) if (entry.result?.evalId === evalId) entry.isEnded = true;
    },
    replayable: (ids) => {
      if (ids === "all") {
        for (let wanted = line; wanted >= 0; wanted--) {
          const found = ofLine(wanted);
          if (found.length > 0) return found;
        }
        return [];
      }
      const wanted = new Set(ids);
      return entries.filter((entry) => isOriginal(entry) && wanted.has(entry.result?.evalId ?? ""));
    },
    startLine: (chosen) => {
      line += 1;
      for (const entry of chosen) entry.line = line;
    },
  };
}

export function toHistoryItem(entry: HistoryEntry, pid: number | undefined): HistoryItem {
  const { request, by, at, replayOf, result } = entry;
  const module = request.module === undefined ? {} : { module: request.module };
  const base = {
    evalId: result?.evalId ?? entry.evalId ?? request.evalId ?? "",
    by,
    ...module,
    code: shortened(request.words ?? request.code, SHOWN_CODE),
    at: at.toISOString(),
    ...(replayOf?.result === undefined ? {} : { replayOf: replayOf.result.evalId }),
  };
  if (result === undefined) return { ...base, outcome: "running", stateKept: true };
  const { outcome, valueId, preview, type, error, durationMs, left } = result;
  // What a form without a value, or one that failed, left behind is part of the state too.
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
