/** One consistent state of the compiler, as a query sees it: both sides on the same text until the query ends. */
import type { Project, Snapshot } from "typescript/unstable/async";
import type { SourceFile } from "typescript/unstable/ast";
import type { DisplayPaths } from "./display-paths.ts";
import type { FileOutline, OutlineCache } from "./outline.ts";
import type { NativeProcess } from "./native-process.ts";
import { fileOfUri, uriOf } from "./open-documents.ts";

export interface ProgramView {
  /** The tsconfig as the model reads it; "files without a tsconfig" for the inferred project. */
  readonly name: string;
  readonly configFile: string | undefined;
  readonly project: Project;
  readonly files: ReadonlySet<string>;
  /** Those of them inside the workspace and outside installed packages. */
  readonly own: readonly string[];
  /** How many it answers for: its own files; of the inferred project, those no tsconfig includes. */
  readonly size: number;
}

export interface ViewState {
  readonly native: NativeProcess;
  readonly snapshot: Snapshot;
  readonly programs: readonly ProgramView[];
  readonly outlines: OutlineCache;
  readonly paths: DisplayPaths;
  /** The text of a file longer than `limit`, open or on disk; undefined for a smaller one. */
  readonly readLarge: (file: string, limit: number) => Promise<string | undefined>;
  /** The project's own `package.json` files. */
  readonly packageFiles: readonly string[];
  /** What the reader of any answer must know: configuration errors, limits reached, missing folders. */
  readonly notes: readonly string[];
  /** False when a limit kept part of the workspace from being loaded. */
  readonly complete: boolean;
}

export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

export interface LspRange {
  readonly start: LspPosition;
  readonly end: LspPosition;
}

export interface SourceView {
  readonly source: SourceFile;
  readonly program: ProgramView;
}

export class View {
  readonly state: ViewState;
  readonly signal: AbortSignal;

  constructor(state: ViewState, signal: AbortSignal) {
    this.state = state;
    this.signal = signal;
  }

  get paths(): DisplayPaths {
    return this.state.paths;
  }

  get programs(): readonly ProgramView[] {
    return this.state.programs;
  }

  /** An LSP request; it is cancelled with the query. */
  request<Result>(method: string, params: unknown): Promise<Result> {
    this.signal.throwIfAborted();
    return this.state.native.request<Result>(method, params, this.signal);
  }

  /** An LSP request about one position. */
  requestAt<Result>(method: string, file: string, position: LspPosition, more: object = {}): Promise<Result> {
    return this.request<Result>(method, { textDocument: { uri: uriOf(file) }, position, ...more });
  }

  /** The file an answer's URI names. */
  fileOf(uri: string): string {
    return fileOfUri(uri) ?? uri;
  }

  programOf(file: string): ProgramView | undefined {
    return this.state.programs.find((program) => program.files.has(file));
  }

  /** The syntax tree of a file that is part of a loaded program. */
  async source(file: string): Promise<SourceView | undefined> {
    this.signal.throwIfAborted();
    const program = this.programOf(file);
    const source = await program?.project.program.getSourceFile(file);
    return program === undefined || source === undefined ? undefined : { source, program };
  }

  /** What a file declares. */
  outline(file: string): Promise<FileOutline> {
    return this.state.outlines.of(file, this);
  }

  /** The project's own files, each once, in a stable order. */
  ownFiles(): string[] {
    const files = new Set<string>();
    for (const program of this.programs) for (const file of program.own) files.add(file);
    return [...files].toSorted();
  }

  /** Installed packages' and the language's own declaration files. */
  externalFiles(): string[] {
    const files = new Set<string>();
    for (const program of this.programs) for (const file of program.files) if (!this.paths.isOwn(file)) files.add(file);
    return [...files].toSorted();
  }
}
