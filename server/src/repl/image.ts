/** The image is the Node process of the REPL. These are the questions that may be asked of it, and its answers. */
import type { LateWall } from "./confinement/image-wall.ts";
import type { IsSecretName } from "./confinement/limited/tree-check.ts";
import type { Network } from "./confinement/limited/network.ts";
import type { CompletionAnswer, ErrorInfo, EvalResult, ReplStatus, ValuePage } from "../protocol/repl-shapes.ts";
import type { Installation } from "./redefine/installation.ts";
import type { RunningModule } from "./redefine/running-texts.ts";

export type Confinement = ReplStatus["confinement"];

export interface ImageOutput {
  /** Absent for text that no evaluation can be named for. */
  readonly evalId?: string;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** The evaluation was over when it came. */
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
  /** `confined` by default; asked for at each start. `open` is full power and needs the person's consent. */
  readonly confinement?: Confinement | (() => Confinement);
  /** The operating system's wall, where it is to hold a confined image; without one, Node's permissions do. */
  readonly wall?: LateWall;
  /** Why no process may be started now: the person's consent is missing. */
  readonly whyNotStart?: () => string | undefined;
  /** `none` by default: the confined image then has no network where that can be had, and the status says which. */
  readonly network?: Network;
  /** The command that runs a program where the image shall live: `["docker", "exec", "-i", "dev"]`. Its Node is `nodePath`, by default `node`. */
  readonly command?: readonly [string, ...string[]];
  /** Whether a file of this name may hold secrets: an image that Node's permissions hold cannot read those of the project. */
  readonly isSecretName?: IsSecretName;
  /** Whether an error may quote lines of a file, which its stack can name at will; by default what the image may read. */
  readonly mayQuote?: (absolutePath: string) => boolean;
  /** How large the image's heap may become, in megabytes; by default what Node thinks right for the machine. */
  readonly heapLimitMb?: number;
  /** The last moment at which what a process wrote to its scratch folder can be read. Must not throw. */
  readonly beforeCleanup?: (scratch: string) => void;
}

export interface EvaluateRequest {
  readonly code: string;
  /** Absolute path of a project module in whose own scope the code runs. */
  readonly module?: string;
  readonly timeoutMs?: number;
  readonly by: "person" | "agent";
  /** The code is declarations to be installed, all or none, in the running module or among the names of the forms. */
  readonly install?: InstallOptions;
  /** Nobody wrote the code: a tool made it. It is not type-checked. */
  readonly tool?: ToolForm;
  /** What `tryOut` answered for this form: its value is taken, and the form does not run again. */
  readonly trial?: string;
}

export interface ToolForm {
  /** The tool's own words, which the history shows in place of the code. */
  readonly words: string;
  /** The form only looks: there is nothing to be run again, and nobody is told. */
  readonly isLook?: true;
}

/** A form for the process. By default it has the next number, and the number as its id. */
export interface NumberedForm extends EvaluateRequest {
  readonly number?: number;
  readonly evalId?: string;
}

export type TrialRequest = Pick<EvaluateRequest, "code" | "module">;

export interface InstallOptions {
  /** Load the module and its importers anew with the form in it: the only road for new exports and imports. */
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
  /** The error came from what the form left running, and not as its outcome. */
  readonly isBackground?: true;
}

/** A value by the real path of its module and its name there: `["Outer", "member"]`. */
export interface LiveValueRequest {
  readonly file: string;
  readonly path: readonly string[];
}

/** `busy`: the image could not look in time. `uninitialized`: the module has not come to that declaration. */
export type LiveValue = (
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "uninitialized" }
  | { readonly kind: "busy" }
) & {
  readonly loadedAt: Date;
  /** Whether the module's text is still the one that was loaded. */
  readonly isUnchanged: boolean;
  /** The forms that gave the name what it holds, and things in it: `Cart.add` of `Cart`. The latest comes last. */
  readonly redefinitions?: readonly { readonly evalId: string; readonly name: string }[];
};

/** Which page of which value. */
export interface InspectRequest {
  /** A TypeScript expression without effects: `$7`, a name, `cart.lines`. */
  readonly value: string;
  /** Absolute path of the module whose scope the expression is read in; it must run already. */
  readonly module?: string;
  /** Steps from there, each as a page's member says it. */
  readonly path?: readonly string[];
  /** From 1. */
  readonly page?: number;
  /** Members of a page. */
  readonly size?: number;
}

/** `getter`: a step is a getter, which looking does not call. `effect`: the expression would have one. */
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
 * Contract: nothing here throws for what user code does; a dead process is a state and the next evaluation starts a
 * new one. Evaluations begin in the order they came, and a new one begins while earlier ones wait for something; what
 * one does synchronously holds up the others. Aborting `signal` stops that evaluation only.
 */
export interface Image {
  /** A number for a form that will be evaluated: it is the form's alone, and no number comes twice. */
  readonly nextNumber: () => number;
  readonly evaluate: (form: NumberedForm, signal: AbortSignal) => Promise<Evaluated>;
  /**
   * Stops that evaluation, by default all that run. When none runs, stops what earlier evaluations left that holds the
   * main thread. False when there was nothing to stop.
   */
  readonly interrupt: (evalId?: string) => Promise<boolean>;
  /**
   * Ends what an evaluation that is over left open or running, and tells what that was: `1 timer, 1 server on port 4000`.
   * Undefined when there was nothing.
   */
  readonly endLeftOpen: (evalId: string) => Promise<string | undefined>;
  /** A fresh process: definitions and values are gone. */
  readonly restart: () => Promise<ReplStatus>;
  readonly status: () => ReplStatus;
  /** The version of the Node that runs the image, also before it runs; undefined when there is none. */
  readonly nodeVersion: () => Promise<string | undefined>;
  readonly lastError: () => LastError | undefined;
  /** What that form raised, the oldest first: in the end, and later in the background. */
  readonly errorsOf: (evalId: string) => readonly LastError[];
  /** What forms declared or imported among the REPL's own names, and the process still has. */
  readonly declared: () => readonly string[];
  /** The modules in which something is installed, as they run now; others run their source. */
  readonly runningModules: () => readonly RunningModule[];
  /**
   * What a module's name holds now, without evaluating anything and without starting the image. Undefined when it does
   * not run, when the module was never loaded, or when there is nothing to see without running code.
   */
  readonly liveValue: (request: LiveValueRequest) => Promise<LiveValue | undefined>;
  /** A page of a value, without evaluating anything and without starting the image. */
  readonly inspect: (request: InspectRequest) => Promise<InspectAnswer>;
  /** What fits at a place of a form. Runs nothing, starts nothing, and answers what it can while the image is busy. */
  readonly complete: (request: CompleteRequest) => Promise<CompletionAnswer>;
  /**
   * Tries to get a form's value without side effects, starting the image where it does not run. Undefined when the form
   * may have one, declares, imports or awaits something, takes too long or throws; else what `evaluate` takes as `trial`.
   */
  readonly tryOut: (request: TrialRequest) => Promise<string | undefined>;
  /** Gives a kept value a second handle: `$20` becomes `$7` as well. */
  readonly alias: (from: string, to: string) => Promise<void>;
  readonly dispose: () => Promise<void>;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
