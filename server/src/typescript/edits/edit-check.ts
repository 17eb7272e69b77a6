/**
 * What the compiler finds wrong around an edit: before the edit, with the proposed text, and after the edit was made.
 * The proposed text stands in no file; the side compiler reads it, and the first compiler never hears of it.
 */
import { dirname, sep } from "node:path";
import { DiagnosticCategory, type Project } from "typescript/unstable/async";
import { basisOf, withAppended, type AppendedModule, type ModuleBasis } from "../expand/side-compiler.ts";
import { specifier } from "../expand/specifier.ts";
import type { ProgramView, View } from "../view.ts";
import type { LspPosition } from "../places.ts";
import { mapLimited } from "../yielding.ts";
import { importersOf } from "./importers.ts";
import { emptied, withMissing } from "./missing-files.ts";

export interface EditedText {
  /** Absolute path. */
  readonly file: string;
  /** Null for a file that does not exist yet. */
  readonly base: string | null;
  /** Null for a file that is deleted. */
  readonly target: string | null;
}

/** By absolute path; null for a file that does not exist. */
export type TextsByFile = ReadonlyMap<string, string | null>;

export interface FileError {
  readonly file: string;
  readonly start: LspPosition;
  readonly end: LspPosition;
  readonly code: number;
  readonly message: string;
}

export type ErrorsByFile = ReadonlyMap<string, readonly FileError[]>;

/** The files to check, those that the edit touches first, and the errors in them before the edit. */
export interface EditSurroundings {
  readonly files: readonly string[];
  /**
   * How many of `files` the edit touches, how many files it touches in all, and how many of `files` it does not touch.
   */
  readonly touched: number;
  readonly touchedInAll: number;
  readonly others: number;
  /** Files that should be looked at and are not, because there are too many. */
  readonly leftOut: number;
  /**
   * Whether files are checked because they spell a changed name, and whether every importer of the touched files is
   * checked.
   */
  readonly hasRelated: boolean;
  readonly isEveryImporter: boolean;
  /** Undefined when the compiler saw another text than the edit was made against. */
  readonly before: ErrorsByFile | undefined;
  readonly basis: ModuleBasis;
  /** Files that the edit deletes. */
  readonly deleted: ReadonlySet<string>;
  /** By file, the tsconfig of the program that answers for it. */
  readonly configs: ReadonlyMap<string, string | undefined>;
}

const CODE = /\.[cm]?[jt]sx?$/;
/** Checking a file is work for the compiler; past this many the answer says that it did not look. */
const MAX_FILES = 300;
/** Past this many touched files nearly every file is an importer. */
const MAX_TOUCHED_WITH_IMPORTERS = 20;
const MAX_IMPORTERS = 60;

/** Undefined when the compiler has nothing to say about any of the files. */
export async function surroundingsOf(
  view: View,
  edited: readonly EditedText[],
  related: readonly string[] = [],
): Promise<EditSurroundings | undefined> {
  const code = edited.filter(({ file }) => CODE.test(file) && !view.state.shown.hides(file));
  const programs = new Map(code.map(({ file, base }) => [file, programFor(view, file, base === null)]));
  const touched = code.map(({ file }) => file).filter((file) => programs.get(file) !== undefined);
  const host = hostOf(view, code, programs);
  const basis = host === undefined ? undefined : await basisOf(view, host);
  if (basis === undefined) return undefined;
  const isManageable = touched.length <= MAX_TOUCHED_WITH_IMPORTERS;
  const importers = isManageable ? await importersOf(view, touched, MAX_IMPORTERS) : [];
  const nearest = importers.slice(0, MAX_IMPORTERS);
  const others = [...new Set([...related, ...nearest])].filter((file) => !touched.includes(file));
  const all = [...touched, ...others];
  const files = all.slice(0, MAX_FILES);
  const configs = new Map(files.map((file) => [file, (programs.get(file) ?? view.programOf(file))?.configFile]));
  return {
    files,
    touched: Math.min(touched.length, files.length),
    touchedInAll: touched.length,
    others: Math.max(0, files.length - touched.length),
    leftOut: all.length - files.length,
    hasRelated: related.length > 0,
    isEveryImporter: isManageable && importers.length < MAX_IMPORTERS,
    before: (await isAsEdited(view, code)) ? await errorsNow(view, files) : undefined,
    basis,
    deleted: new Set(code.flatMap(({ file, target }) => (target === null ? file : []))),
    configs,
  };
}

/** The same files, beside all others as they are now. */
export async function surroundingsNow(view: View, found: EditSurroundings): Promise<EditSurroundings> {
  if (view.state.snapshot === found.basis.state.snapshot) return found;
  return { ...found, basis: (await basisOf(view, found.basis.file)) ?? found.basis };
}

/** As the first compiler sees the files now. */
export async function errorsNow(view: View, files: readonly string[]): Promise<ErrorsByFile> {
  const found = await mapLimited(
    files,
    async (file) => {
      const project = view.programOf(file)?.project;
      return [file, project === undefined ? [] : await errorsIn(project, file)] as const;
    },
    view.signal,
  );
  return new Map(found);
}

