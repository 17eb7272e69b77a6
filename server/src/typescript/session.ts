/** One compiler process with the workspace's projects loaded, kept in step with the open buffers and the disk. */
import type { Project, Snapshot } from "typescript/unstable/async";
import type { TypeScriptStatus } from "../protocol/shapes.ts";
import { DisplayPaths } from "./display-paths.ts";
import { Gate } from "./gate.ts";
import type { NativeProcess } from "./native-process.ts";
import { uriOf, type OpenDocuments } from "./open-documents.ts";
import { OutlineCache } from "./outline.ts";
import { projectConfigs, type ProjectConfigs } from "./project-configs.ts";
import type { ProgramView, ViewState } from "./view.ts";
import { isTypeScriptSource, type WorkspaceFiles } from "./workspace-files.ts";

export interface SessionParts {
  readonly native: NativeProcess;
  readonly documents: OpenDocuments;
  readonly disk: WorkspaceFiles;
  readonly folders: readonly string[];
}

const INFERRED = "/dev/null/inferred";
/** JSON-RPC's "invalid request", which 7.0.2 answers to an unknown method, and "method not found". */
const REFUSALS = new Set<unknown>([-32600, -32601]);
const MAX_LOOSE_FILES = 1_000;

export class Session {
  readonly native: NativeProcess;
  readonly gate = new Gate();
  readonly #documents: OpenDocuments;
  readonly #disk: WorkspaceFiles;
  readonly #paths: DisplayPaths;
  readonly #outlines = new OutlineCache();
  readonly #openConfigs = new Set<string>();
  readonly #openLoose = new Set<string>();
  #configs: ProjectConfigs = { files: [], leftOut: 0 };
  #looseLeftOut = 0;
  #scriptsLeftOut = 0;
  #configNotes: readonly string[] = [];
  #state: ViewState | undefined;
  #isCurrent = false;
  #needsConfigs = true;

  constructor(parts: SessionParts) {
    this.native = parts.native;
    this.#documents = parts.documents;
    this.#disk = parts.disk;
    this.#paths = new DisplayPaths(parts.folders);
    parts.documents.forgetTold();
  }

