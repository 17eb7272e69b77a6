/** The part of the composition that walls programs in: the wall itself, and commands behind the wall. */
import { join } from "node:path";
import type { Place } from "./search/place.ts";
import type { WithRoom } from "./repl/testing/walled/test-room.ts";
import type { FolderFiles, Sandbox } from "./sandbox/sandbox.ts";
import type { CommandPorts } from "./tools/commands/run-command.ts";
import { existingRealPath } from "./workspace/real-path.ts";
import { isWithin } from "./workspace/shown-path.ts";
import type { Documents } from "./workspace/documents.ts";
import type { WorkspacePaths } from "./workspace/workspace-paths.ts";

/** Everything but what belongs to edits. */
export interface ComposedCommands extends Omit<CommandPorts, "edits"> {
  /** Settles when `whyNot` knows. Never rejects. */
  readonly triedOut: Promise<unknown>;
}

export interface CommandParts {
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly sandbox: () => Promise<Sandbox>;
}

const LISTED = ["--files", "--hidden", "--no-ignore", "--no-config", "--null"];
const SKIPPED = ["--glob=!**/node_modules", "--glob=!**/.git"];

/** The one wall of a server, for all that it starts. */
export async function composeSandbox(paths: WorkspacePaths): Promise<Sandbox> {
  const [{ Sandbox }, { childEnvironment }] = await Promise.all([
    import("./sandbox/sandbox.ts"),
    import("./process/child-environment.ts"),
  ]);
  return new Sandbox({ folders: () => foldersOf(paths), env: childEnvironment(), listFiles });
}

function foldersOf(paths: WorkspacePaths): string[] {
  return paths.folders().flatMap((folder) => existingRealPath(folder) ?? []);
}

export async function composeCommands({ documents, paths, ...parts }: CommandParts): Promise<ComposedCommands> {
  const [sandbox, { runCommand }] = await Promise.all([parts.sandbox(), import("./sandbox/command-run.ts")]);
  return {
    triedOut: sandbox.wall(),
    folders: () => foldersOf(paths),
    unsaved: () => unsavedTexts(documents, paths),
    run: (request, signal, use) => runCommand(sandbox, request, signal, use),
    whyNot: () => sandbox.whyNot(),
    ignored: (asked, signal) => ignoredPaths(paths, asked, signal),
    show: (absolute) => paths.relative(absolute),
    placeOf: (absolute) => paths.placeOf(absolute),
  };
}

/** What open documents hold that the disk does not, by their absolute real paths. */
async function unsavedTexts(documents: Documents, paths: WorkspacePaths): Promise<Map<string, string>> {
  const [{ changedDocuments }, { outermost }] = await Promise.all([
    import("./search/changed-documents.ts"),
    import("./search/place.ts"),
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
  const { ignoredByGit } = await import("./process/git.ts");
  const ignored = new Set<string>();
  for (const folder of foldersOf(paths)) {
    const inside = asked.filter((path) => isWithin(path, folder) && path !== `${folder}/`);
    for (const path of await ignoredByGit(folder, inside, signal)) ignored.add(path);
  }
  return ignored;
}

/** Copies of the project for runs of tests; a sentence that says why, where there can be none. */
export async function composeTestRooms({ documents, paths, ...parts }: CommandParts): Promise<WithRoom | string> {
  const sandbox = await parts.sandbox();
  const found = await sandbox.wall();
  if (found.kind === "none") return sandbox.whyNot() ?? found.reason;
  const { layerRooms } = await import("./sandbox/layer-rooms.ts");
  const { kernelFiles } = await import("./repl/confinement/confinement.ts");
  return layerRooms({
    sandbox,
    needed: kernelFiles(),
    unsaved: () => unsavedTexts(documents, paths),
    ignored: (asked, signal) => ignoredPaths(paths, asked, signal),
  });
}

/** All files of a folder, for their names alone. */
export async function listFiles(folder: string, signal: AbortSignal): Promise<FolderFiles> {
  const [{ runRipgrep, installedRipgrep }, { readProblems }] = await Promise.all([
    import("./search/ripgrep.ts"),
    import("./search/rg-problem.ts"),
  ]);
  const files: string[] = [];
  const onName = (name: Buffer): void => void files.push(name.toString("utf8").replace(/^\.\//, ""));
  const run = { args: [...LISTED, ...SKIPPED, "./"], folder, separator: 0 };
  const { code, problems } = await runRipgrep(installedRipgrep, run, onName, signal);
  return { files, unread: code === 2 ? readProblems(problems).map(({ path }) => path) : [] };
}
