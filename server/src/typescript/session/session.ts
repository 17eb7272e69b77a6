/** One compiler process with the workspace's projects loaded, kept in step with the open buffers and the disk. */
import { existsSync } from "node:fs";
import type { Snapshot } from "typescript/unstable/async";
import { passBarrier } from "./barrier.ts";
import { Holders } from "./holders.ts";
import { homelessDocument } from "./homeless-document.ts";
import { compilerHome } from "./native-program.ts";
import type { TypeScriptStatus } from "../../protocol/status.ts";
import { BuiltDeclarations } from "../files/packages/built-declarations.ts";
import { configProblems } from "../files/projects/config-problems.ts";
import { DisplayPaths } from "../files/display-paths.ts";
import { Gate } from "./gate.ts";
import { GitTracked } from "../files/git-tracked.ts";
import { limitNotes } from "../files/projects/limit-notes.ts";
import { ShownFiles } from "../files/shown-files.ts";
import { looseFiles, type LooseFiles } from "../files/projects/loose-files.ts";
import type { NativeProcess } from "./native-process.ts";
import { secondChange, type OpenDocuments } from "./open-documents.ts";
import { uriOf } from "../../workspace/file-uri.ts";
import { OutlineCache } from "../names/tree/outline.ts";
import { RememberedStates, type RememberedState } from "./remembered.ts";
import { ToldChanges } from "./told-changes.ts";
import { projectConfigs, type ProjectConfigs } from "../files/projects/project-configs.ts";
import { readPrograms, type Programs } from "./program-views.ts";
import type { ProgramView, ViewState } from "../view.ts";
import { SpecifierIndex } from "../files/packages/specifiers.ts";
import { isTypeScriptSource } from "../files/tracked-names.ts";
import { WordIndex } from "../files/word-index.ts";
import type { WorkspaceFiles } from "../files/workspace-files.ts";

export interface SessionParts {
  readonly native: NativeProcess;
  readonly documents: OpenDocuments;
  readonly disk: WorkspaceFiles;
  readonly folders: readonly string[];
  /** True when the compiler takes its settings from an editor. */
  readonly hasSettings?: boolean;
}

export class Session {
  readonly native: NativeProcess;
  readonly gate = new Gate();
  readonly #documents: OpenDocuments;
  readonly #disk: WorkspaceFiles;
  readonly #paths: DisplayPaths;
  readonly #shown: ShownFiles;
  readonly #outlines = new OutlineCache();
  readonly #built = new BuiltDeclarations();
  readonly #specifiers = new SpecifierIndex();
  readonly #words = new WordIndex();
  readonly #openConfigs = new Set<string>();
  readonly #openLoose = new Set<string>();
  #inferredRoots: readonly string[] = [];
  #configs: ProjectConfigs = { files: [], leftOut: 0 };
  #loose: LooseFiles = { wanted: new Set(), leftOut: 0, builtScripts: [] };
  readonly #tracked = new GitTracked();
  #state: ViewState | undefined;
  #isCurrent = false;
  #needsConfigs = true;
  /** How often the compiler was told something, and how often when the state was taken. */
  #tellings = 0;
  #tellingsOfState = 0;
  readonly #told = new ToldChanges();
  /** Files that the compiler was told of since the state was taken, with the number of the telling. */
  readonly #unread = new Map<string, number>();
  readonly #remembered = new RememberedStates(() => this.#state?.snapshot);
  readonly #servesEditor: boolean;
  #settingsUnread: boolean;
  #taking: Promise<void> | undefined;
  readonly #held = new Holders();

  constructor(parts: SessionParts) {
    this.native = parts.native;
    this.#documents = parts.documents;
    this.#disk = parts.disk;
    this.#paths = new DisplayPaths(parts.folders);
    this.#shown = new ShownFiles(parts.folders, compilerHome());
    this.#servesEditor = parts.hasSettings === true;
    this.#settingsUnread = this.#servesEditor;
    parts.documents.forgetTold();
  }

