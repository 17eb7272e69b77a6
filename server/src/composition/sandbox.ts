/** The part of the composition that walls programs in: the wall itself, and commands behind the wall. */
import { join, sep } from "node:path";
import type { ServerSetup } from "../handlers/stdio-server.ts";
import type { ChangedPath, ChangedPaths } from "../repl/stages/changes/changed-paths.ts";
import type { Place } from "../search/place.ts";
import type { BackgroundCommand } from "../protocol/status.ts";
import type { WithRoom } from "../repl/testing/walled/test-room.ts";
import type { FolderFiles, Sandbox } from "../sandbox/sandbox.ts";
import type { CommandRequest } from "../sandbox/runs/command-run.ts";
import type { UnwalledRun } from "../sandbox/runs/unwalled-run.ts";
import type { CommandPorts } from "../tools/commands/run-command.ts";
import { existingRealPath } from "../workspace/real-path.ts";
import { closedName } from "../workspace/secret-names.ts";
import { isWithin } from "../workspace/shown-path.ts";
import type { Documents } from "../workspace/documents.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";

/** Everything but what belongs to edits. */
export interface ComposedCommands extends Omit<CommandPorts, "edits"> {
  /** Commands that run in the background now; undefined for none. */
  readonly inBackground: () => readonly BackgroundCommand[] | undefined;
  readonly dispose: () => Promise<void>;
}

export interface CommandParts {
  readonly setup: ServerSetup;
  /** Called when a command in the background begins or ends. */
  readonly onChange: () => void;
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly sandbox: () => Promise<Sandbox>;
}

