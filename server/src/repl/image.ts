/** What the rest of the server knows of the image: the Node process in which the person and the agent evaluate. */
import type { ErrorInfo, EvalResult, ReplStatus } from "../protocol/shapes.ts";

export type Confinement = ReplStatus["confinement"];

export interface ImageOutput {
  /** Absent for text that no evaluation can be named for. */
  readonly evalId?: string;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

export interface ImageOptions {
  readonly projectRoot: string;
  /** The Node that runs the image; by default the server's own. */
  readonly nodePath?: string;
  /** Text of an open, perhaps unsaved document; undefined means the file on disk. */
  readonly readSource?: (absolutePath: string) => string | undefined;
  readonly onOutput: (output: ImageOutput) => void;
  readonly onState: (status: ReplStatus) => void;
  readonly log: (message: string) => void;
  /** `confined` by default. `open` is full power and needs the person's consent, which the caller has obtained. */
  readonly confinement?: Confinement;
}

export interface EvaluateRequest {
  readonly code: string;
  /** Absolute path of a project module in whose own scope the code runs. */
  readonly module?: string;
  readonly timeoutMs?: number;
  readonly by: "person" | "agent";
  readonly evalId?: string;
}

export interface LastError {
  readonly error: ErrorInfo;
  readonly code: string;
  readonly evalId: string;
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
};

/**
 * Contract: nothing here throws for what user code does; a dead process is a state and the next evaluation starts a
 * new one. Evaluations run one after the other in the order they came. Aborting `signal` stops that evaluation only.
 */
export interface Image {
  readonly evaluate: (request: EvaluateRequest, signal: AbortSignal) => Promise<EvalResult>;
  /** Stops the running evaluation; false when none was running. */
  readonly interrupt: () => Promise<boolean>;
  /** A fresh process: definitions and values are gone. */
  readonly restart: () => Promise<ReplStatus>;
  readonly status: () => ReplStatus;
  readonly lastError: () => LastError | undefined;
  /**
   * What a module's name holds now, without evaluating anything and without starting the image. Undefined when it does
   * not run, when the module was never loaded, or when there is nothing to see without running code.
   */
  readonly liveValue: (request: LiveValueRequest) => Promise<LiveValue | undefined>;
  readonly dispose: () => Promise<void>;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
