/**
 * What the compiler finds wrong around an edit: before the edit, with the proposed text, and after the edit was made.
 * The proposed text stands in no file; the side compiler reads it, and the first compiler never hears of it.
 */
import { existsSync } from "node:fs";
import { dirname, sep } from "node:path";
import { DiagnosticCategory, type Project } from "typescript/unstable/async";
import { basisOf, withAppended, type AppendedModule, type ModuleBasis } from "../expand/side-compiler.ts";
import { specifier } from "../expand/specifier.ts";
import { fileText } from "../files/file-text.ts";
import type { ProgramView, View } from "../view.ts";
import type { LspPosition } from "../places.ts";
import { mapLimited } from "../yielding.ts";
import { affectedFiles, KnownModules, type TextPair } from "./affected-files.ts";
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
  /** How many of `files` the edit touches, and how many files it touches in all. */
  readonly touched: number;
  readonly touchedInAll: number;
  /** Files that should be looked at and are not, because there are too many. */
  readonly leftOut: number;
  /** Whether files are checked because they spell a changed name. */
  readonly hasRelated: boolean;
  /** `using`: every file that uses what changed is checked; `importing`: those that import the touched files; `some`: not all of those. */
  readonly reach: "using" | "importing" | "some";
  /** Undefined when the compiler saw another text than the edit was made against. */
  readonly before: ErrorsByFile | undefined;
  readonly basis: ModuleBasis;
  readonly edited: readonly EditedText[];
  readonly related: readonly string[];
  /** By file, the tsconfig of the program that answers for it. */
  readonly configs: ReadonlyMap<string, string | undefined>;
  readonly modules: KnownModules;
}

/** What texts mean for files: by file, the texts' own files on which its errors may stand. */
export interface Reach {
  /** Beside all other files as they are now. */
  readonly now: EditSurroundings;
  readonly sources: ReadonlyMap<string, readonly string[]>;
}

const CODE = /\.[cm]?[jt]sx?$/;
/** Checking a file is work for the compiler; past this many the answer says that it did not look. */
const MAX_FILES = 300;
/** Past this many touched files nearly every file is an importer. */
const MAX_TOUCHED_WITH_IMPORTERS = 20;
const MAX_IMPORTERS = 60;
/** Questions under way at once make the compiler work out the same types that often. */
const SIDE_WIDTH = 2;

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
  const modules = new KnownModules();
  const texts = new Map(code.map(({ file, target }) => [file, target]));
  const { reach, files: reached } = await reachedBy(view, { edited: code, modules }, texts);
  const all = [...new Set([...touched, ...related, ...reached])];
  const files = all.slice(0, MAX_FILES);
  return {
    files,
    touched: Math.min(touched.length, files.length),
    touchedInAll: touched.length,
    leftOut: all.length - files.length,
    hasRelated: related.length > 0,
    reach,
    before: (await isAsEdited(view, code)) ? await errorsNow(view, files) : undefined,
    basis,
    edited: code,
    related,
    configs: new Map(files.map((file) => [file, (programs.get(file) ?? view.programOf(file))?.configFile])),
    modules,
  };
}

/** What the texts reach, beside all other files as they are now. */
export async function reachOf(view: View, found: EditSurroundings, texts: TextsByFile): Promise<Reach> {
  const { edited, related, configs } = found;
  const { sources } = await reachedBy(view, found, texts);
  const changed = edited.filter(({ file, base }) => (texts.get(file) ?? null) !== base).map(({ file }) => file);
  const all = sources ?? new Map(found.files.map((file) => [file, changed]));
  // Touched files first; a file that spells a changed name may stand on any of the texts.
  const ordered = new Map(changed.map((file) => [file, all.get(file) ?? [file]]));
  for (const [file, own] of all) ordered.set(file, own);
  for (const file of changed.length === 0 ? [] : related) ordered.set(file, changed);
  const more = [...ordered.keys()].filter((file) => !configs.has(file));
  const basis = (await basisOf(view, found.basis.file)) ?? found.basis;
  const now: EditSurroundings = {
    ...found,
    basis: view.state.snapshot === found.basis.state.snapshot ? found.basis : basis,
    configs: new Map([...configs, ...more.map((file) => [file, view.programOf(file)?.configFile] as const)]),
  };
  return { now, sources: ordered };
}

/** The texts of the edited files as they are now; null for a file that is not there. */
export async function textsNow(view: View, { edited }: EditSurroundings): Promise<TextsByFile> {
  const texts = await mapLimited(edited, async ({ file }) => {
    const isThere = view.state.openTexts.has(file) || existsSync(file);
    return [file, isThere ? (await fileText(view, file)).replace(/^\uFEFF/, "") : null] as const;
  });
  return new Map(texts);
}

interface Reached {
  readonly reach: EditSurroundings["reach"];
  readonly files: readonly string[];
  /** Undefined when it is not known which text matters to which file. */
  readonly sources: ReadonlyMap<string, readonly string[]> | undefined;
}

/** The files whose errors the texts may change; where names do not tell, the nearest that import the touched files. */
async function reachedBy(
  view: View,
  { edited, modules }: Pick<EditSurroundings, "edited" | "modules">,
  texts: TextsByFile,
): Promise<Reached> {
  if (edited.length > MAX_TOUCHED_WITH_IMPORTERS) return { reach: "some", files: [], sources: undefined };
  const pairs = new Map(
    edited.map(({ file, base }): [string, TextPair] => [file, { before: base, now: texts.get(file) ?? null }]),
  );
  const affected = await affectedFiles(view, pairs, { modules, limit: MAX_FILES });
  if (affected !== undefined) {
    const sources = new Map([...affected.sources].map(([file, own]) => [file, [...own]]));
    return { reach: affected.isEvery ? "using" : "some", files: [...sources.keys()], sources };
  }
  const touched = edited.map(({ file }) => file);
  const importers = await importersOf(view, touched, MAX_IMPORTERS);
  const reach = importers.length < MAX_IMPORTERS ? "importing" : "some";
  return { reach, files: importers.slice(0, MAX_IMPORTERS), sources: undefined };
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

/** The errors of the files as they would be with these texts, which stand in no file. */
export async function errorsWith(
  { basis, configs }: Pick<EditSurroundings, "basis" | "configs">,
  { texts, files }: { readonly texts: TextsByFile; readonly files: readonly string[] },
  signal: AbortSignal,
): Promise<ErrorsByFile> {
  if (files.length === 0) return new Map();
  const own = texts.get(basis.file) ?? basis.text;
  const isKnown = (file: string): boolean => basis.state.programs.some((program) => program.files.has(file));
  const written = [...texts].flatMap(([file, text]) => (text === null ? [] : [[file, text] as const]));
  const missing = [...texts.keys()].filter((file) => texts.get(file) === null && isKnown(file));
  const beside = new Map([...written.filter(([file]) => file !== basis.file), ...emptied(missing)]);
  const created = written.flatMap(([file]) => (isKnown(file) ? [] : file));
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
      SIDE_WIDTH,
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