/** The one wall of a server, for all that it starts. `variables` are those of the server's environment. */
export async function composeSandbox(
  paths: WorkspacePaths,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Sandbox> {
  const [{ Sandbox }, { passedEnvironment }] = await Promise.all([
    import("../sandbox/sandbox.ts"),
    import("../process/child-environment.ts"),
  ]);
  return new Sandbox({ folders: () => foldersOf(paths), env: passedEnvironment(variables), variables, listFiles });
}

function foldersOf(paths: WorkspacePaths): string[] {
  return paths.folders().flatMap((folder) => existingRealPath(folder) ?? []);
}

export async function composeCommands({
  documents,
  paths,
  setup,
  onChange,
  ...parts
}: CommandParts): Promise<ComposedCommands> {
  const chosen = chosenOpen(setup);
  const [sandbox, { runCommand }, { BackgroundCommands }, git] = await Promise.all([
    parts.sandbox(),
    import("../sandbox/runs/command-run.ts"),
    import("../sandbox/runs/background.ts"),
    import("../process/git.ts"),
  ]);
  const background = new BackgroundCommands(sandbox, onChange);
  const writable = async (signal: AbortSignal): Promise<string[]> => {
    const ignored = foldersOf(paths).map(async (folder) =>
      (await git.ignoredFolders(folder, signal)).map((path) => join(folder, path)),
    );
    return (await Promise.all(ignored)).flat().filter(mayBeWritten).slice(0, MOST_WRITABLE);
  };
  const show = (absolute: string): string => paths.relative(absolute);
  return {
    inBackground: () => (background.list().length === 0 ? undefined : background.list()),
    dispose: () => background.dispose(),
    background: {
      start: (request, signal) => background.start(request, signal),
      read: (id, signal) => background.read(id, signal),
      stop: (id) => background.stop(id),
      writable,
      show,
    },
    folders: () => foldersOf(paths),
    unsaved: () => unsavedTexts(documents, paths),
    run: (request, signal, use) => runCommand(sandbox, request, signal, use),
    runUnwalled: (request, signal) => runUnwalled({ documents, paths }, request, signal),
    whyNot: () => chosen ?? sandbox.whyNot(),
    listedHosts: setup.settings.commands.hosts ?? [],
    ignored: (asked, signal) => ignoredPaths(paths, asked, signal),
    show,
    placeOf: (absolute) => paths.placeOf(absolute),
  };
}

function chosenOpen({ settings }: Pick<ServerSetup, "settings">): string | undefined {
  const { confinement = "confined" } = settings.repl;
  return confinement === "confined" ? undefined : `The setting repl.confinement is "${confinement}".`;
}

/** Why no command is walled in, and what would help; undefined where commands are. Tries it out where nobody has. */
export async function whyNotCommands(
  setup: Pick<ServerSetup, "settings">,
  sandbox: () => Promise<Pick<Sandbox, "wall" | "whyNot">>,
): Promise<string | undefined> {
  const chosen = chosenOpen(setup);
  if (chosen !== undefined) return chosen;
  const walls = await sandbox();
  await walls.wall();
  return walls.whyNot();
}

const MOST_WRITABLE = 100;

/** A folder whose real path is this one, and which is neither a repository's nor one for secrets. */
function mayBeWritten(path: string): boolean {
  const names = path.split(sep);
  return existingRealPath(path) === path && closedName(names) === undefined;
}

/** The files of the workspace are looked at before and after; what the person saves meanwhile is no change of the command's. */
async function runUnwalled(
  { documents, paths }: Pick<CommandParts, "documents" | "paths">,
  request: CommandRequest,
  signal: AbortSignal,
): Promise<UnwalledRun & { changes: ChangedPaths }> {
  const [{ runUnwalled: run }, { watchPaths }, { childEnvironment }] = await Promise.all([
    import("../sandbox/runs/unwalled-run.ts"),
    import("../repl/stages/changes/changed-paths.ts"),
    import("../process/child-environment.ts"),
  ]);
  const since = Date.now();
  const lookAgain = await watchPaths(foldersOf(paths));
  const ran = await run(request, childEnvironment(), signal);
  const { changed, isWhole } = await lookAgain();
  const others: ChangedPath[] = [];
  for (const each of changed) {
    const resolution = paths.resolve(each.path);
    if (!resolution.ok || !(await isSaved(documents, resolution.path.uri, since))) others.push(each);
  }
  return { ...ran, changes: { changed: others, isWhole } };
}

async function isSaved(documents: Documents, uri: string, since: number): Promise<boolean> {
  if (documents.get(uri) === undefined) return false;
  const text = await documents.readDisk(uri).catch(() => undefined);
  return text !== undefined && documents.wasSaved(uri, text, since);
}

/** What open documents hold that the disk does not, by their absolute real paths. */
async function unsavedTexts(documents: Documents, paths: WorkspacePaths): Promise<Map<string, string>> {
  const [{ changedDocuments }, { outermost }] = await Promise.all([
    import("../search/changed-documents.ts"),
    import("../search/place.ts"),
  ]);
  const named = outermost(paths.folders());
  const at = ({ folder, relative }: Place): string => join(existingRealPath(named[folder] ?? "") ?? "", relative);
  return new Map((await changedDocuments(documents, paths)).map((each) => [at(each), each.text]));
}

async function ignoredPaths(
  paths: WorkspacePaths,
  asked: readonly string[],
  signal: AbortSignal,
): Promise<Set<string>> {
  const { ignoredByGit } = await import("../process/git.ts");
  const ignored = new Set<string>();
  for (const folder of foldersOf(paths)) {
    const inside = asked.filter((path) => isWithin(path, folder) && path !== `${folder}/`);
    for (const path of await ignoredByGit(folder, inside, signal)) ignored.add(path);
  }
  return ignored;
}

/**
 * Copies of the project for runs of tests; a sentence that says why, where there can be none, and where the person gave
 * full rights, with which tests run as they would in a terminal.
 */
export async function composeTestRooms({
  documents,
  paths,
  ...parts
}: Pick<CommandParts, "setup" | "documents" | "paths" | "sandbox">): Promise<WithRoom | string> {
  const chosen = chosenOpen(parts.setup);
  if (chosen !== undefined) return chosen;
  const sandbox = await parts.sandbox();
  const found = await sandbox.wall();
  if (found.kind === "none") return sandbox.whyNot() ?? found.reason;
  const { layerRooms } = await import("../sandbox/runs/layer-rooms.ts");
  const { kernelFiles } = await import("../repl/confinement/launch-plan.ts");
  return layerRooms({
    sandbox,
    needed: kernelFiles(),
    unsaved: () => unsavedTexts(documents, paths),
    ignored: (asked, signal) => ignoredPaths(paths, asked, signal),
  });
}

/** All files of a folder, for their names alone. */
export async function listFiles(folder: string, signal: AbortSignal): Promise<FolderFiles> {
  const [{ installedRipgrep }, { allFiles }] = await Promise.all([
    import("../search/ripgrep.ts"),
    import("../search/all-files.ts"),
  ]);
  return allFiles(installedRipgrep, folder, signal);
}
