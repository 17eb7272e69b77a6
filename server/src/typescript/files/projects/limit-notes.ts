/** The parts of the workspace that were not searched, in sentences for the reader of an answer. */
import { basename } from "node:path";
import type { DisplayPaths } from "../display-paths.ts";
import type { LooseFiles } from "./loose-files.ts";
import type { ProjectConfigs } from "./project-configs.ts";
import type { WorkspaceFiles } from "../workspace-files.ts";
import { plural } from "../../../base/plural.ts";

const MAX_SHOWN = 6;

export interface Limits {
  readonly paths: DisplayPaths;
  readonly disk: WorkspaceFiles;
  readonly configs: ProjectConfigs;
  readonly files: LooseFiles;
  /** Files that may not be read and are not open either. */
  readonly closedFiles: readonly string[];
  /** Files that no answer may show. */
  readonly withheld: readonly string[];
}

export function limitNotes({ paths, disk, configs, files, closedFiles, withheld }: Limits): string[] {
  const folders = disk.folders();
  const notes = folders.missing().map((folder) => `The workspace folder ${basename(folder)} does not exist.`);
  notes.push(...closedNote(paths, "folder", folders.closed()));
  notes.push(...closedNote(paths, "file", closedFiles));
  if (withheld.length > 0) {
    const what = `${plural(withheld.length, "file")} outside the workspace folders, or of a name that secrets have`;
    notes.push(`Not shown: ${what}: ${namesOf(paths, withheld)}.`);
  }
  const links = folders.outwardLinks();
  if (links.length > 0) {
    const [lead, are] = links.length === 1 ? ["leads", "is"] : ["lead", "are"];
    notes.push(
      `Not searched: ${plural(links.length, "link")} that ${lead} out of the workspace folders and ${are} not followed: ${namesOf(paths, links)}.`,
    );
  }
  if (folders.isLimited()) notes.push("The workspace has more files than are looked at: some were not searched.");
  if (configs.leftOut > 0) {
    notes.push(`${plural(configs.leftOut, "tsconfig file")} over the limit of projects: not loaded, not searched.`);
  }
  if (files.leftOut > 0) notes.push(`Not searched: ${plural(files.leftOut, "more file")} outside every tsconfig.`);
  if (files.builtScripts.length > 0) {
    const what = `${plural(files.builtScripts.length, "JavaScript file")} that a build made, as it seems`;
    notes.push(`Not searched: ${what}: ${namesOf(paths, files.builtScripts.toSorted())}.`);
  }
  return notes;
}

function closedNote(paths: DisplayPaths, what: string, closed: readonly string[]): string[] {
  if (closed.length === 0) return [];
  return [`Not searched: ${plural(closed.length, what)} that may not be read: ${namesOf(paths, closed)}.`];
}

function namesOf(paths: DisplayPaths, files: readonly string[]): string {
  const shown = files.slice(0, MAX_SHOWN).map((path) => paths.show(path));
  return shown.join(", ") + (files.length > MAX_SHOWN ? ` and ${files.length - MAX_SHOWN} more` : "");
}
