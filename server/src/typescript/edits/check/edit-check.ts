/**
 * What the compiler finds wrong around an edit: before the edit, with the proposed text, and after the edit was made.
 * The proposed text is in no file; the side compiler reads it, and the first compiler never hears of it.
 */
import { existsSync } from "node:fs";
import { dirname, sep } from "node:path";
import { basisOf } from "../../expand/side-compiler.ts";
import { fileText } from "../../files/file-text.ts";
import type { ProgramView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";
import { affectedFiles, KnownModules, type TextPair } from "./affected-files.ts";
import { errorsNow, type CheckedFiles, type ErrorsByFile, type FileError, type TextsByFile } from "./file-errors.ts";
import { importersOf } from "./importers.ts";

export interface EditedText {
  /** Absolute path. */
  readonly file: string;
  /** Null for a file that does not exist yet. */
  readonly base: string | null;
  /** Null for a file that is deleted. */
  readonly target: string | null;
}

/** The files to check, those that the edit touches first, and the errors in them before the edit. */
export interface EditSurroundings extends CheckedFiles {
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
  readonly edited: readonly EditedText[];
  readonly related: readonly string[];
  readonly modules: KnownModules;
}

/** The errors that texts would bring and take, in all files whose errors they may change. */
export interface EditComparison extends Pick<EditSurroundings, "touched" | "edited"> {
  readonly introduced: readonly FileError[];
  readonly resolved: readonly FileError[];
  /** How many files were looked at. */
  readonly looked: number;
  /** Whether every file was looked at that should be. */
  readonly isWhole: boolean;
}

/** By file, the files of the texts on which its errors may depend. */
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
  // Touched files first; a file that spells a changed name may depend on any of the texts.
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

/** For a file that does not exist, or not any more, the program whose folder would hold the file. */
function programFor(view: View, file: string, isNew: boolean): ProgramView | undefined {
  const known = view.programOf(file);
  if (known !== undefined || (!isNew && existsSync(file))) return known;
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
