/** The one door to the TypeScript engine: questions, documents, folders, and the editor's own language server. */
import type { TypeScriptStatus } from "../protocol/status.ts";
import type { EditorPort } from "./session/editor-port.ts";
import { Relay, type LanguageRelay } from "./relay/language-relay.ts";
import { NameIndexer } from "./names/index/name-indexer.ts";
import { OpenDocuments, type OpenedDocument } from "./session/open-documents.ts";
import { fileOfUri } from "../workspace/file-uri.ts";
import { query } from "./session/query.ts";
import type { Session } from "./session/session.ts";
import { SessionKeeper } from "./session/session-keeper.ts";
import { startSession } from "./session/start-session.ts";
import { TypeScriptUnavailable } from "./typescript-unavailable.ts";
import { View } from "./view.ts";
import { WorkspaceFiles, type FileChangeType } from "./files/workspace-files.ts";

export interface TypeScriptOptions {
  /** Absolute paths. */
  readonly workspaceFolders: readonly string[];
  readonly onState: (status: TypeScriptStatus) => void;
  readonly log: (message: string) => void;
  /** Told of each file that a look at the disk finds changed, before the look is over. */
  readonly onDiskChange?: (file: string) => void;
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
  /** Keeps the program as it is now, text handed over before included, so that it can be asked after it has changed. */
  remember(signal: AbortSignal): Promise<RememberedProgram>;
  /** Looks at the disk once the projects are loaded; only "where it is told" what changed there, or also where it is not. */
  lookAtDisk(where: "told" | "everywhere"): Promise<void>;
  /** The workspace consists of these folders from the next query on. */
  setWorkspaceFolders(folders: readonly string[]): void;
  /** The process id of the running compiler, for tests and diagnosis. */
  pid(): number | undefined;
  dispose(): Promise<void>;
}

export interface RememberedProgram {
  /** Files that may have changed since. */
  changed(): readonly string[];
  /** The program as it was, for use in a query about `now`; undefined once another process answers. */
  before(now: View): View | undefined;
  release(): void;
}

export function createTypeScript(options: TypeScriptOptions): TypeScriptService {
  return new Service(options);
}

class Service implements TypeScriptService {
  readonly documents: DocumentSync;
  readonly relay: Relay | undefined;
  readonly #options: TypeScriptOptions;
  readonly #documents: OpenDocuments;
  readonly #disk: WorkspaceFiles;
  readonly #keeper: SessionKeeper;
  readonly #indexer: NameIndexer;
  readonly #busyLoading = Promise.withResolvers<void>();
  #folders: readonly string[];

  constructor(options: TypeScriptOptions) {
    this.#options = options;
    this.#documents = new OpenDocuments({ all: options.editor !== undefined });
    this.#folders = options.workspaceFolders;
    this.#disk = new WorkspaceFiles(options.workspaceFolders, options.onDiskChange);
    this.relay = this.#createRelay();
    this.#keeper = this.#createKeeper();
    this.#indexer = new NameIndexer(() => this.#keeper.session);
    this.documents = this.#createDocumentSync();
  }

  start(): void {
    this.#keeper.start();
  }

  async ready(signal: AbortSignal): Promise<void> {
    await this.query(() => Promise.resolve(), signal);
  }

  status(): TypeScriptStatus {
    return this.#keeper.status();
  }

  setWorkspaceFolders(folders: readonly string[]): void {
    this.#folders = folders;
    this.#disk.setFolders(folders);
    const { session } = this.#keeper;
    // An editor that gets its language features from the compiler does not wait for the next query.
    if (this.relay === undefined || session === undefined) return;
    this.#keeper.startAnew(session, "the workspace folders changed");
    this.start();
  }

  pid(): number | undefined {
    return this.#keeper.session?.native.pid;
  }

  busyLoading(): Promise<void> {
    this.start();
    return this.#busyLoading.promise;
  }

  async lookAtDisk(where: "told" | "everywhere"): Promise<void> {
    if (this.#keeper.session !== undefined) await (where === "told" ? this.#disk.glance() : this.#disk.look());
  }

  query<Result>(run: (view: View) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const parts = { keeper: this.#keeper, disk: this.#disk, log: this.#options.log };
    return this.#indexer.around(() => query(parts, run, signal));
  }

  async remember(signal: AbortSignal): Promise<RememberedProgram> {
    await this.ready(signal);
    const { session } = this.#keeper;
    if (session === undefined) throw new TypeScriptUnavailable("the TypeScript compiler is gone");
    const { state, changed, release } = session.remember();
    return {
      changed: () => [...changed],
      before: (now) => {
        const isSame = this.#keeper.session === session && !this.#keeper.isOutdated(session);
        return isSame ? new View(state, now.signal) : undefined;
      },
      release,
    };
  }

  async dispose(): Promise<void> {
    this.#busyLoading.resolve();
    this.#indexer.dispose();
    this.#disk.dispose();
    const session = await this.#keeper.stop();
    if (session !== undefined) this.relay?.detach(session.native, "it was shut down");
    this.relay?.fail("it was shut down");
    await session?.native.dispose();
    this.#keeper.reportStopped();
  }

  #createKeeper(): SessionKeeper {
    const { onState, log, nodePath } = this.#options;
    const start = async (): Promise<Session> => {
      for (;;) {
        const folders = this.#folders;
        this.#disk.takeDependenciesChanged();
        const session = await startSession({
          folders,
          documents: this.#documents,
          disk: this.#disk,
          relay: this.relay,
          log,
          nodePath,
          onLoading: () => this.#busyLoading.resolve(),
        });
        if (folders === this.#folders) return session;
        log("typescript: the workspace folders changed while it started, starting anew");
        this.relay?.detach(session.native, "the workspace folders changed");
        await session.native.dispose();
      }
    };
    return new SessionKeeper({
      start,
      onState,
      onFailedStart: () => this.#busyLoading.resolve(),
      onGivenUp: (reason) => this.relay?.fail(reason),
      onOutdated: ({ native }) => this.relay?.detach(native, "the TypeScript compiler starts anew"),
      log,
    });
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

  #createDocumentSync(): DocumentSync {
    const changed = (): void => this.relay?.changed();
    return {
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
}
