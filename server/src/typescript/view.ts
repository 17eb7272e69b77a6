/** One consistent state of the compiler, as a query sees it: both sides on the same text until the query ends. */
import type { Project, Snapshot } from "typescript/unstable/async";
import type { SourceFile } from "typescript/unstable/ast";
import type { LspPosition } from "./places.ts";
import type { DisplayPaths } from "./files/display-paths.ts";
import type { FileAliases } from "./files/file-aliases.ts";
import type { ShownFiles } from "./files/shown-files.ts";
import type { FileChangeType } from "./files/tracked-files.ts";
import { findLinesQuickly } from "./line-starts.ts";
import type { NameIndex } from "./names/tree/name-index.ts";
import type { FileOutline } from "./names/tree/declaration.ts";
import type { NativeProcess } from "./session/native-process.ts";
import { fileOfUri, uriOf } from "../workspace/file-uri.ts";

export interface ProgramView {
  /** The tsconfig as the model reads it; "files without a tsconfig" for the inferred project. */
  readonly name: string;
  readonly configFile: string | undefined;
  readonly project: Project;
  readonly files: ReadonlySet<string>;
  /** The files that the program's tsconfig names; the others came in because they are imported. */
  readonly roots: ReadonlySet<string>;
  /** The program's files inside the workspace and outside installed packages. */
  readonly own: readonly string[];
  /** How many files the program answers for: its own; for the inferred project, those that no tsconfig includes. */
  readonly size: number;
}

/** What files declare, kept until they change. */
export interface Outlines {
  /** The names of the files that were searched so far. */
  readonly names: NameIndex;
  readonly of: (file: string, view: View) => Promise<FileOutline>;
}

/** Contract: `naming` answers the own files that may import one of these, and rather too many. */
export interface Specifiers {
  readonly naming: (view: View, files: readonly string[]) => Promise<readonly string[]>;
}

