/** What the compiler has to say about files, declarations, or everything it has loaded, configuration included. */
import { sep } from "node:path";
import { DiagnosticCategory, type Diagnostic } from "typescript/unstable/async";
import { readRegularText } from "../../workspace/regular-file.ts";
import { moduleScope } from "../names/tree/module-scope.ts";
import { isSolution } from "../files/projects/project-configs.ts";
import { referenceCircles } from "../files/projects/reference-circles.ts";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import type { ProgramView, View } from "../view.ts";
import type { LspPosition, LspRange } from "../places.ts";
import { forEachYielding, mapLimited } from "../yielding.ts";

export type Severity = "error" | "warning" | "suggestion";

export interface Problem {
  /** Undefined for a problem of a whole project. */
  readonly file: string | undefined;
  readonly project: string;
  /** UTF-16 offset in the file. */
  readonly start: number;
  readonly end: number;
  readonly severity: Severity;
  readonly code: number;
  readonly message: string;
  /** Why, each line deeper than the one before or beside it. */
  readonly chain: readonly { readonly depth: number; readonly text: string }[];
  readonly related: readonly { readonly file: string; readonly start: number; readonly text: string }[];
}

export interface Problems {
  /** By file, then by place; those without a file first. */
  readonly problems: readonly Problem[];
  readonly filesChecked: readonly string[];
  /** Files that belong to no loaded project. */
  readonly notChecked: readonly string[];
}

export interface CheckOptions {
  /** The least severe kind that is looked for. */
  readonly least: Severity;
}

/** Every own file, and what is wrong with the configuration. */
export async function workspaceProblems(view: View, options: CheckOptions): Promise<Problems> {
  const [files, projects] = await Promise.all([
    fileProblems(view, view.ownFiles(), options),
    mapLimited(view.programs, projectProblems, view.signal),
  ]);
  const found = [...projects.flat(), ...circleProblems(view), ...files.problems];
  return { ...files, problems: await inOrder(found, options, view.signal) };
}

/** A tsconfig with its own files, a folder, a file, or a package; undefined when nothing goes by that name. */
export async function namedProblems(view: View, name: string, options: CheckOptions): Promise<Problems | undefined> {
  const wanted = name.trim().replace(/[/\\]$/, "");
  const program = view.programs.find((each) => each.name === wanted);
  if (program !== undefined) {
    const [files, project] = await Promise.all([fileProblems(view, program.own, options), projectProblems(program)]);
    return { ...files, problems: await inOrder([...project, ...files.problems], options, view.signal) };
  }
  // A folder's name means all of it, not its index file.
  const homes = view.paths.candidates(wanted === "." ? "" : wanted).map((folder) => folder.replace(/[/\\]$/, "") + sep);
  const inside = view.ownFiles().filter((file) => homes.some((home) => file.startsWith(home)));
  const files = inside.length > 0 ? inside : moduleScope(view, wanted)?.files;
  return files === undefined ? undefined : fileProblems(view, files, options);
}

async function fileProblems(view: View, files: readonly string[], options: CheckOptions): Promise<Problems> {
  const checks = files.map((file) => ({ file, programs: checkersOf(view, file) }));
  const found = await mapLimited(checks, (check) => problemsOf(check, options), view.signal);
  const notChecked = checks.filter(({ programs }) => programs.length === 0).map(({ file }) => file);
  return {
    problems: await inOrder(found.flat(), options, view.signal),
    filesChecked: files.filter((file) => !notChecked.includes(file)),
    notChecked,
  };
}

/** Problems that touch the declarations of a symbol. */
export async function symbolProblems(view: View, target: SymbolTarget, options: CheckOptions): Promise<Problems> {
  const files = [...new Set(target.declarations.map((declaration) => declaration.file))];
  const found = await fileProblems(view, files, options);
  const ranges = await mapLimited(target.declarations, ({ file, range }) => offsets(view, file, range), view.signal);
  const problems = found.problems.filter(({ file, start, end }) =>
    ranges.some((range) => range.file === file && start <= range.end && end >= range.start),
  );
  return { ...found, problems };
}

/** Turns offsets of a file into positions; undefined when the file cannot be read. */
export async function positionsIn(view: View, file: string): Promise<((offset: number) => LspPosition) | undefined> {
  const found = await view.source(file);
  if (found !== undefined) return (offset) => found.source.getLineAndCharacterOfPosition(offset);
  // A tsconfig is no source file of any project.
  const text = await readRegularText(file, { lossy: true }).catch(() => undefined);
  if (text === undefined) return undefined;
  return (offset) => {
    const before = text.slice(0, Math.max(0, offset)).split("\n");
    return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  };
}

/**
 * The programs that answer for a file: those that name it themselves, or else the first that has it. A file that a
 * project only reaches through a reference is checked by the referenced project.
 */
