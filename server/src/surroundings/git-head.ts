/** The branch of a folder, read as git keeps it: asking git starts processes, which stops everything else for that long. */
import { stat } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "../workspace/regular-file.ts";
import { isMissing } from "../workspace/file-names.ts";

/**
 * What the repository's HEAD names: a branch, or `elsewhere` where git itself has to be asked. Undefined where the
 * folder is in no repository.
 */
export type Head = { readonly branch: string } | "elsewhere" | undefined;

const SHORT = { limit: 64 * 1024 };

/** Never rejects. */
export async function headOf(folder: string): Promise<Head> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const place = path.join(at, ".git");
    const kind = await kindOf(place);
    // What cannot be looked at may be a repository all the same.
    if (kind === "unknown") return "elsewhere";
    if (kind !== undefined) return branchIn(kind === "folder" ? place : await gitFolderIn(place, at));
    // A bare repository is a folder without a `.git`.
    if ((await kindOf(path.join(at, "HEAD"))) !== undefined) return "elsewhere";
    if (path.dirname(at) === at) return undefined;
  }
}

async function kindOf(place: string): Promise<"folder" | "file" | "unknown" | undefined> {
  try {
    return (await stat(place)).isDirectory() ? "folder" : "file";
  } catch (error) {
    return isMissing(error) ? undefined : "unknown";
  }
}

/** A working tree or a submodule has a file that names the folder. */
async function gitFolderIn(file: string, folder: string): Promise<string | undefined> {
  const text = await readRegularText(file, SHORT).catch(() => "");
  const [, named] = /^gitdir: (.+)$/m.exec(text) ?? [];
  return named && path.resolve(folder, named);
}

async function branchIn(gitFolder: string | undefined): Promise<Head> {
  if (gitFolder === undefined) return "elsewhere";
  const head = await readRegularText(path.join(gitFolder, "HEAD"), SHORT).catch(() => "");
  const [, branch] = /^ref: refs\/heads\/(.+)\n?$/.exec(head) ?? [];
  // A repository that keeps its references in tables has a name in its HEAD that no branch can have.
  return branch === undefined || branch.startsWith(".") ? "elsewhere" : { branch };
}