/** Contract: `filesWith` answers by own file those of the words that its text may have, and rather too many. */
export interface Words {
  readonly filesWith: (view: View, words: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/** What the compiler was told of: a file that changed on disk has a type, an open document none. */
export interface ToldChange {
  readonly file: string;
  readonly type?: FileChangeType;
}

export interface ViewState {
  readonly native: NativeProcess;
  readonly snapshot: Snapshot;
  readonly programs: readonly ProgramView[];
  /** Grows with what the compiler is told. */
  readonly age: number;
  /** What the compiler was told since a state of that age; undefined when nobody remembers. */
  readonly changedSince: (age: number) => readonly ToldChange[] | undefined;
  /** The names of files that links show more than once. */
  readonly aliases: FileAliases;
  /** By declaration file of the workspace, the source it was built from. */
  readonly built: ReadonlyMap<string, string>;
  readonly outlines: Outlines;
  /** Which own files name which modules. */
  readonly specifiers: Specifiers;
  /** Which own files have which words. */
  readonly words: Words;
  readonly paths: DisplayPaths;
  /** Which files answers may show; `hidden` are those that a program reads all the same. */
  readonly shown: ShownFiles;
  readonly hidden: ReadonlySet<string>;
  /** The text of a file longer than `limit`, open or on disk; undefined for a smaller one. */
  readonly readLarge: (file: string, limit: number) => Promise<string | undefined>;
  /** The texts of the open documents, by file. */
  readonly openTexts: ReadonlyMap<string, string>;
  /** JavaScript that was not searched because a build made it, as it seems. */
  readonly builtScripts: readonly string[];
  /** The project's own `package.json` files. */
  readonly packageFiles: readonly string[];
  /** Files that may use the project's code and that the compiler does not read, as they are now. */
  readonly unreadFiles: () => readonly string[];
  /** Pages of prose, Markdown. */
  readonly proseFiles: () => readonly string[];
  /** What the reader of any answer must know: configuration errors, limits reached, missing folders. */
  readonly notes: readonly string[];
  /** The notes that are about one tsconfig, by its file. */
  readonly configNotes: ReadonlyMap<string, string>;
  /** False when a limit kept part of the workspace from being loaded. */
  readonly complete: boolean;
}

export interface SourceView {
  readonly source: SourceFile;
  readonly program: ProgramView;
}

/** Beyond this many entries an answer is not worth its memory. */
const MAX_ENTRIES = 2_000;
/**
 * In all answers together: a few megabytes, enough for the thousand requests that a question about a much used
 * interface makes.
 */
const MAX_KEPT_ENTRIES = 60_000;

class KeptAnswers {
  readonly #answers = new Map<string, unknown>();
  #entries = 0;

  has(key: string): boolean {
    return this.#answers.has(key);
  }

  get(key: string): unknown {
    return this.#answers.get(key);
  }

  /** The oldest make room. */
  set(key: string, answer: unknown): void {
    if (sizeOf(answer) > MAX_ENTRIES || this.#answers.has(key)) return;
    this.#answers.set(key, answer);
    this.#entries += sizeOf(answer);
    for (const [oldest, old] of this.#answers) {
      if (this.#entries <= MAX_KEPT_ENTRIES) break;
      this.#answers.delete(oldest);
      this.#entries -= sizeOf(old);
    }
  }
}

function sizeOf(answer: unknown): number {
  return Array.isArray(answer) ? answer.length + 1 : 1;
}

const answers = new WeakMap<Snapshot, KeptAnswers>();

function answersOf(snapshot: Snapshot): KeptAnswers {
  const known = answers.get(snapshot) ?? new KeptAnswers();
  answers.set(snapshot, known);
  return known;
}

export class View {
  readonly state: ViewState;
  readonly signal: AbortSignal;
  /** Sentences for the reader of the answer: what could not be found for certain while it was looked for. */
  readonly doubts: Set<string> = new Set<string>();
  /** The one file that the answer is about and was read from; undefined when more was searched. */
  onlyFile: string | undefined;

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

  /** False when an answer may lack something. */
  get isComplete(): boolean {
    return this.state.complete && this.doubts.size === 0;
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

  /** Like `requestAt`, for what stays true as long as the state: asked once for all queries that see it. */
  async requestOnceAt<Result>(method: string, file: string, position: LspPosition, more: object = {}): Promise<Result> {
    const memo = answersOf(this.state.snapshot);
    const key = JSON.stringify([method, file, position, more]);
    if (memo.has(key)) return memo.get(key) as Result;
    const answer = await this.requestAt<Result>(method, file, position, more);
    this.signal.throwIfAborted();
    memo.set(key, answer);
    return answer;
  }

  /** The file an answer's URI names, by the one of its names that answers use. */
  fileOf(uri: string): string {
    return this.state.aliases.primary(fileOfUri(uri) ?? uri);
  }

  /** The file by the one of its names that answers use; undefined when no program knows it. */
  fileNamed(path: string): string | undefined {
    const file = this.state.aliases.primary(path);
    return this.programOf(file) === undefined ? undefined : file;
  }

  /** The program whose tsconfig names the file, because its options are the file's; else one that imports it. */
  programOf(file: string): ProgramView | undefined {
    const { programs } = this.state;
    return programs.find(({ roots }) => roots.has(file)) ?? programs.find(({ files }) => files.has(file));
  }

  /** Whether the program that has the file reads the other one, under any of its names. */
  isSeenFrom(file: string, other: string): boolean {
    const program = this.programOf(file);
    return program !== undefined && this.state.aliases.namesOf(other).some((name) => program.files.has(name));
  }

  /** The syntax tree of a file that is part of a loaded program. */
  async source(file: string): Promise<SourceView | undefined> {
    this.signal.throwIfAborted();
    const program = this.programOf(file);
    const source = await program?.project.program.getSourceFile(file);
    if (program === undefined || source === undefined) return undefined;
    findLinesQuickly(source);
    return { source, program };
  }

  /** What a file declares. */
  async outline(file: string): Promise<FileOutline> {
    if (this.state.shown.hides(file)) return { file, declarations: [], outermostOnly: false };
    return this.state.outlines.of(file, this);
  }

  /** The project's own files, each once, in a stable order. */
  ownFiles(): string[] {
    return [...filesOf(this).own];
  }

  /** Installed packages' and the language's own declaration files. */
  externalFiles(): string[] {
    return [...filesOf(this).external];
  }
}

interface Files {
  readonly own: readonly string[];
  readonly external: readonly string[];
}

const filesOfPrograms = new WeakMap<readonly ProgramView[], Files>();

function filesOf({ programs, paths }: View): Files {
  const known = filesOfPrograms.get(programs);
  if (known !== undefined) return known;
  const own = new Set(programs.flatMap((program) => program.own));
  const external = new Set<string>();
  for (const program of programs) for (const file of program.files) if (!paths.isOwn(file)) external.add(file);
  const files = { own: [...own].toSorted(), external: [...external].toSorted() };
  filesOfPrograms.set(programs, files);
  return files;
}
