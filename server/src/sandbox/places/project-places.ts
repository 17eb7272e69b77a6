/** What a walled program sees of the project, and of what lies beside it. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gitFolder, gitFoldersOf } from "../../process/git-folder.ts";
import { closedPaths } from "../../workspace/closed-paths.ts";
import { isSecretName } from "../../workspace/secret-names.ts";
import { isNeeded } from "./needed-settings.ts";
import { isWithin } from "../../workspace/within.ts";
import { gitFolders, GitPlaces } from "./git-places.ts";
import type { Layer } from "../layer/layer.ts";
import type { Mount } from "../wall/view.ts";

/** By their relative paths, with forward slashes. */
export interface FolderFiles {
  readonly files: readonly string[];
  /** Folders that could not be looked into: a program could open them in its layer. */
  readonly unread: readonly string[];
}

export interface ProjectOptions {
  readonly home: string;
  readonly layer: Pick<Layer, "roots" | "folder" | "empty">;
  /** Folders that can be read beside those of the layer, as they are at every moment. */
  readonly beside?: readonly string[];
  /**
   * All files below a folder, ignored and hidden ones too, without those of installed packages and of repositories. Rejects
   * once the signal aborts, and where nobody can say what is there.
   */
  readonly listFiles: (folder: string, signal: AbortSignal) => Promise<FolderFiles>;
}

/**
 * The folders of the layer can be written to. The repository around them and installed packages above them can be read. Files
 * that may hold secrets are empty, wherever they lie; folders that do are, too.
 */
export async function projectMounts(options: ProjectOptions, signal: AbortSignal): Promise<Mount[]> {
  const { home, layer, listFiles, beside: more = [] } = options;
  const roots = [...layer.roots.map(({ root }) => root), ...more];
  const beside = [...new Set([...roots.flatMap((root) => readBeside(root, home)), ...more])];
  const outermost = [...beside, ...roots].filter(
    (each, _, all) => !all.some((other) => other !== each && isWithin(each, other)),
  );
  const closed = await Promise.all(
    outermost
      .filter((folder) => basename(folder) !== "node_modules")
      .map(async (folder) => {
        const listed = await listFiles(folder, signal);
        return { mounts: closedPlaces(folder, listed, layer.empty), repositories: gitFolders(listed.files, folder) };
      }),
  );
  const own = [...new Set(roots.map(gitFolder))].flatMap((git) => (git === undefined ? [] : gitFoldersOf(git)));
  const git = new GitPlaces(layer, signal);
  const masks: Mount[] = [];
  // Files are listed in any order; what comes of them is the same for the same files.
  for (const folder of new Set([...own, ...closed.flatMap(({ repositories }) => repositories).toSorted()]))
    masks.push(...(await git.masks(folder)));
  return [
    ...beside.map((path): Mount => ({ kind: "read", path })),
    ...layer.roots.map(({ root, merged }): Mount => ({ kind: "write", path: root, from: merged })),
    ...byPath(closed.flatMap(({ mounts }) => mounts)),
    ...own.map((path): Mount => ({ kind: "read", path })),
    ...byPath(masks),
  ];
}

function byPath(mounts: readonly Mount[]): Mount[] {
  const each = new Map(mounts.map((mount) => [mount.path, mount]));
  return [...each.keys()].toSorted().flatMap((path) => each.get(path) ?? []);
}

/** Folders that hold the root, or packages for it. A home folder is no project, also where git keeps its settings. */
function readBeside(root: string, home: string): string[] {
  const above: string[] = [];
  for (let at = dirname(root); at !== dirname(at); at = dirname(at)) above.push(at);
  const repository = existsSync(join(root, ".git"))
    ? undefined
    : above.find((folder) => existsSync(join(folder, ".git")));
  const isShown = repository !== undefined && !isWithin(home, repository);
  return [...(isShown ? [repository] : []), ...packagesAbove(root)];
}

/** The packages that are installed in the folders above this one, which code in it finds too. */
export function packagesAbove(root: string): string[] {
  const at = dirname(root);
  const packages = join(at, "node_modules");
  return [...(existsSync(packages) ? [packages] : []), ...(at === dirname(at) ? [] : packagesAbove(at))];
}

function closedPlaces(folder: string, { files, unread }: FolderFiles, empty: string): Mount[] {
  const isClosed = closedPaths(isSecretName);
  return [
    ...unread.map((path): Mount => ({ kind: "nothing", path: join(folder, path) })),
    ...files.flatMap((file) => (isClosed(file) ? (closedPlace(folder, file, empty) ?? []) : [])),
  ];
}

/** The file, or the first folder on the way to it, whose name says that it may hold secrets. */
function closedPlace(folder: string, file: string, empty: string): Mount | undefined {
  const names = file.split("/");
  const index = names.findIndex((name, at) =>
    isSecretName(name, { above: names[at - 1], isFolder: at < names.length - 1 }),
  );
  if (index < 0) return undefined;
  const path = join(folder, ...names.slice(0, index + 1));
  if (isNeeded(path)) return undefined;
  return index === names.length - 1 ? { kind: "read", path, from: empty } : { kind: "nothing", path };
}
