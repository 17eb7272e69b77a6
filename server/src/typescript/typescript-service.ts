/** The TypeScript engine: one native process, started when first needed, restarted when it dies. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { TypeScriptStatus } from "../protocol/shapes.ts";
import type { EditorPort } from "./relay/editor-port.ts";
import { Relay, type LanguageRelay } from "./relay/language-relay.ts";
import { compilerVersion, isConnectionFailure, startNative } from "./native-process.ts";
import { NameIndexer } from "./names/name-indexer.ts";
import { fileOfUri, OpenDocuments, type OpenedDocument } from "./open-documents.ts";
import { Session } from "./session.ts";
import { answerSteadily } from "./relay/steady-answer.ts";
import type { View } from "./view.ts";
import { pause, untilAborted } from "./waiting.ts";
import { WorkspaceFiles, type FileChangeType } from "./files/workspace-files.ts";
import { giveWay } from "./yielding.ts";

export interface TypeScriptOptions {
  /** Absolute paths. */
  readonly workspaceFolders: readonly string[];
  readonly onState: (status: TypeScriptStatus) => void;
  readonly log: (message: string) => void;
  readonly nodePath?: string;
  /** The editor whose language server the compiler is too. */
  readonly editor?: EditorPort;
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
  /** There with `TypeScriptOptions.editor`. */
  readonly relay: LanguageRelay | undefined;
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
  /** The workspace consists of these folders from the next query on. */
  setWorkspaceFolders(folders: readonly string[]): void;
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
  readonly relay: Relay | undefined;
  readonly #options: TypeScriptOptions;
  readonly #documents: OpenDocuments;
  readonly #disk: WorkspaceFiles;
  #folders: readonly string[];
  /** Those whose answers do not count any more: the packages or folders they were started with have changed. */
  readonly #outdated = new WeakSet<Session>();
  readonly #end = new AbortController();
  #state: TypeScriptStatus["state"] = "notStarted";
  #reason: string | undefined;
  #session: Session | undefined;
  #launching: Promise<Session> | undefined;
  #failures = 0;
  #startedAt = 0;
  #reportedProjects = "[]";
  readonly #indexer = new NameIndexer(() => this.#session);
  readonly #busyLoading = Promise.withResolvers<void>();

  constructor(options: TypeScriptOptions) {
    this.#options = options;
    this.#documents = new OpenDocuments({ all: options.editor !== undefined });
    this.#folders = options.workspaceFolders;
    this.#disk = new WorkspaceFiles(options.workspaceFolders);
    this.relay = this.#createRelay();
    const changed = (): void => this.relay?.changed();
    this.documents = {
      didOpen: (document) => {
        this.#documents.didOpen(document);
        changed();
      },
      didChange: (document) => {
        this.#documents.didChange(document);
        changed();
      },
      didClose: (document) => {
        this.#documents.didClose(document);
        changed();
      },
      didChangeWatchedFiles: (changes) => {
        for (const { uri, type } of changes) {
          const file = fileOfUri(uri);
          if (file !== undefined) this.#disk.mark(file, type);
        }
        changed();
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

  setWorkspaceFolders(folders: readonly string[]): void {
    this.#folders = folders;
    this.#disk.setFolders(folders);
    // An editor whose language features stand on the compiler does not wait for the next query.
    if (this.relay === undefined || this.#session === undefined) return;
    this.#startAnew(this.#session, "the workspace folders changed");
    this.start();
  }

  pid(): number | undefined {
    return this.#session?.native.pid;
  }

  busyLoading(): Promise<void> {
    this.start();
    return this.#busyLoading.promise;
  }

  query<Result>(run: (view: View) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.#indexer.around(() => this.#query(run, signal));
  }

  async #query<Result>(run: (view: View) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    // What was written before the question counts; so the disk is read while the projects may still be loading.
    let looked = this.#session === undefined ? this.#disk.look() : undefined;
    looked?.catch(() => undefined);
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
        if (error instanceof StartedAnew) {
          looked = undefined;
          attempt -= 1;
          continue;
        }
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
    this.#indexer.dispose();
    this.#disk.dispose();
    this.#end.abort(new TypeScriptUnavailable("The TypeScript engine was shut down."));
    const session = this.#session ?? (await this.#launching?.catch(() => undefined));
    if (session !== undefined) this.relay?.detach(session.native, "it was shut down");
    this.relay?.fail("it was shut down");
    await session?.native.dispose();
    this.#session = undefined;
    this.#setState("notStarted");
  }

  async #ask<Result>(
    session: Session,
    looked: Promise<void> | undefined,
    run: (view: View) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    if (looked === undefined) {
      const early = await this.#askEarly(session, run, signal);
      if (early !== undefined) return early.answer;
    }
    await looked;
    // Whoever asked at the same time may have been the one to learn of the change and to start anew.
    if (this.#disk.takeDependenciesChanged())
      this.#startAnew(session, "installed packages, configurations or workspace folders changed");
    if (this.#outdated.has(session)) throw new StartedAnew();
    return this.#answer(session, run, signal);
  }

  /**
   * Nearly always nothing changed since the last question. So this one is asked at once, and the disk is looked at while
   * the compiler thinks; the answer counts when the look found nothing, else it is dropped and asked for anew.
   */
  async #askEarly<Result>(
    session: Session,
    run: (view: View) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<{ readonly answer: Result } | undefined> {
    if (session.isStale()) {
      await this.#disk.look();
      return undefined;
    }
    const state = session.state();
    const dropped = new AbortController();
    const answer = this.#answer(session, run, AbortSignal.any([signal, dropped.signal]));
    answer.catch(() => undefined);
    // Requests are written in the next turn of the event loop, and the look would stand in their way.
    await giveWay();
    try {
      await this.#disk.look();
      // Another question's look may have found a change and be bringing the state up to date by now.
      return session.isStale() || session.state() !== state ? undefined : { answer: await answer };
    } finally {
      dropped.abort();
    }
  }

  #answer<Result>(session: Session, run: (view: View) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return answerSteadily(session, () => this.#enter(session), run, signal);
  }

  #startAnew(old: Session, why: string): void {
    this.#options.log(`typescript: ${why}, starting anew`);
    this.#outdated.add(old);
    if (this.#session === old) this.#session = undefined;
    this.relay?.detach(old.native, "the TypeScript compiler starts anew");
    void old.native.dispose();
  }

  async #enter(session: Session): Promise<void> {
    await session.gate.enter(
      () => session.isStale(),
      () => session.update(),
    );
    if (JSON.stringify(session.projects()) !== this.#reportedProjects) this.#setState(this.#state, this.#reason);
  }

  #createRelay(): Relay | undefined {
    const { editor, log } = this.#options;
    if (editor === undefined) return undefined;
    return new Relay({
      editor,
      log,
      start: () => this.start(),
      openDocuments: () => this.#documents.uris(),
      lookAtDisk: () => this.#disk.look(),
    });
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
        this.relay?.fail(reason);
        throw new TypeScriptUnavailable(`The TypeScript compiler does not run: ${reason}`);
      }
    }
  }

  async #startSession(): Promise<Session> {
    this.#startedAt = performance.now();
    const folders = this.#folders;
    const starting = startNative({
      cwd: folders.find((folder) => existsSync(folder)) ?? tmpdir(),
      workspaceFolders: folders,
      log: this.#options.log,
      nodePath: this.#options.nodePath,
      client: this.relay?.sideForNewProcess(),
    });
    const looked = this.#disk.look();
    looked.catch(() => undefined);
    const native = await starting;
    const hasSettings = this.relay !== undefined;
    const session = new Session({ native, documents: this.#documents, disk: this.#disk, folders, hasSettings });
    void native.exited.then((reason) => {
      this.relay?.detach(native, reason);
      this.#onExit(session, reason);
    });
    // The editor's requests need neither the disk's files nor a snapshot.
    this.relay?.attach(session);
    await looked;
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

/** The query is to be asked again of a new process. */
class StartedAnew extends Error {}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
