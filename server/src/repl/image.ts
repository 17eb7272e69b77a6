/** The image is the Node process of the REPL. This file has the questions that the image is asked, and its answers. */
import type { LateWall } from "./confinement/image-wall.ts";
import type { IsSecretName } from "./confinement/limited/tree-check.ts";
import type { Network } from "./confinement/limited/network.ts";
import type { CompletionAnswer, ErrorInfo, EvalResult, ReplStatus, ValuePage } from "../protocol/repl-shapes.ts";
import type { Installation } from "./redefine/installation.ts";
import type { RunningModule } from "./redefine/running-texts.ts";

export type Confinement = ReplStatus["confinement"];

export interface ImageOutput {
  /** Absent for text that cannot be attributed to an evaluation. */
  readonly evalId?: string;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** The text came after the end of the evaluation. */
  readonly late?: true;
}

export interface ImageOptions {
  readonly projectRoot: string;
  /** The Node that runs the image; by default the server's own. */
  readonly nodePath?: string;
  /** Text of an open, perhaps unsaved document; undefined means the file on disk, null a file that is to be absent. */
  readonly readSource?: (absolutePath: string) => string | null | undefined;
  readonly onOutput: (output: ImageOutput) => void;
  readonly onState: (status: ReplStatus) => void;
  readonly log: (message: string) => void;
  /**
   * `confined` by default; asked for at each start. `open` gives the process full rights and needs the person's
   * consent.
   */
  readonly confinement?: Confinement | (() => Confinement);
  /** The operating system's wall that holds a confined image; without a wall, Node's permissions hold the image. */
  readonly wall?: LateWall;
  /** Why no process may be started now: the person's consent is missing. */
  readonly whyNotStart?: () => string | undefined;
  /**
   * `none` by default: a confined image has no network where the system can close it, and the status tells the outcome.
   */
  readonly network?: Network;
  /**
   * The command that runs a program where the image lives: `["docker", "exec", "-i", "dev"]`. Its Node is `nodePath`,
   * by default `node`.
   */
  readonly command?: readonly [string, ...string[]];
  /** Whether a file of this name may hold secrets: Node's permissions keep such files of the project from the image. */
  readonly isSecretName?: IsSecretName;
  /**
   * Whether an error may quote lines of a file; by default the files that the image may read. A stack can name any
   * file.
   */
  readonly mayQuote?: (absolutePath: string) => boolean;
  /** The limit of the image's heap, in megabytes; by default what Node chooses for the machine. */
  readonly heapLimitMb?: number;
  /**
   * Called before the scratch folder of a process is removed: files there can be read for the last time. Must not
   * throw.
   */
  readonly beforeCleanup?: (scratch: string) => void;
}

/** What the REPL says of an image: also what it reads and where its output goes, for one that answers a single form. */
export type ReplImageOptions = Pick<ImageOptions, "confinement" | "whyNotStart" | "onState"> &
  Partial<Pick<ImageOptions, "readSource" | "onOutput">>;

export interface EvaluateRequest {
  readonly code: string;
  /** Absolute path of the project module in whose scope the code runs. */
  readonly module?: string;
  readonly timeoutMs?: number;
  readonly by: "person" | "agent";
  /** The program whose agent it is, where it is not the server's own. */
  readonly host?: string;
  /**
   * The code is declarations. All of them or none are installed, in the running module or among the names of the forms.
   */
  readonly install?: InstallOptions;
  /** A tool made the code, and nobody wrote it: the code is not type-checked. */
  readonly tool?: ToolForm;
  /** The answer of `tryOut` for this form: the evaluation takes the trial's value and does not run the form again. */
  readonly trial?: string;
}

export interface ToolForm {
  /** The tool's own words, which the history shows in place of the code. */
  readonly words: string;
  /** The form only looks: a replay leaves it out, and nobody is told. */
  readonly isLook?: true;
}

/** A form for the process. By default the form gets the next number, and the number is its id. */
export interface NumberedForm extends EvaluateRequest {
  readonly number?: number;
  readonly evalId?: string;
}

export type TrialRequest = Pick<EvaluateRequest, "code" | "module">;

export interface InstallOptions {
  /** Reload the module and its importers with the form in the text: new exports and imports need that. */
  readonly reload?: boolean;
}

export interface Evaluated extends EvalResult {
  /** For a form that was installed. */
  readonly installation?: Installation;
}

export interface LastError {
  readonly error: ErrorInfo;
  readonly code: string;
  readonly evalId: string;
  /** Code that the form left running raised the error: the error is not the form's outcome. */
  readonly isBackground?: true;
}

