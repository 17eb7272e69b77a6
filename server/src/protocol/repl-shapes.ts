/** The shapes of what travels between a client and the REPL. Positions as in `shapes.ts`. */
import type { Range } from "vscode-languageserver-protocol";
import type { DiagnosticLine } from "./shapes.ts";

export interface ErrorFrame {
  readonly function: string;
  readonly uri: string;
  readonly line: number;
  readonly character: number;
  /** The source line the frame points at. */
  readonly code?: string;
}

export interface ErrorInfo {
  readonly name: string;
  readonly message: string;
  readonly frames: readonly ErrorFrame[];
  /** The error's other properties, printed: `{ errno: -2, syscall: "open" }`. */
  readonly details?: string;
  readonly cause?: ErrorInfo;
  /** The parts of an AggregateError, the first ten. */
  readonly errors?: readonly ErrorInfo[];
  /** How many parts there are beyond those. */
  readonly moreErrors?: number;
}

export interface EvalResult {
  readonly evalId: string;
  readonly outcome: "value" | "error" | "interrupted" | "timeout" | "crashed";
  /** `$7`: the handle under which the REPL keeps the value. */
  readonly valueId?: string;
  readonly preview?: string;
  readonly type?: string;
  readonly error?: ErrorInfo;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly notes: readonly DiagnosticLine[];
  /** False when the REPL had to be restarted: definitions and values are gone. */
  readonly stateKept: boolean;
  /** In words, with `install`: what was installed in which module, who sees it and who keeps an old copy. */
  readonly installed?: string;
  /** What the evaluation left open or running when it ended: `1 timer, 1 server on port 4000`. The notes say so too. */
  readonly left?: string;
  /** Files of the workspace that changed while the form ran, in an open REPL; absent for none. The first hundred. */
  readonly changes?: readonly EvaluationChange[];
}

export interface EvaluationChange {
  readonly uri: string;
  readonly kind: "created" | "modified" | "deleted";
  readonly canRevert: boolean;
  /** Why the change cannot be taken back. */
  readonly reason?: string;
}

export interface ChangeDecision {
  /** The uris that are kept or reverted now. */
  readonly done: readonly string[];
  readonly failed: readonly { readonly uri: string; readonly reason: string }[];
}

/** A Node process below `agentq run`, or one that was attached, whose folder is one of the open ones, is in one, or has one in it. */
export interface RunningProcess {
  /** The name that the person gave; with `:` and the process id where another one has it already. */
  readonly id: string;
  readonly pid: number;
  /** The words after `node`. */
  readonly command: string;
  /** Absolute path of the folder whose code can be worked with. */
  readonly folder: string;
  /** `v24.21.0`. */
  readonly nodeVersion: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** `modules`: forms run in the scopes of loaded modules; `globals`: not there. */
  readonly level: "modules" | "globals";
  /** What is different in this process, and why. */
  readonly why?: string;
}

export interface RunningProcesses {
  /** The oldest first. */
  readonly processes: readonly RunningProcess[];
}

/** One evaluation of the past, or one that runs. */
export interface HistoryItem {
  readonly evalId: string;
  /** `startup`: the script that the person chose for every start of the REPL. */
  readonly by: "person" | "agent" | "startup";
  /** Absolute path of the module in whose scope it ran. */
  readonly module?: string;
  readonly code: string;
  readonly outcome: EvalResult["outcome"] | "running";
  readonly valueId?: string;
  readonly preview?: string;
  readonly type?: string;
  /** Name and message. */
  readonly error?: string;
  readonly durationMs?: number;
  /** ISO 8601. */
  readonly at: string;
  /** The evaluation whose form was run again. */
  readonly replayOf?: string;
  /** False when the evaluation's process is gone, and with it the definitions and the value. */
  readonly stateKept: boolean;
  /** What the evaluation left open when it ended, until `agentq/interrupt` or the end of the process ends that too. */
  readonly left?: string;
}