  /** What a query sees; only valid between the gate's `enter` and `leave`. */
  state(): ViewState {
    if (this.#state === undefined) throw new Error("the session was read before its first update");
    return this.#state;
  }

  isStale(): boolean {
    return !this.#isCurrent || this.#documents.hasChanges() || this.#disk.hasChanges();
  }

  projects(): TypeScriptStatus["projects"] {
    return (this.#state?.programs ?? []).map(({ name, size }) => ({ name, files: size }));
  }

  /** Tells the compiler what changed in buffers and on disk, and takes a snapshot of the result. */
  async update(): Promise<void> {
    const first = this.#state === undefined;
    // What was taken below is told to no one else: until all of it arrived, nothing may be answered.
    this.#needsConfigs ||= first;
    this.#isCurrent = false;
    const documents = this.#documents.takeChanges();
    const disk = this.#disk.takeChanges();
    for (const { method, params } of documents.notifications) await this.native.notify(method, params);
    if (disk.size > 0) {
      const changes = [...disk].map(([file, type]) => ({ uri: uriOf(file), type }));
      await this.native.notify("workspace/didChangeWatchedFiles", { changes });
    }
    if (documents.notifications.length > 0 || disk.size > 0) await this.#barrier();
    this.#outlines.forget([...documents.files, ...disk.keys()]);
    this.#needsConfigs ||= [...disk.keys()].some((file) => file.endsWith(".json"));
    await this.#takeSnapshot(this.#needsConfigs);
    this.#needsConfigs = false;
    this.#isCurrent = true;
  }

  /**
   * LSP and checker are separate channels: an answer on the first proves that it has read what was sent on it. A method
   * that nobody serves is refused in its turn like any other, without any work for the compiler.
   */
  async #barrier(): Promise<void> {
    try {
      await this.native.request("agentq/barrier", {});
    } catch (error) {
      if (!REFUSALS.has((error as { code?: unknown }).code)) throw error;
    }
  }

  async #takeSnapshot(configsChanged: boolean): Promise<void> {
    const api = await this.native.api;
    let snapshot = await api.updateSnapshot(configsChanged ? this.#configChanges() : {});
    let programs = await this.#programs(snapshot);
    const looseChanges = this.#looseChanges(programs);
    if (looseChanges !== undefined) {
      const before = snapshot;
      snapshot = await api.updateSnapshot(looseChanges);
      programs = await this.#programs(snapshot);
      void before.dispose().catch(() => undefined);
    }
    if (configsChanged) this.#configNotes = await configProblems(programs);
    // Released only after its successor was taken: 7.0.2 otherwise serves the syntax trees of the old text.
    const old = this.#state?.snapshot;
    const notes = [...this.#limitNotes(), ...this.#configNotes];
    this.#state = {
      native: this.native,
      snapshot,
      programs,
      outlines: this.#outlines,
      paths: this.#paths,
      readLarge: (file, limit) => this.#documents.readLarge(file, limit),
      packageFiles: this.#disk.packageFiles(),
      notes,
      complete: this.#configs.leftOut === 0 && this.#looseLeftOut === 0 && !this.#disk.isLimited(),
    };
    if (old !== undefined) void old.dispose().catch(() => undefined);
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

  async #programs(snapshot: Snapshot): Promise<ProgramView[]> {
    const programs = await Promise.all(snapshot.getProjects().map((project) => this.#program(project)));
    return programs.toSorted((a, b) => Number(a.configFile === undefined) - Number(b.configFile === undefined));
  }

  async #program(project: Project): Promise<ProgramView> {
    const files = await project.program.getSourceFileNames();
    const own = files.filter((file) => this.#paths.isOwn(file));
    const inferred = project.configFileName.startsWith(INFERRED);
    return {
      name: inferred ? "files without a tsconfig" : this.#paths.show(project.configFileName),
      configFile: inferred ? undefined : project.configFileName,
      project,
      files: new Set(files),
      own,
      size: inferred ? project.rootFiles.length : own.length,
    };
  }

  /** Sources that no tsconfig includes are opened by hand, so that a caller in one of them is found too. */
  #looseChanges(programs: readonly ProgramView[]): { openFiles: string[]; closeFiles: string[] } | undefined {
    const configured = programs.filter((program) => program.configFile !== undefined);
    const covered = new Set(configured.flatMap((program) => program.own));
    const sources = this.#disk.sourceFiles();
    const open = this.#documents.files().filter((file) => isTypeScriptSource(file) && this.#paths.isOwn(file));
    const loose = [...new Set([...sources, ...open])].filter((file) => !covered.has(file));
    this.#looseLeftOut = Math.max(0, loose.length - MAX_LOOSE_FILES);
    const searched = new Set([...covered, ...loose]);
    this.#scriptsLeftOut = this.#disk.scriptFiles().filter((file) => !searched.has(file)).length;
    const wanted = new Set(loose.slice(0, MAX_LOOSE_FILES));
    const openFiles = [...wanted].filter((file) => !this.#openLoose.has(file));
    const closeFiles = [...this.#openLoose].filter((file) => !wanted.has(file));
    if (openFiles.length === 0 && closeFiles.length === 0) return undefined;
    for (const file of openFiles) this.#openLoose.add(file);
    for (const file of closeFiles) this.#openLoose.delete(file);
    return { openFiles, closeFiles };
  }

  #limitNotes(): string[] {
    const notes: string[] = [];
    for (const folder of this.#disk.missingFolders()) notes.push(`The workspace folder ${folder} does not exist.`);
    if (this.#disk.isLimited()) notes.push("The workspace has more files than are looked at: some were not searched.");
    if (this.#configs.leftOut > 0)
      notes.push(`${this.#configs.leftOut} tsconfig files were not loaded and not searched.`);
    if (this.#looseLeftOut > 0) notes.push(`${this.#looseLeftOut} files outside every tsconfig were not searched.`);
    if (this.#scriptsLeftOut > 0) {
      notes.push(`${this.#scriptsLeftOut} JavaScript files outside every tsconfig were not searched.`);
    }
    return notes;
  }
}

async function configProblems(programs: readonly ProgramView[]): Promise<string[]> {
  const notes = await Promise.all(
    programs.map(async ({ name, configFile, project }) => {
      if (configFile === undefined) return [];
      const found = await Promise.all([
        project.program.getConfigFileParsingDiagnostics(),
        project.program.getProgramDiagnostics(),
      ]);
      const texts = [...new Set(found.flat().map((diagnostic) => `TS${diagnostic.code} ${diagnostic.text}`))];
      return texts.length === 0 ? [] : [`${name} has errors, so answers may be incomplete: ${texts.join(" ")}`];
    }),
  );
  return notes.flat();
}
