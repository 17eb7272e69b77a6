/** What travels between the server and the image on file descriptor 3. Every frame of the image carries its token. */
import type { Installed } from "../../redefine/installation.ts";
import type { BusyFrame } from "./busy-frame.ts";
import type { Inquiry, InquiryAnswer } from "./inquiry.ts";

/** The module that the forms are parts of, in the project's root. It is in no folder. */
export const REPL_FILE = "__repl__.ts";

/** In place of the number of an `await`: the form waits for the promise that is its value. */
export const AWAITED_VALUE = -1;
/** In the same place: the form waits at no `await` of its own. */
export const AWAITS_NOTHING = -2;

/** An error as the image saw it; the server maps its stack and turns it into an `ErrorInfo`. */
export interface RawError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: string;
  /** The error's other properties, printed. */
  readonly details?: string;
  readonly cause?: RawError;
  readonly errors?: readonly RawError[];
  /** Parts beyond those of `errors`. */
  readonly moreErrors?: number;
}

/** What the image keeps of a finished evaluation's value: never the value itself. */
export interface KeptValue {
  readonly handle?: string;
  readonly preview: string;
  readonly type: string;
  readonly awaited?: boolean;
  readonly installed?: Installed;
}

/** Why an evaluation had to be stopped: what V8 calls its heap, or buffers, which lie outside of it. */
export interface MemoryFacts {
  readonly kind: "heap" | "buffers";
  readonly usedMb: number;
  readonly limitMb: number;
  /** What is still held after the stop. */
  readonly heldMb?: number;
}

/** In the place of an evaluation's number: stop what holds the main thread though no evaluation runs. */
export const NO_EVALUATION = -1;

export type ToImage =
  /** The first of all frames; the image's own frames carry the token. */
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
      /** Where the main thread was when the evaluation was stopped; empty when the evaluation only waited. */
      readonly where?: readonly BusyFrame[];
      readonly abandoned?: boolean;
      /** False when the evaluation was stopped before any of its code ran. */
      readonly begun?: false;
      /** The evaluation whose code held the main thread in its place; 0 when nobody knows. */
      readonly holder?: number;
      /** Present when the evaluation was stopped because of the memory it took. */
      readonly memory?: MemoryFacts;
      /** The number of the evaluation's own `await` that it waits at, or `AWAITED_VALUE`. */
      readonly waits?: number;
      /** URLs of modules that wait at their top level while the evaluation waits for a module to be loaded. */
      readonly loading?: readonly string[];
      /** What the evaluation had open until it was stopped; empty for nothing. */
      readonly ended?: string;
      /** What the evaluation leaves open though it is over. */
      readonly left?: string;
    }
  /** An evaluation that waited for its turn runs from now on. */
  | { readonly t: "began"; readonly id: number }
  | { readonly t: "out"; readonly id: number; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly t: "dropped"; readonly id: number; readonly bytes: number }
  /** The end of the output that was dropped until now; `lost` characters of the stream before it are gone. */
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
  | { readonly t: "peeked"; readonly request: number; readonly answer: PeekAnswer }
  | { readonly t: "inquired"; readonly request: number; readonly answer: InquiryAnswer }
  | { readonly t: "need"; readonly request: number; readonly need: BridgeNeed };

/** `absent`: there is nothing to see without running code, or no such name. */
export type PeekAnswer =
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "uninitialized" }
  | { readonly kind: "absent" }
  | { readonly kind: "busy" };

/** A question the image's main thread asks while it is blocked. */
export type BridgeNeed =
  | {
      readonly op: "resolve";
      readonly specifier: string;
      readonly parent: string;
      readonly conditions: readonly string[];
    }
  /** With the conditions under which the module's imports will be resolved, where they are known. */
  | { readonly op: "load"; readonly url: string; readonly json: JsonUse; readonly conditions?: readonly string[] }
  /** The same for a thread that the project's code started. */
  | {
      readonly op: "threadResolve";
      readonly specifier: string;
      readonly parent: string;
      readonly conditions: readonly string[];
    }
  | { readonly op: "threadLoad"; readonly url: string }
  | { readonly op: "isType"; readonly name: string }
  /** No question: these modules threw while they ran, and those were not begun. Node gives their errors for ever. */
  | { readonly op: "threw"; readonly urls: readonly string[]; readonly unbegun: readonly string[] };

/** How JSON would be asked for: by `require`, by an import that says `type: "json"`, or by one that does not. */
export type JsonUse = "require" | "attribute" | "plain";

export interface BridgeAnswer {
  /** Node does it itself. */
  readonly defer?: boolean;
  readonly url?: string;
  readonly format?: string;
  readonly source?: string;
  /** Specifiers that the source imports, with the URLs that they resolve to at this moment. */
  readonly ahead?: readonly (readonly [string, string])[];
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
  /** URLs that a form loads before this one. */
  readonly first?: readonly string[];
  /** Paths whose CommonJS instances must be forgotten before the next load. */
  readonly forget?: readonly string[];
  readonly yes?: boolean;
}