/** The value of a name in a module: the module's real path, and the path to the value: `["Outer", "member"]`. */
export interface LiveValueRequest {
  readonly file: string;
  readonly path: readonly string[];
}

/** `busy`: the image could not look in time. `uninitialized`: the module has not reached the declaration. */
export type LiveValue = (
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "uninitialized" }
  | { readonly kind: "busy" }
) & {
  readonly loadedAt: Date;
  /** Whether the module's text is still the one that was loaded. */
  readonly isUnchanged: boolean;
  /**
   * The forms that gave the name its value or changed parts of the value: `Cart.add` of `Cart`. The latest comes last.
   */
  readonly redefinitions?: readonly { readonly evalId: string; readonly name: string }[];
};

/** Asks for one page of one value. */
export interface InspectRequest {
  /** A TypeScript expression without effects: `$7`, a name, `cart.lines`. */
  readonly value: string;
  /** Absolute path of the module in whose scope the expression is read; the module must be loaded. */
  readonly module?: string;
  /** Steps from the value, each as a member of a page names it. */
  readonly path?: readonly string[];
  /** Counted from 1. */
  readonly page?: number;
  /** The number of members on a page. */
  readonly size?: number;
}

/** `getter`: a step is a getter, which looking does not call. `effect`: the expression would have a side effect. */
export type InspectAnswer =
  | { readonly ok: true; readonly page: ValuePage }
  | {
      readonly ok: false;
      readonly why: "notRunning" | "busy" | "missing" | "getter" | "effect" | "error";
      readonly reason: string;
    };

export interface CompleteRequest {
  readonly code: string;
  /** UTF-16 units from the beginning of `code`. */
  readonly offset: number;
  /** Absolute path of the module in whose scope the code would run. */
  readonly module?: string;
}

/**
 * Contract: nothing here throws for what user code does. A dead process is a state, and the next evaluation starts a
 * new process. Evaluations begin in the order they came, and a new one begins while earlier ones wait for something;
 * synchronous code of one evaluation holds up the others. Aborting `signal` stops that evaluation only.
 */
export interface Image {
  /** A number for a form that will be evaluated. No number is given twice. */
  readonly nextNumber: () => number;
  readonly evaluate: (form: NumberedForm, signal: AbortSignal) => Promise<Evaluated>;
  /**
   * Stops that evaluation, by default all that run. When none runs, stops what earlier evaluations left running on the
   * main thread. False when there was nothing to stop.
   */
  readonly interrupt: (evalId?: string) => Promise<boolean>;
  /**
   * Ends everything that a finished evaluation left open or running, and says what was ended: `1 timer, 1 server on
   * port 4000`. Undefined when there was nothing.
   */
  readonly endLeftOpen: (evalId: string) => Promise<string | undefined>;
  /** Starts a fresh process: definitions and values are gone. */
  readonly restart: () => Promise<ReplStatus>;
  readonly status: () => ReplStatus;
  /** The version of the Node that runs the image, known before the image runs; undefined when there is no Node. */
  readonly nodeVersion: () => Promise<string | undefined>;
  readonly lastError: () => LastError | undefined;
  /** The errors that the form raised, the oldest first: its outcome, and later errors in the background. */
  readonly errorsOf: (evalId: string) => readonly LastError[];
  /** The names that forms declared or imported in the REPL's own scope and that the process still has. */
  readonly declared: () => readonly string[];
  /** The modules in which forms installed something, with the texts that run; all other modules run their source. */
  readonly runningModules: () => readonly RunningModule[];
  /**
   * The present value of a module's name, read without evaluating anything and without starting the image. Undefined
   * when the image does not run, when the module was never loaded, or when the value cannot be read without running
   * code.
   */
  readonly liveValue: (request: LiveValueRequest) => Promise<LiveValue | undefined>;
  /** A page of a value, without evaluating anything and without starting the image. */
  readonly inspect: (request: InspectRequest) => Promise<InspectAnswer>;
  /** Completions at a place of a form. Runs nothing, starts nothing, and answers in part while the image is busy. */
  readonly complete: (request: CompleteRequest) => Promise<CompletionAnswer>;
  /**
   * Tries to get a form's value without side effects, and starts the image where it does not run. Answers what
   * `evaluate` takes as `trial`; undefined when the form may have a side effect, declares, imports or awaits something,
   * takes too long or throws.
   */
  readonly tryOut: (request: TrialRequest) => Promise<string | undefined>;
  /** Gives a kept value a second handle: after `alias("$20", "$7")` the value of `$20` is `$7` as well. */
  readonly alias: (from: string, to: string) => Promise<void>;
  readonly dispose: () => Promise<void>;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
