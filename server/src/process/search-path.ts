/**
 * Where the server looks for programs: where the person's environment says, but in no project. A project's `git` or `sh` would
 * run with all rights of the person's, without a question.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { existingRealPath } from "../workspace/real-path.ts";
import { isWithin } from "../workspace/within.ts";

/** Where a system that has nothing else keeps its programs. */
export const SYSTEM_FOLDERS: readonly string[] =
  process.platform === "win32" ? [] : ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

const REPOSITORY = [".git", ".hg", ".jj", ".sl", ".svn"];

/** What `/proc/self/cwd` is, each program finds for itself. */
const OF_ONE_PROCESS = /^\/(?:proc|dev)(?:\/|$)/;

/** The workspaces of this process, and the folders around them. */
const projects = new Set<string>();

if (process.platform === "win32") {
  // Windows looks for a program in the current folder first, which is the project's, unless the environment has this
  // variable.
  process.env["NoDefaultCurrentDirectoryInExePath"] = "1";
}

/** From now on no program is started that lies in these folders, or in the repositories around them. */
export function startNothingOf(folders: readonly string[]): void {
  const named = folders.flatMap((folder) => [path.resolve(folder), real(folder)]);
  for (const folder of named) if (!holdsHome(folder)) projects.add(repositoryAround(folder));
}

/** What a person has there is theirs, and no project. */
function holdsHome(folder: string): boolean {
  return isWithin(real(homedir()), real(folder));
}

/** The folders of a search path in which programs may be looked for: none of a project's, and none below `without`. */
export function searchFolders(searchPath: string, without: readonly string[] = []): string[] {
  // The list has folders of projects by their real path too.
  const closed = [...projects, ...without.flatMap((folder) => [folder, real(folder)])];
  return searchPath.split(path.delimiter).filter((entry) => {
    // A relative one, and an empty one too, means the folder in which a program begins, which is the project's.
    if (!path.isAbsolute(entry) || OF_ONE_PROCESS.test(path.resolve(entry))) return false;
    return ![path.resolve(entry), real(entry)].some(
      (place) =>
        /node_modules[/\\]\.bin$/i.test(place) || closed.some((folder) => isWithin(folded(place), folded(folder))),
    );
  });
}

/** The same as a search path. With an empty one the system would look in the current folder. */
export function safeSearchPath(searchPath: string): string {
  const folders = searchFolders(searchPath);
  return (folders.length > 0 ? folders : SYSTEM_FOLDERS).join(path.delimiter);
}

function repositoryAround(folder: string): string {
  let outermost = folder;
  for (let at = folder; at !== path.dirname(at); at = path.dirname(at)) {
    if (!holdsHome(at) && REPOSITORY.some((name) => existsSync(path.join(at, name)))) outermost = at;
  }
  return outermost;
}

/** Disks that do not tell capital letters apart give a folder many names; elsewhere nobody has two that differ in these alone. */
function folded(place: string): string {
  return place.normalize("NFC").toLowerCase();
}

function real(place: string): string {
  return existingRealPath(place) ?? path.resolve(place);
}
