/**
 * Which folders can be a project: not the root of a disk, where programs of a dock or a service begin, and not the person's home.
 * All of either would be read, and could be written.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { existingRealPath } from "./real-path.ts";

export interface ProjectFolders {
  readonly kept: readonly string[];
  /** Why some are left out, as a sentence; undefined where none is. */
  readonly why?: string;
}

export function projectFolders(folders: readonly string[], home: string = homedir()): ProjectFolders {
  const closed = existingRealPath(home);
  const isProject = (folder: string): boolean => {
    const real = existingRealPath(folder) ?? folder;
    return dirname(real) !== real && real !== closed;
  };
  const left = folders.filter((folder) => !isProject(folder));
  if (left.length === 0) return { kept: folders };
  // As in some containers. The settings and the state of the person's programs are then kept elsewhere.
  const isHome = left.some((folder) => (existingRealPath(folder) ?? folder) === closed);
  const more = isHome
    ? " Where your home folder is the project, start agentq with HOME set to another folder of yours."
    : "";
  const what = left.length === 1 ? "is no project" : "are no projects";
  return {
    kept: folders.filter(isProject),
    why: `${left.join(", ")} ${what}, and nothing there is read or changed: open the folder of a project, or start agentq in it.${more}`,
  };
}

const MARKS = ["package.json", "tsconfig.json", ".git"];

/** The nearest folder above that begins a project, for a folder that begins none itself; undefined where there is none. */
export function projectAbove(folder: string, home: string = homedir()): string | undefined {
  for (let at = folder; at !== dirname(at) && at !== home; at = dirname(at)) {
    if (MARKS.some((name) => existsSync(join(at, name)))) return at === folder ? undefined : at;
  }
  return undefined;
}