function checkersOf(view: View, file: string): readonly ProgramView[] {
  const having = view.programs.filter((program) => program.files.has(file));
  const naming = having.filter((program) => program.roots.has(file));
  return naming.length > 0 ? naming : having.slice(0, 1);
}

async function problemsOf(
  { file, programs }: { readonly file: string; readonly programs: readonly ProgramView[] },
  { least }: CheckOptions,
): Promise<Problem[]> {
  const perProgram = await Promise.all(
    programs.map(async ({ name, project: { program, compilerOptions } }) => {
      const writesDeclarations = compilerOptions.declaration === true || compilerOptions.composite === true;
      const found = await Promise.all([
        program.getSyntacticDiagnostics(file),
        program.getSemanticDiagnostics(file),
        writesDeclarations ? program.getDeclarationDiagnostics(file) : [],
        least === "suggestion" ? program.getSuggestionDiagnostics(file) : [],
      ]);
      return found.flat().map((diagnostic) => problemOf(diagnostic, name));
    }),
  );
  return perProgram.flat();
}

/** What is wrong with a project as a whole: its tsconfig, its options, what it refers to. */
async function projectProblems({ name, configFile, project }: ProgramView): Promise<Problem[]> {
  // Nobody wrote the options of files without a tsconfig.
  if (configFile === undefined) return [];
  const { program, rootFiles } = project;
  const found = await Promise.all([
    program.getConfigFileParsingDiagnostics(),
    program.getProgramDiagnostics(),
    program.getGlobalDiagnostics(),
  ]);
  const hasFiles = rootFiles.length > 0 || isSolution(configFile);
  // 7.0.2 reports that it found no files when it read the tsconfig, whatever files came since.
  const current = found.flat().filter(({ code }) => code !== NOTHING_INCLUDED || !hasFiles);
  return current.map((diagnostic) => {
    const problem = problemOf(diagnostic, name);
    return problem.file === undefined ? { ...problem, file: configFile } : problem;
  });
}

/** Circles of project references: only `tsc --build` reports them, and it is not asked here. */
function circleProblems(view: View): Problem[] {
  const configFiles = view.programs.flatMap(({ configFile }) => configFile ?? []);
  return referenceCircles(configFiles).map((circle) => ({
    file: circle[0],
    project: view.paths.show(circle[0] ?? ""),
    start: 0,
    end: 0,
    severity: "error",
    code: CIRCULAR,
    message: `Project references may not form a circular graph: ${circle.map((file) => view.paths.show(file)).join(" → ")}`,
    chain: [],
    related: [],
  }));
}

function problemOf(diagnostic: Diagnostic, project: string): Problem {
  return {
    file: diagnostic.fileName,
    project,
    start: Math.max(0, diagnostic.pos),
    end: Math.max(0, diagnostic.end),
    severity: severityOf(diagnostic),
    code: diagnostic.code,
    message: diagnostic.text,
    chain: chainOf(diagnostic.messageChain ?? [], 0),
    related: (diagnostic.relatedInformation ?? []).flatMap(({ fileName, pos, text }) => {
      return fileName === undefined ? [] : [{ file: fileName, start: Math.max(0, pos), text }];
    }),
  };
}

function chainOf(chain: readonly Diagnostic[], depth: number): { depth: number; text: string }[] {
  return chain.flatMap(({ text, messageChain }) => [{ depth, text }, ...chainOf(messageChain ?? [], depth + 1)]);
}

function severityOf({ category }: Diagnostic): Severity {
  if (category === DiagnosticCategory.Error) return "error";
  return category === DiagnosticCategory.Warning ? "warning" : "suggestion";
}

const NOTHING_INCLUDED = 18_003;
const CIRCULAR = 6_202;
const RANK = { error: 0, warning: 1, suggestion: 2 } as const;

async function inOrder(
  found: readonly Problem[],
  { least }: CheckOptions,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const unique = new Map<string, Problem>();
  await forEachYielding(
    found,
    (problem) => {
      if (RANK[problem.severity] > RANK[least]) return;
      const key = `${problem.file}:${problem.start}:${problem.end}:${problem.code}:${problem.message}`;
      if (!unique.has(key)) unique.set(key, problem);
    },
    signal,
  );
  return [...unique.values()].toSorted((a, b) => {
    const [left, right] = [a.file ?? "", b.file ?? ""];
    if (left !== right) return left < right ? -1 : 1;
    return a.start - b.start || a.code - b.code;
  });
}

async function offsets(
  view: View,
  file: string,
  { start, end }: LspRange,
): Promise<{ file: string; start: number; end: number }> {
  const source = (await view.source(file))?.source;
  if (source === undefined) return { file, start: 0, end: 0 };
  const offset = ({ line, character }: LspPosition): number => source.getPositionOfLineAndCharacter(line, character);
  return { file, start: offset(start), end: offset(end) };
}
