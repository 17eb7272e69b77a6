/** The frames between the server and the image on file descriptor 3. Every frame of the image carries its token. */
import type { Installed } from "../../redefine/installation.ts";
import type { RunningModule } from "./app-frames.ts";
import type { BusyFrame } from "./busy-frame.ts";
import type { Inquiry, InquiryAnswer } from "./inquiry.ts";

/** The module to which the forms belong, in the project's root folder. The file does not exist. */
export const REPL_FILE = "__repl__.ts";

/** Used in place of the number of an `await`: the form waits for the promise that is its value. */
export const AWAITED_VALUE = -1;
/** Used in place of the number of an `await`: the form waits at no `await` of its own. */
export const AWAITS_NOTHING = -2;

/** An error as the image saw it; the server maps its stack and makes an `ErrorInfo`. */
export interface RawError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: string;
  /** The error's other properties, as printed text. */
  readonly details?: string;
  readonly cause?: RawError;
  readonly errors?: readonly RawError[];
  /** How many more parts there are than `errors` has. */
  readonly moreErrors?: number;
}

/** The facts about the value of a finished evaluation that are sent: never the value itself. */
export interface KeptValue {
  readonly handle?: string;
  readonly preview: string;
  readonly type: string;
  readonly awaited?: boolean;
  readonly installed?: Installed;
}

/** The memory for which an evaluation was stopped: V8's heap, or buffers, which are outside of the heap. */
export interface MemoryFacts {
  readonly kind: "heap" | "buffers";
  readonly usedMb: number;
  readonly limitMb: number;
  /** The memory that is still in use after the stop. */
  readonly heldMb?: number;
}

/** Used in place of an evaluation's number: stops what holds the main thread while no evaluation runs. */
export const NO_EVALUATION = -1;

export type ToImage =
  /** The first frame. The image's own frames carry the token. */
  | { readonly t: "hello"; readonly token: string }
  | { readonly t: "eval"; readonly id: number; readonly code: string }
  | { readonly t: "interrupt"; readonly id: number; readonly locate: boolean; readonly isOver?: true }
  | { readonly t: "peek"; readonly request: number; readonly url: string; readonly path: readonly string[] }
  | { readonly t: "inquire"; readonly request: number; readonly inquiry: Inquiry }
  | { readonly t: "answer"; readonly request: number; readonly answer: BridgeAnswer };

export type FromImage =
  | { readonly t: "ready"; readonly pid: number; readonly node: string }
  | { readonly t: "refused"; readonly reason: string }
  | {
      readonly t: "result";
      readonly id: number;
      readonly outcome: "value" | "error" | "interrupted" | "stuck";
      readonly value?: KeptValue;
      readonly error?: RawError;
      /** Position of a syntax error in the evaluated code (0-based). */
      readonly at?: { readonly line: number; readonly column: number };
      /** The place of the main thread when the evaluation was stopped; empty when the evaluation only waited. */
      readonly where?: readonly BusyFrame[];
      readonly abandoned?: boolean;
      /** False when the evaluation was stopped before any of its code ran. */
      readonly begun?: false;
      /** The evaluation whose code held the main thread, when it was another one; 0 when it is not known. */
      readonly holder?: number;
      /** Present when the evaluation was stopped because of its use of memory. */
      readonly memory?: MemoryFacts;
      /** The number of the evaluation's own `await` at which it waits, or `AWAITED_VALUE`. */
      readonly waits?: number;
      /** URLs of modules that wait at their top level while the evaluation waits for a module to be loaded. */
      readonly loading?: readonly string[];
      /** The names of the things that the evaluation had open until it was stopped; empty for none. */
      readonly ended?: string;
      /** The names of the things that a finished evaluation leaves open. */
      readonly left?: string;
    }
  /** An evaluation that waited for its turn begins to run. */
  | { readonly t: "began"; readonly id: number }
  | { readonly t: "out"; readonly id: number; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly t: "dropped"; readonly id: number; readonly bytes: number }
  /** The end of the text that was reported as dropped. `lost` characters of the stream before it are gone. */
  | {
      readonly t: "end";
      readonly id: number;
      readonly stream: "stdout" | "stderr";
      readonly text: string;
      readonly lost: number;
    }
  | {
      readonly t: "event";
      readonly id: number;
      readonly kind: "uncaught" | "rejection" | "exit";
      readonly error: RawError;
    }
  /** Modules that a running program has loaded by itself. */
  | { readonly t: "loaded"; readonly modules: readonly RunningModule[] }
  | { readonly t: "peeked"; readonly request: number; readonly answer: PeekAnswer }
  | { readonly t: "inquired"; readonly request: number; readonly answer: InquiryAnswer }
  | { readonly t: "need"; readonly request: number; readonly need: BridgeNeed };

/** `absent`: there is no such name, or nothing can be seen without running code. */
export type PeekAnswer =
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "uninitialized" }
  | { readonly kind: "absent" }
  | { readonly kind: "busy" };

/** A question of the image's main thread, which waits for the answer. */
export type BridgeNeed =
  | {
      readonly op: "resolve";
      readonly specifier: string;
      readonly parent: string;
      readonly conditions: readonly string[];
    }
  /** `conditions` are those under which the module's imports will be resolved, where they are known. */
  | { readonly op: "load"; readonly url: string; readonly json: JsonUse; readonly conditions?: readonly string[] }
  /** The same question from a thread that the project's code started. */
  | {
      readonly op: "threadResolve";
      readonly specifier: string;
      readonly parent: string;
      readonly conditions: readonly string[];
    }
  | { readonly op: "threadLoad"; readonly url: string }
  | { readonly op: "isType"; readonly name: string }
  /**
   * A report that needs no answer: `urls` are modules that threw while they ran, `unbegun` modules that were not begun.
   * Node keeps their errors.
   */
  | { readonly op: "threw"; readonly urls: readonly string[]; readonly unbegun: readonly string[] };

/** The way in which JSON is asked for: by `require`, by an import with `type: "json"`, or by an import without it. */
export type JsonUse = "require" | "attribute" | "plain";

export interface BridgeAnswer {
  /** Node shall do it itself. */
  readonly defer?: boolean;
  readonly url?: string;
  readonly format?: string;
  readonly source?: string;
  /** Specifiers that the source imports, with the URLs to which they resolve now. */
  readonly ahead?: readonly (readonly [string, string])[];
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
  /** URLs that a form has to load before this one. */
  readonly first?: readonly string[];
  /** Paths whose CommonJS instances must be forgotten before the next load. */
  readonly forget?: readonly string[];
  readonly yes?: boolean;
}
