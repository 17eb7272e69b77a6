/**
 * What a running program and a server say to each other before a form runs: on the program's own socket, as the frames
 * of `frames.ts`.
 */

/** The environment variable by which `agentq run` tells every Node process below it what it belongs to: `RunFacts`. */
export const RUN_VARIABLE = "AGENTQ_RUN";

/** How the socket files of programs are named in the person's runtime folder: the process id, then letters. */
export const APP_SOCKET = /^app-(\d+)-[\w-]+\.sock$/;

export interface RunFacts {
  readonly name: string;
  /** The real path of the folder whose code can be worked with. */
  readonly root: string;
  /** The folder for the sockets. */
  readonly sockets: string;
}

/** What has become of a process that `agentq attach` came to: a sentence where nothing has. */
export interface AttachAnswer {
  readonly refused?: string;
}

/** `modules`: forms run inside of loaded modules. `globals`: the loader cannot be followed, for the reason in `why`. */
export type AppLevel = "modules" | "globals";

export interface AppFacts extends Omit<RunFacts, "sockets"> {
  readonly pid: number;
  /** The words of the command line, the program's own path first. */
  readonly command: readonly string[];
  readonly node: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly level: AppLevel;
  readonly why?: string;
}

export type FromApp =
  | { readonly t: "app"; readonly facts: AppFacts }
  /** Forms go to this socket from now on, as to the REPL's own process. */
  | { readonly t: "opened"; readonly socket: string }
  | { readonly t: "refused"; readonly reason: string }
  /** The person detaches the program: what closes now does so for that reason. */
  | { readonly t: "detached" };

export type ToApp =
  | { readonly t: "open" }
  /** The program is to be one no more: its end of the socket closes when that is done. */
  | { readonly t: "detach" };

/** A module that the program has loaded. The texts are those that came to the compiler of Node or of another loader. */
export interface RunningModule {
  readonly url: string;
  readonly text: string;
  readonly format: "module" | "commonjs";
}
