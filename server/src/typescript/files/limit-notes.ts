/** What of the workspace was not searched, in sentences for the reader of an answer. */
import type { LooseFiles } from "./loose-files.ts";
import type { ProjectConfigs } from "./project-configs.ts";
import type { WorkspaceFiles } from "./workspace-files.ts";

export interface Limits {
  readonly disk: WorkspaceFiles;
  readonly configs: ProjectConfigs;
  readonly files: LooseFiles;
}

export function limitNotes({ disk, configs, files }: Limits): string[] {
  const notes = disk.missingFolders().map((folder) => `The workspace folder ${folder} does not exist.`);
  if (disk.isLimited()) notes.push("The workspace has more files than are looked at: some were not searched.");
  if (configs.leftOut > 0) {
    notes.push(`${counted(configs.leftOut, "tsconfig file")} over the limit of projects: not loaded, not searched.`);
  }
  if (files.leftOut > 0) notes.push(`Not searched: ${counted(files.leftOut, "more file")} outside every tsconfig.`);
  if (files.builtScripts > 0) {
    notes.push(`Not searched: ${counted(files.builtScripts, "JavaScript file")} that a build made.`);
  }
  return notes;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