  /** What a query sees; only valid between the gate's `enter` and `leave`. */
  state(): ViewState {
    if (this.#state === undefined) throw new Error("the session was read before its first update");
    return this.#state;
  }

  /** Keeps the present state until it is released. */
  remember(): RememberedState {
    return this.#remembered.keep(this.state(), this.#unread.keys());
  }

  isStale(): boolean {
    return !this.#isCurrent || this.#documents.hasChanges() || this.#disk.hasChanges();
  }

  projects(): TypeScriptStatus["projects"] {
    return (this.#state?.programs ?? []).map(({ name, size }) => ({ name, files: size }));
  }

  /** Tells the compiler what changed in buffers and on disk, and takes a snapshot of the result. */
  async update(): Promise<void> {
    this.#needsConfigs ||= this.#state === undefined;
    this.#isCurrent = false;
    await this.#tell();
    const tellings = this.#tellings;
    const files = [...this.#unread.keys()];
    const needsConfigs = this.#needsConfigs || files.some((file) => file.endsWith(".json"));
    // What the compiler was told stays unread until all of it arrived in a state: before that nothing may be answered.
    this.#needsConfigs = needsConfigs;
    const judged = this.#state === undefined ? this.#shown.hiddenAmong(this.#disk.names(), () => true) : undefined;
    if (files.length > 0) await this.#barrier();
    await judged;
    while (this.#settingsUnread) await this.#takeUpSettings();
    this.#outlines.forget(files);
    this.#built.forget(files);
    this.#specifiers.forget(files);
    this.#words.forget(files);
    // What is typed moves no link.
    const told = this.#told.since(this.#tellingsOfState);
    if (told?.every(({ type }) => type === undefined) !== true) this.#shown.forget(files);
    this.#taking = this.#takeSnapshot(needsConfigs, tellings);
    await this.#taking.finally(() => {
      this.#taking = undefined;
    });
    this.#needsConfigs = false;
    for (const [file, telling] of this.#unread) if (telling <= tellings) this.#unread.delete(file);
    this.#tellingsOfState = tellings;
    this.#isCurrent = this.#tellings === tellings;
  }

  /**
   * Tells the compiler what changed, without a snapshot, even while queries read: they find that the text moved and are
   * run again. Undefined when nothing is in the way of a request that is to see the changes; else what to wait for.
   */
  flush(): Promise<void> | undefined {
    if (!this.#documents.hasChanges() && !this.#disk.hasChanges()) return undefined;
    const free = this.#held.untilFree();
    if (free !== undefined) return free.then(() => this.flush());
    this.#tell().catch(() => undefined);
    return undefined;
  }

  /** Tells the compiler other settings, but not while it takes a snapshot: it would lose them. */
  async tellSettings(params: unknown): Promise<void> {
    while (this.#taking !== undefined) await this.#taking.catch(() => undefined);
    this.#settingsUnread = true;
    await this.native.notify("workspace/didChangeConfiguration", params);
  }

  /** True once the compiler knows more than the state that queries read. */
  hasMoved(): boolean {
    return this.#tellings !== this.#tellingsOfState;
  }

  /** From here on `flush` waits until the returned function was called: for a query that was run again too often. */
  hold(): () => void {
    return this.#held.take();
  }

  /** Tells the compiler of the open documents while the disk is still read for the first time: it loads their project. */
  tellDocuments(): void {
    this.#tell(new Map()).catch(() => undefined);
  }

  /** Everything is sent in this turn of the event loop, so that no later request overtakes it. */
  #tell(disk = this.#disk.takeChanges()): Promise<unknown> {
    const documents = this.#documents.takeChanges();
    const sent = documents.notifications.map(({ method, params }) => this.native.notify(method, params));
    const changes = [...disk].map(([file, type]) => ({ uri: uriOf(file), type }));
    if (!this.#servesEditor) changes.push(...secondChange([...documents.files, ...disk.keys()]));
    if (changes.length > 0) {
      sent.push(this.native.notify("workspace/didChangeWatchedFiles", { changes }));
    }
    if (sent.length > 0) {
      this.#isCurrent = false;
      this.#tellings += 1;
      for (const file of [...documents.files, ...disk.keys()]) this.#unread.set(file, this.#tellings);
      this.#told.note(this.#tellings, documents.files, disk);
      this.#remembered.told([...documents.files, ...disk.keys()]);
    }
    return Promise.all(sent);
  }

  async #barrier(): Promise<void> {
    const inferred = this.#inferredRoots.find(
      (file) => this.#documents.isOpen(file) || (this.#openLoose.has(file) && existsSync(file)),
    );
    await passBarrier(this.native, inferred);
  }

  /**
   * 7.0.2 puts new settings aside until something asks for its state; when that is the checker's side, they are lost. A
   * search on the LSP side that finds nothing takes them up.
   */
  async #takeUpSettings(): Promise<void> {
    this.#settingsUnread = false;
    await this.native.request("workspace/symbol", { query: "\u0001" });
  }

  async #takeSnapshot(configsChanged: boolean, age: number): Promise<void> {
    const api = await this.native.api;
    let snapshot = await api.updateSnapshot(configsChanged ? this.#configChanges() : {});
    let read = await this.#read(snapshot);
    const looseChanges = await this.#looseChanges(read.programs);
    const homeless = homelessDocument(this.#documents, this.#paths, read);
    if (homeless !== undefined) {
      const reopened = this.#documents.openedAgain(homeless);
      await Promise.all(reopened.map(({ method, params }) => this.native.notify(method, params)));
      await this.#barrier();
    }
    if (looseChanges !== undefined || homeless !== undefined) {
      const before = snapshot;
      snapshot = await api.updateSnapshot(looseChanges ?? {});
      read = await this.#read(snapshot);
      void before.dispose().catch(() => undefined);
    }
    const { programs, withheld } = read;
    const configNotes = await configProblems(programs, this.#paths);
    // Released only after its successor was taken: 7.0.2 otherwise serves the syntax trees of the old text.
    const old = this.#state?.snapshot;
    const closedFiles = this.#disk.closedFiles().filter((file) => !this.#documents.isOpen(file));
    const [paths, disk, configs, files] = [this.#paths, this.#disk, this.#configs, this.#loose];
    const isSeen = !disk.folders().isLimited() && disk.folders().closed().length === 0;
    const notes = [...limitNotes({ paths, disk, configs, files, closedFiles, withheld }), ...configNotes.ofAll];
    this.#state = {
      native: this.native,
      snapshot,
      age,
      changedSince: (before) => this.#told.since(before),
      ...read,
      outlines: this.#outlines,
      specifiers: this.#specifiers,
      words: this.#words,
      paths: this.#paths,
      shown: this.#shown,
      readLarge: (file, limit) => this.#documents.readLarge(file, limit),
      openTexts: this.#documents.toldTexts(),
      packageFiles: this.#disk.packageFiles(),
      unreadFiles: () => this.#disk.folders().unreadFiles(),
      proseFiles: () => this.#disk.folders().proseFiles(),
      builtScripts: this.#loose.builtScripts,
      notes,
      configNotes: configNotes.byConfig,
      complete:
        isSeen && closedFiles.length === 0 && withheld.length === 0 && configs.leftOut === 0 && files.leftOut === 0,
    };
    if (old !== undefined) this.#remembered.letGo(old);
  }

  async #keptByGit(folderNames: readonly string[]): Promise<(file: string) => boolean | undefined> {
    const { folders } = this.#paths;
    const kept = await Promise.all(folders.map((folder) => this.#tracked.below(folder, folderNames)));
    return (file) => kept[folders.indexOf(this.#paths.folderOf(file) ?? "")]?.has(file);
  }

  #configChanges(): { openProjects: string[]; closeProjects: string[] } {
    this.#configs = projectConfigs(this.#disk.configFiles());
    const wanted = new Set(this.#configs.files);
    const openProjects = [...wanted].filter((file) => !this.#openConfigs.has(file));
    const closeProjects = [...this.#openConfigs].filter((file) => !wanted.has(file));
    for (const file of openProjects) this.#openConfigs.add(file);
    for (const file of closeProjects) this.#openConfigs.delete(file);
    return { openProjects, closeProjects };
  }

  async #read(snapshot: Snapshot): Promise<Programs> {
    const [paths, links] = [this.#paths, this.#disk.folders().links()];
    const [built, shown, typed] = [this.#built, this.#shown, this.#documents.toldTexts()];
    const read = await readPrograms({ snapshot, paths, links, built, shown, typed });
    const files = read.programs.flatMap((program) => [...program.files]);
    const added = this.#disk.follow(new Set([...this.#configs.files, ...files, ...read.hidden]));
    this.#outlines.forget(added);
    this.#specifiers.forget(added);
    this.#words.forget(added);
    this.#inferredRoots = read.inferredRoots;
    return read;
  }

  async #looseChanges(
    programs: readonly ProgramView[],
  ): Promise<{ openFiles: string[]; closeFiles: string[] } | undefined> {
    const open = this.#documents.files().filter((file) => isTypeScriptSource(file) && this.#paths.isOwn(file));
    this.#loose = await looseFiles({
      programs,
      links: this.#disk.folders().links(),
      sources: [...this.#disk.sourceFiles(), ...open].filter((file) => !this.#shown.hides(file)),
      scripts: this.#disk.scriptFiles().filter((file) => !this.#shown.hides(file)),
      keptByGit: (folderNames) => this.#keptByGit(folderNames),
    });
    const { wanted } = this.#loose;
    const openFiles = [...wanted].filter((file) => !this.#openLoose.has(file));
    const closeFiles = [...this.#openLoose].filter((file) => !wanted.has(file));
    if (openFiles.length === 0 && closeFiles.length === 0) return undefined;
    for (const file of openFiles) this.#openLoose.add(file);
    for (const file of closeFiles) this.#openLoose.delete(file);
    return { openFiles, closeFiles };
  }
}
