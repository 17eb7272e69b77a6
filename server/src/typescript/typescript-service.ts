/** The TypeScript engine: one native process, started when first needed, restarted when it dies. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { TypeScriptStatus } from "../protocol/shapes.ts";
import { compilerVersion, startNative } from "./native-process.ts";
import { fileOfUri, OpenDocuments, type OpenedDocument } from "./open-documents.ts";
import { Session } from "./session.ts";
import { View } from "./view.ts";
import { pause, untilAborted } from "./waiting.ts";
import { WorkspaceFiles, type FileChangeType } from "./workspace-files.ts";

export interface TypeScriptOptions {
  /** Absolute paths. */
  readonly workspaceFolders: readonly string[];
  readonly onState: (status: TypeScriptStatus) => void;
  readonly log: (message: string) => void;
  readonly nodePath?: string;
}

export interface DocumentSync {
  didOpen(document: OpenedDocument): void;
  didChange(document: { readonly uri: string; readonly version: number; readonly text: string }): void;
  didClose(document: { readonly uri: string }): void;
  /** Optional help: the service looks at the disk by itself before each answer. */
  didChangeWatchedFiles(changes: readonly { readonly uri: string; readonly type: FileChangeType }[]): void;
}

/**
 * Contract: `query` gives `run` one unchanging view of every loaded project that includes all text handed to
 * `documents` and written to disk before the call. `run` may be called a second time when the process dies under it,
 * so it only reads. A compiler that cannot run rejects with `TypeScriptUnavailable`.
 */
export interface TypeScriptService {
  readonly documents: DocumentSync;
  /** Starts in the background; returns at once. */
  start(): void;
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Settles once the compiler has its hands full with loading the projects, or is not going to: the moment at which this
   * process has nothing better to do than to load the rest of itself. Never rejects.
   */
  busyLoading(): Promise<void>;
  status(): TypeScriptStatus;
  query<Result>(run: (view: View) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** The process id of the running compiler, for tests and diagnosis. */
  pid(): number | undefined;
  dispose(): Promise<void>;
}

/** Says in a sentence for the reader why there is no compiler to ask. */
export class TypeScriptUnavailable extends Error {
  override readonly name = "TypeScriptUnavailable";
}

/** The session's first requests are written within a few turns of the event loop. */
const REQUEST_ON_ITS_WAY_MS = 5;
const FIRST_BACKOFF_MS = 100;
const DEATH_NOTICE_MS = 1_000;
const MAX_FAILURES = 5;
/** A process that lived this long did not fail because of how it was started. */
const HEALTHY_MS = 30_000;

export function createTypeScript(options: TypeScriptOptions): TypeScriptService {
  return new Service(options);
}

class Service implements TypeScriptService {
  readonly documents: DocumentSync;
  readonly #options: TypeScriptOptions;
  readonly #documents = new OpenDocuments();
  readonly #disk: WorkspaceFiles;
  readonly #end = new AbortController();
  #state: TypeScriptStatus["state"] = "notStarted";
  #reason: string | undefined;
  #session: Session | undefined;
  #launching: Promise<Session> | undefined;
  #failures = 0;
  #startedAt = 0;
  #reportedProjects = "[]";
  readonly #busyLoading = Promise.withResolvers<void>();

  constructor(options: TypeScriptOptions) {
    this.#options = options;
    this.#disk = new WorkspaceFiles(options.workspaceFolders);
    this.documents = {
      didOpen: (document) => this.#documents.didOpen(document),
      didChange: (document) => this.#documents.didChange(document),
      didClose: (document) => this.#documents.didClose(document),
      didChangeWatchedFiles: (changes) => {
        for (const { uri, type } of changes) {
          const file = fileOfUri(uri);
          if (file !== undefined) this.#disk.mark(file, type);
        }
      },
    };
  }

