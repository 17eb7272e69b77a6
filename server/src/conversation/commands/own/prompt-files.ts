/** The prompts that people wrote into files, as they are now. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { opendir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, sep } from "node:path";
import { whoElseReplaces } from "../../../process/own-place.ts";
import { configFolder } from "../../../storage/config-folder.ts";
import type { Documents } from "../../../workspace/documents.ts";
import { showHiddenInPath } from "../../../workspace/hidden-characters.ts";
import { FileError, readRegularText } from "../../../workspace/regular-file.ts";
import { existingRealPath } from "../../../workspace/real-path.ts";
import { closedName } from "../../../workspace/secret-names.ts";
import { isWithin } from "../../../workspace/within.ts";
import type { WorkspacePaths } from "../../../workspace/workspace-paths.ts";
import { MAX_PROMPT, type PromptFile } from "./prompt-file.ts";
import type { Variables } from "../../../base/variables.ts";

export interface PromptFileParts {
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  /** Those of the server's environment, which say where the person keeps settings. */
  readonly variables: Variables;
}

/** Below a workspace folder. */
const PROJECT_FOLDER = join(".agentq", "commands");
const ENDING = ".md";
/** Of one folder. */
const MAX_FILES = 100;
/** More entries of a folder are not looked at. */
const MAX_ENTRIES = 2_000;
/** A character has at most so many bytes, and a front matter may come before the text. */
const MAX_BYTES = 4 * MAX_PROMPT;

/** The person's own, and those of the workspace folders. */
export function promptFiles(parts: PromptFileParts): () => Promise<readonly PromptFile[]> {
  const home = homedir();
  return async () => {
    const own = join(configFolder({ platform: process.platform, home, variables: parts.variables }), "commands");
    const folders = parts.paths.folders();
    const found = await Promise.all([
      filesIn(own, async (name) => personFile(join(own, name), home, folders)),
      ...folders.map(async (folder) => repositoryFiles(folder, parts)),
    ]);
    return found.flat();
  };
}

export type Found = Pick<PromptFile, "absolute" | "path" | "from" | "content">;

async function filesIn(folder: string, read: (name: string) => Promise<Found>): Promise<PromptFile[]> {
  const names = await namesIn(folder);
  return Promise.all(
    names.map(async (name) => {
      const found = await read(name);
      return { name: name.slice(0, -ENDING.length), ...found, path: showHiddenInPath(found.path) };
    }),
  );
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    let count = 0;
    for await (const { name } of await opendir(folder)) {
      if (name.endsWith(ENDING) && !name.startsWith(".")) names.push(name);
      if ((count += 1) >= MAX_ENTRIES) break;
    }
  } catch {
    // Most people and projects have no such folder.
  }
  return names.toSorted().slice(0, MAX_FILES);
}

/**
 * A link leads where its owner wants: files of settings are often kept in another folder. What lies in a project may have come
 * with it, and what others may write says nothing of the person's.
 */
export async function personFile(file: string, home: string, folders: readonly string[]): Promise<Found> {
  const path = file.startsWith(`${home}${sep}`) ? `~${file.slice(home.length)}` : file;
  const absolute = await realpath(file).catch(() => file);
  const isClosed = closedName(absolute.split(sep)) !== undefined;
  const reason = isClosed ? "it leads to where secrets are kept" : whoElseWrites(file, absolute);
  const content = reason === undefined ? await contentOf(absolute, path) : { reason: `is not read: ${reason}` };
  const isProjects = folders.some((folder) => isWithin(absolute, existingRealPath(folder) ?? folder));
  return { absolute, path, from: isProjects ? "repository" : "person", content };
}

function whoElseWrites(file: string, absolute: string): string | undefined {
  return existsSync(absolute) ? (whoElseReplaces(dirname(file)) ?? whoElseReplaces(absolute)) : undefined;
}

async function repositoryFiles(folder: string, { documents, paths }: PromptFileParts): Promise<PromptFile[]> {
  const place = paths.resolve(join(folder, PROJECT_FOLDER));
  if (!place.ok) return [];
  return filesIn(place.path.absolute, async (name) =>
    repositoryFile(join(place.path.absolute, name), `${place.path.relative}/${name}`, { documents, paths }),
  );
}

/** A file of a workspace folder, with the text of the editor; `shown` is how a path is told that leads nowhere. */
export async function repositoryFile(
  file: string,
  shown: string,
  { documents, paths }: Pick<PromptFileParts, "documents" | "paths">,
): Promise<Found> {
  const from = "repository";
  const resolution = paths.resolve(file);
  if (!resolution.ok) {
    const reason = "is not read: it leads to where no tool goes";
    return { absolute: file, path: shown, from, content: { reason } };
  }
  const { absolute, relative, uri } = resolution.path;
  const open = documents.readOpen(uri);
  const content = open === undefined ? await contentOf(absolute, relative) : { text: open.text, sha256: open.sha256 };
  return { absolute, path: relative, from, content };
}

async function contentOf(file: string, shown: string): Promise<PromptFile["content"]> {
  try {
    const text = await readRegularText(file, { shown, limit: MAX_BYTES });
    return { text, sha256: createHash("sha256").update(text).digest("hex") };
  } catch (error) {
    if (!(error instanceof FileError)) return { reason: "cannot be read" };
    return { reason: error.finding, isMissing: error.trouble === "missing" };
  }
}