/** With the files as they would be with these texts, which stand in no file. */
export async function errorsWith(
  { basis, configs, files }: EditSurroundings,
  texts: TextsByFile,
  signal: AbortSignal,
): Promise<ErrorsByFile> {
  const own = texts.get(basis.file) ?? basis.text;
  const known = new Set(basis.files);
  const written = [...texts].flatMap(([file, text]) => (text === null ? [] : [[file, text] as const]));
  const missing = [...texts.keys()].filter((file) => texts.get(file) === null && known.has(file));
  const beside = new Map([...written.filter(([file]) => file !== basis.file), ...emptied(missing)]);
  const created = written.flatMap(([file]) => (known.has(file) ? [] : file));
  // A new file, which no tsconfig can have found yet, is part of the program as soon as something imports it.
  const imports = created.map((file) => `import ${JSON.stringify(specifier(basis.file, file))};`).join("\n");
  const also = [...new Set(configs.values())].filter((config) => config !== undefined);
  const ask = async (module: AppendedModule): Promise<ErrorsByFile> => {
    const found = await mapLimited(
      files,
      async (file) => {
        const none: FileError[] = [];
        if (texts.get(file) === null) return [file, none] as const;
        const project = await module.projectOf(file, configs.get(file));
        module.ending.throwIfAborted();
        const errors = project === undefined ? [] : await errorsIn(project, file, missing);
        const ours = file === basis.file ? own.length : Number.POSITIVE_INFINITY;
        return [file, errors.filter(({ offset }) => offset < ours)] as const;
      },
      AbortSignal.any([signal, module.ending]),
    );
    return new Map(found);
  };
  return withAppended({ ...basis, text: own, beside, also }, imports, ask, signal);
}

/**
 * Errors that are in the first and not in the second; the same words in the same file are the same error, wherever an
 * edit moves them.
 */
export function errorsOnlyIn(these: ErrorsByFile, those: ErrorsByFile): FileError[] {
  const found: FileError[] = [];
  for (const [file, errors] of these) {
    const left = new Map<string, number>();
    for (const error of those.get(file) ?? []) left.set(keyOf(error), (left.get(keyOf(error)) ?? 0) + 1);
    for (const error of errors) {
      const count = left.get(keyOf(error)) ?? 0;
      if (count > 0) left.set(keyOf(error), count - 1);
      else found.push(error);
    }
  }
  return found;
}

function keyOf({ code, message }: FileError): string {
  return `${code} ${message}`;
}

async function errorsIn(
  project: Project,
  file: string,
  missing: readonly string[] = [],
): Promise<(FileError & { readonly offset: number })[]> {
  const { program, compilerOptions } = project;
  const writesDeclarations = compilerOptions.declaration === true || compilerOptions.composite === true;
  const found = await Promise.all([
    program.getSyntacticDiagnostics(file),
    program.getSemanticDiagnostics(file),
    writesDeclarations ? program.getDeclarationDiagnostics(file) : [],
  ]);
  const errors = found.flat().filter(({ category }) => category === DiagnosticCategory.Error);
  const mayMiss = missing.length > 0;
  // A source file is large, and most files have no error.
  const source = errors.length === 0 && !mayMiss ? undefined : await program.getSourceFile(file);
  if (source === undefined) return [];
  const named = mayMiss ? await withMissing(project, source, { errors, missing }) : errors;
  return named.map(({ pos, end, code, text }) => ({
    file,
    offset: Math.max(0, pos),
    start: source.getLineAndCharacterOfPosition(Math.max(0, pos)),
    end: source.getLineAndCharacterOfPosition(Math.max(0, end)),
    code,
    message: text,
  }));
}

/**
 * The module at whose end the side compiler gets imports of new files: one that stays, since a module of imports alone is
 * no missing file.
 */
function hostOf(
  view: View,
  code: readonly EditedText[],
  programs: ReadonlyMap<string, ProgramView | undefined>,
): string | undefined {
  const gone = new Set(code.flatMap(({ file, target }) => (target === null ? file : [])));
  const known = code.filter(({ file }) => programs.get(file) !== undefined).map(({ file }) => file);
  const staying = known.find((file) => !gone.has(file) && view.programOf(file) !== undefined);
  const beside = known.flatMap((file) => programs.get(file)?.own.find((each) => !gone.has(each)) ?? []);
  return staying ?? beside[0] ?? known[0];
}

/** For a file that does not exist yet, the program whose folder would hold the file. */
function programFor(view: View, file: string, isNew: boolean): ProgramView | undefined {
  if (!isNew) return view.programOf(file);
  const homes = view.programs.filter(({ configFile, own }) => {
    return configFile !== undefined && own.length > 0 && file.startsWith(dirname(configFile) + sep);
  });
  return homes.toSorted((a, b) => (b.configFile?.length ?? 0) - (a.configFile?.length ?? 0))[0];
}

/** Whether the compiler's texts are those that the edit was made against. */
async function isAsEdited(view: View, edited: readonly EditedText[]): Promise<boolean> {
  const seen = await mapLimited(
    edited,
    async ({ file, base }) => {
      const text = (await view.source(file))?.source.text.replace(/^\uFEFF/, "");
      return base === null ? text === undefined : text === undefined || text === base;
    },
    view.signal,
  );
  return seen.every(Boolean);
}