  start(): void {
    if (!this.#end.signal.aborted) void this.#live().catch(() => undefined);
  }

  async ready(signal: AbortSignal): Promise<void> {
    await this.query(() => Promise.resolve(), signal);
  }

  status(): TypeScriptStatus {
    const reason = this.#reason === undefined ? {} : { reason: this.#reason };
    return { version: compilerVersion, state: this.#state, ...reason, projects: this.#session?.projects() ?? [] };
  }

  pid(): number | undefined {
    return this.#session?.native.pid;
  }

  busyLoading(): Promise<void> {
    this.start();
    return this.#busyLoading.promise;
  }

  async query<Result>(run: (view: View) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    // What was written before the question counts; so the disk is read while the projects may still be loading.
    let looked = this.#disk.look();
    looked.catch(() => undefined);
    for (let attempt = 1; ; attempt += 1) {
      if (attempt > 1) looked = this.#disk.look();
      const session = await untilAborted(this.#live(), signal);
      let death: string | undefined;
      const died = session.native.exited.then((reason): never => {
        death = reason;
        throw new TypeScriptUnavailable(`${capitalized(reason)}; it is being restarted, ask again.`);
      });
      died.catch(() => undefined);
      try {
        const answer = Promise.race([this.#ask(session, looked, run, signal), died]);
        return await untilAborted(answer, signal);
      } catch (error) {
        // A request that was cut off by the death fails a moment before the exit is known.
        if (death === undefined && isConnectionFailure(error)) {
          death = await Promise.race([session.native.exited, pause(DEATH_NOTICE_MS, signal).then(() => undefined)]);
        }
        if (death === undefined || attempt > 1 || signal.aborted) throw error;
        this.#options.log(`typescript: asked again after a restart (${death})`);
      }
    }
  }

  async dispose(): Promise<void> {
    this.#busyLoading.resolve();
    this.#end.abort(new TypeScriptUnavailable("The TypeScript engine was shut down."));
    const session = this.#session ?? (await this.#launching?.catch(() => undefined));
    await session?.native.dispose();
    this.#session = undefined;
    this.#setState("notStarted");
  }

  async #ask<Result>(
    session: Session,
    looked: Promise<void>,
    run: (view: View) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    await looked;
    if (this.#disk.takeDependenciesChanged()) return this.#askAnew(session, run, signal);
    await this.#enter(session);
    try {
      return await run(new View(session.state(), signal));
    } finally {
      session.gate.leave();
    }
  }

  async #askAnew<Result>(old: Session, run: (view: View) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    this.#options.log("typescript: installed packages changed, starting anew");
    if (this.#session === old) this.#session = undefined;
    void old.native.dispose();
    return this.query(run, signal);
  }

  async #enter(session: Session): Promise<void> {
    await session.gate.enter(
      () => session.isStale(),
      () => session.update(),
    );
    if (JSON.stringify(session.projects()) !== this.#reportedProjects) this.#setState(this.#state, this.#reason);
  }

  /** The running session, or the one being started. */
  #live(): Promise<Session> {
    if (this.#end.signal.aborted) return Promise.reject(this.#end.signal.reason as Error);
    if (this.#session !== undefined) return Promise.resolve(this.#session);
    this.#launching ??= this.#launch().finally(() => {
      this.#launching = undefined;
    });
    return this.#launching;
  }

  async #launch(): Promise<Session> {
    if (this.#state === "notStarted" || this.#state === "dead") {
      this.#failures = 0;
      this.#setState("starting");
    } else if (this.#state !== "restarting") this.#setState("restarting");
    for (;;) {
      await pause(this.#failures === 0 ? 0 : FIRST_BACKOFF_MS * 4 ** Math.min(this.#failures - 1, 3), this.#end.signal);
      try {
        return await this.#startSession();
      } catch (error) {
        if (this.#end.signal.aborted) throw this.#end.signal.reason as Error;
        this.#failures += 1;
        this.#busyLoading.resolve();
        const reason = error instanceof Error ? error.message : String(error);
        this.#options.log(`typescript: start failed: ${reason}`);
        if (this.#failures < MAX_FAILURES) continue;
        this.#setState("dead", reason);
        throw new TypeScriptUnavailable(`The TypeScript compiler does not run: ${reason}`);
      }
    }
  }

  async #startSession(): Promise<Session> {
    this.#startedAt = performance.now();
    const folders = this.#options.workspaceFolders;
    const [native] = await Promise.all([
      startNative({
        cwd: folders.find((folder) => existsSync(folder)) ?? tmpdir(),
        workspaceFolders: folders,
        log: this.#options.log,
        nodePath: this.#options.nodePath,
      }),
      this.#disk.look(),
    ]);
    const session = new Session({ native, documents: this.#documents, disk: this.#disk, folders });
    void native.exited.then((reason) => this.#onExit(session, reason));
    const loaded = session.gate.enter(
      () => session.isStale(),
      () => session.update(),
    );
    setTimeout(() => this.#busyLoading.resolve(), REQUEST_ON_ITS_WAY_MS);
    await Promise.race([
      loaded,
      native.exited.then((reason): never => {
        throw new Error(reason);
      }),
    ]);
    session.gate.leave();
    this.#session = session;
    this.#setState("ready");
    return session;
  }

  #onExit(session: Session, reason: string): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    if (this.#end.signal.aborted) return;
    this.#options.log(`typescript: ${reason}`);
    this.#failures = performance.now() - this.#startedAt > HEALTHY_MS ? 0 : this.#failures + 1;
    this.#setState("restarting", reason);
    void this.#live().catch(() => undefined);
  }

  #setState(state: TypeScriptStatus["state"], reason?: string): void {
    this.#state = state;
    this.#reason = reason;
    const status = this.status();
    this.#reportedProjects = JSON.stringify(status.projects);
    this.#options.onState(status);
  }
}

/** How a request fails whose process went away under it, on either side. */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /connection (?:is|got) (?:closed|disposed)|EPIPE|ECONNRESET|stream was destroyed|write after end/i.test(
    error.message,
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
