/** The errors of files: as they are now, and with texts that are in no file. */
import type { SourceFile } from "typescript/unstable/ast";
import { DiagnosticCategory, type Project } from "typescript/unstable/async";
import { withAppended, type AppendedModule, type ModuleBasis } from "../../expand/side-compiler.ts";
import { specifier } from "../../expand/specifier.ts";
import type { LspPosition } from "../../places.ts";
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";
import { emptied, withMissing } from "./missing-files.ts";
import { StandIns, type Problem } from "./stand-ins.ts";

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

/** The state in which the files are asked about, and by file the tsconfig of the program that answers for it. */
export interface CheckedFiles {
  readonly basis: ModuleBasis;
  readonly configs: ReadonlyMap<string, string | undefined>;
}

/** Questions under way at once make the compiler work out the same types that often. */
const SIDE_WIDTH = 2;

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

/** The errors of the files as they would be with these texts, which are in no file. */
export async function errorsWith(
  { basis, configs }: CheckedFiles,
  { texts, files }: { readonly texts: TextsByFile; readonly files: readonly string[] },
  signal: AbortSignal,
): Promise<ErrorsByFile> {
  if (files.length === 0) return new Map();
  const places = new StandIns(texts);
  const own = places.textOf(basis.file, texts.get(basis.file) ?? basis.text);
  const isKnown = (file: string): boolean => basis.state.programs.some((program) => program.files.has(file));
  const written = [...texts].flatMap(([file, text]) => (text === null ? [] : [[file, text] as const]));
  const missing = [...texts.keys()].filter((file) => texts.get(file) === null && isKnown(file));
  const laid = written.filter(([file]) => file !== basis.file);
  const beside = new Map([
    ...laid.map(([file, text]): [string, string] => [places.placeOf(file), places.textOf(file, text)]),
    ...emptied(missing),
  ]);
  const created = written.flatMap(([file]) => (isKnown(file) ? [] : places.placeOf(file)));
  // A new file, which no tsconfig can have found yet, is part of the program as soon as something imports it.
  const imports = created.map((file) => `import ${JSON.stringify(specifier(basis.file, file))};`).join("\n");
  const also = [...new Set(configs.values())].filter((config) => config !== undefined);
  const ask = async (module: AppendedModule): Promise<ErrorsByFile> => {
    const found = await mapLimited(
      files,
      async (file) => {
        const none: FileError[] = [];
        if (texts.get(file) === null) return [file, none] as const;
        const place = places.placeOf(file);
        const project = await module.projectOf(place, configs.get(file));
        module.ending.throwIfAborted();
        const errors =
          project === undefined ? [] : await errorsIn(project, file, { missing, places, text: texts.get(file) });
        const ours = file === basis.file ? (texts.get(file) ?? basis.text).length : Number.POSITIVE_INFINITY;
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

interface Asked {
  readonly missing: readonly string[];
  readonly places: StandIns;
  /** The text of the file, where the compiler may have read another one in its place. */
  readonly text: string | null | undefined;
}

async function errorsIn(
  project: Project,
  file: string,
  asked?: Asked,
): Promise<(FileError & { readonly offset: number })[]> {
  const { program, compilerOptions } = project;
  const place = asked?.places.placeOf(file) ?? file;
  const writesDeclarations = compilerOptions.declaration === true || compilerOptions.composite === true;
  const found = await Promise.all([
    program.getSyntacticDiagnostics(place),
    program.getSemanticDiagnostics(place),
    writesDeclarations ? program.getDeclarationDiagnostics(place) : [],
  ]);
  const errors = found.flat().filter(({ category }) => category === DiagnosticCategory.Error);
  const mayMiss = asked !== undefined && asked.missing.length > 0;
  // A source file is large, and most files have no error.
  const source = errors.length === 0 && !mayMiss ? undefined : await program.getSourceFile(place);
  if (source === undefined) return [];
  const named = mayMiss ? await withMissing(project, source, { errors, missing: asked.missing }) : errors;
  const isOther = asked?.places.isNeeded === true && typeof asked.text === "string";
  const { positionOf, inText } = isOther ? readAs(asked.places, file, asked.text) : readAsIs(source);
  return named.map(inText).map(({ pos, end, code, text }) => ({
    file,
    offset: Math.max(0, pos),
    start: positionOf(Math.max(0, pos)),
    end: positionOf(Math.max(0, end)),
    code,
    message: text,
  }));
}

interface Reading {
  readonly positionOf: (offset: number) => LspPosition;
  readonly inText: (problem: Problem) => Problem;
}

function readAsIs(source: SourceFile): Reading {
  return { positionOf: (offset) => source.getLineAndCharacterOfPosition(offset), inText: (problem) => problem };
}

function readAs(places: StandIns, file: string, text: string): Reading {
  return {
    positionOf: (offset) => {
      const before = text.slice(0, offset).split("\n");
      return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    },
    inText: (problem) => places.inOriginal(file, problem),
  };
}
