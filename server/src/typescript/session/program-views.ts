/** The compiler's programs as queries see them: every file once, under one name, and no built file in its source's place. */
import type { Project, Snapshot } from "typescript/unstable/async";
import { withhold } from "../files/projects/withhold.ts";
import { outputsOf, type BuiltDeclarations } from "../files/packages/built-declarations.ts";
import type { DisplayPaths } from "../files/display-paths.ts";
import { FileAliases, type Links } from "../files/file-aliases.ts";
import type { ShownFiles } from "../files/shown-files.ts";
import type { ProgramView } from "../view.ts";

export interface Programs {
  readonly programs: readonly ProgramView[];
  readonly aliases: FileAliases;
  /** By declaration file of the workspace, the source it was built from. */
  readonly built: ReadonlyMap<string, string>;
  /** The files on which the compiler's own project for files without a tsconfig depends, open documents among them. */
  readonly inferredRoots: readonly string[];
  /** What a project reads and no answer may show. */
  readonly hidden: ReadonlySet<string>;
  /** The hidden files that the workspace itself names or reads; a project around the workspace reads many more. */
  readonly withheld: readonly string[];
}

export interface ProgramParts {
  readonly snapshot: Snapshot;
  readonly paths: DisplayPaths;
  readonly links: Links;
  readonly built: BuiltDeclarations;
  readonly shown: ShownFiles;
  /** The texts of buffers that the compiler was told, by file. */
  readonly typed: ReadonlyMap<string, string>;
}

const INFERRED = "/dev/null/inferred";

export async function readPrograms({ snapshot, paths, links, built, shown, typed }: ProgramParts): Promise<Programs> {
  const read = await Promise.all(
    snapshot.getProjects().map(async (project) => ({ project, files: await project.program.getSourceFileNames() })),
  );
  const hidden = await shown.hiddenAmong(new Set(read.flatMap(({ files }) => files)), (file) => typed.has(file));
  if (hidden.size > 0) for (const { project } of read) withhold(project, hidden);
  const inside = read.filter(({ project }) => paths.folderOf(project.configFileName) !== undefined);
  const named = [...hidden].filter((file) => paths.folderOf(file) !== undefined);
  // There is nothing to tell of a file that is gone from the disk since the compiler read it.
  const withheld = [...named, ...inside.flatMap(({ files }) => files.filter((file) => hidden.has(file)))].filter(
    (file) => shown.hides(file),
  );
  const lists = read.map(({ project, files }) => ({ project, files: files.filter((file) => !hidden.has(file)) }));
  const own = new Set(lists.flatMap(({ files }) => files.filter((file) => paths.isOwn(file))));
  const aliases = new FileAliases(own, links);
  const outputs = read.flatMap(({ project }) => outputsOf(project));
  const sources = await built.among([...own], outputs, (file) => own.has(aliases.primary(file)));
  const programs = lists.map(({ project, files }) => {
    const mine = files.filter((file) => own.has(file) && aliases.primary(file) === file && !sources.has(file));
    return programView(project, new Set(files), mine, paths);
  });
  const configured = programs.filter(({ configFile }) => configFile !== undefined);
  const covered = new Set(configured.flatMap((program) => program.own));
  // An open file may be in a project of its own although another has it: that depends on what was loaded first.
  const inferred = programs
    .filter(({ configFile }) => configFile === undefined)
    .map((program) => ({ ...program, size: program.own.filter((file) => !covered.has(file)).length }))
    .filter(({ size }) => size > 0);
  const inferredRoots = lists.flatMap(({ project }) => (isInferred(project) ? project.rootFiles : []));
  return {
    programs: [...configured, ...inferred],
    aliases,
    built: sources,
    inferredRoots,
    hidden,
    withheld: [...new Set(withheld)].toSorted(),
  };
}

function programView(
  project: Project,
  files: ReadonlySet<string>,
  own: readonly string[],
  paths: DisplayPaths,
): ProgramView {
  const inferred = isInferred(project);
  return {
    name: inferred ? "files without a tsconfig" : paths.show(project.configFileName),
    configFile: inferred ? undefined : project.configFileName,
    project,
    files,
    roots: new Set(project.rootFiles.filter((file) => files.has(file))),
    own,
    size: own.length,
  };
}

function isInferred(project: Project): boolean {
  return project.configFileName.startsWith(INFERRED);
}