/** A form of the agent, for a person who watches. Told when it begins, and again with its `result`. */
export interface AgentEvaluation {
  readonly evalId: string;
  /** Absolute path of the module in whose scope it runs. */
  readonly module?: string;
  /** The form, or a tool's own words where nobody wrote one. Cut after 4,000 characters. */
  readonly code: string;
  /** The code is a tool's own words: its value is no answer to anybody. */
  readonly isTool?: true;
  /** The program whose agent it is, where it is not the server's own: `claude-code`. */
  readonly host?: string;
  /** The running program in which it runs; absent for the REPL's own process. */
  readonly process?: string;
  /** Without its output, which came as `agentq/replOutput`. */
  readonly result?: EvalResult;
}

/** One thing inside a value. */
export interface ValueMember {
  readonly name: string;
  readonly kind: "property" | "symbol" | "entry" | "element" | "getter" | "private" | "internal";
  readonly preview: string;
  readonly type: string;
  /** The step that `path` needs to reach this member; absent when there is no way. */
  readonly step?: string;
  /** Of a map entry whose key is an object: the step to that key. */
  readonly keyStep?: string;
  /** There is something inside. */
  readonly opens: boolean;
  /** The class that an inherited getter belongs to. */
  readonly from?: string;
  /** Not enumerable. */
  readonly hidden?: boolean;
}

/** A page of the inside of a value. Getters are shown and never called; a proxy's traps never run. */
export interface ValuePage {
  readonly value: string;
  readonly path: readonly string[];
  readonly kind:
    | "primitive"
    | "string"
    | "object"
    | "array"
    | "map"
    | "set"
    | "typedArray"
    | "function"
    | "class"
    | "error"
    | "date"
    | "regexp"
    | "promise"
    | "weak"
    | "proxy"
    | "module"
    | "buffer";
  readonly type: string;
  readonly preview: string;
  readonly facts: readonly { readonly name: string; readonly text: string }[];
  /** The members of this page. */
  readonly items: readonly ValueMember[];
  /** Members altogether; characters of a string; rows of a typed array. */
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  /** Not counted, on the first page: private fields, getters of the class, the prototype, what a promise or proxy holds. */
  readonly extras: readonly ValueMember[];
  /** This page of a string. */
  readonly text?: string;
  /** Where a function or class is written. */
  readonly source?: { readonly uri: string; readonly line: number; readonly character: number };
  /** False when time was up and some previews are only `…`. */
  readonly complete: boolean;
}

/** As LSP's CompletionItem. */
export interface ReplCompletion {
  readonly label: string;
  readonly kind: number;
  readonly detail: string;
  readonly sortText: string;
  /** Instead of the label. */
  readonly insertText?: string;
  readonly additionalTextEdits?: readonly { readonly range: Range; readonly newText: string }[];
}

export interface CompletionAnswer {
  readonly items: readonly ReplCompletion[];
  readonly total: number;
  /** Asking again may give more. */
  readonly isIncomplete: boolean;
  /** What an item's text takes the place of. */
  readonly replace: Range;
  /** Why there is less than one would expect. */
  readonly reason?: string;
}

export interface ReplStatus {
  readonly state: "notStarted" | "starting" | "idle" | "busy" | "dead" | "restarting";
  readonly reason?: string;
  readonly confinement: "confined" | "open";
  /**
   * The person's consent to an open REPL, where one is meant to run or nothing else can: `asked` while the question
   * waits for its answer. Absent for a confined REPL.
   */
  readonly consent?: "needed" | "asked" | "given" | "refused";
  /** The person has locked it: the agent looks and runs nothing. */
  readonly locked?: true;
  /** What holds the process: the operating system, Node's permissions alone, or nothing. */
  readonly level: "walled" | "limited" | "open";
  /** What keeps a limited REPL from being walled, and what to type; absent where nothing is missing. */
  readonly missing?: string;
  /** What the confinement does and does not stop here, in a sentence. */
  readonly confinementDetail: string;
  readonly nodeVersion: string;
  readonly pid?: number;
}

export interface RestartAnswer extends ReplStatus {
  /** What the old process had and the new one has not: `2 names (cart, total); 1 server on port 4000`. Absent for nothing. */
  readonly lost?: string;
  /** What was run again, in order. Absent when nothing was asked for. */
  readonly replayed?: readonly HistoryItem[];
  /** Asked for, but no evaluation that succeeded: where there is one of these, nothing was restarted. */
  readonly unknown?: readonly string[];
}
