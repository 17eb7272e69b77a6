/**
 * What vitest needs where there is no copy of the project: texts that are in no file are handed to it, and nothing is
 * written to the project's snapshots and caches.
 */
import { existsSync } from "node:fs";
import { addTestFiles, serveTexts, type VitestProject } from "./vitest-projects.ts";

export interface LaidRun {
  /** Unsaved text by absolute path. */
  readonly texts: Readonly<Record<string, string>>;
  /** Files that are to be absent, by absolute path. */
  readonly absent: readonly string[];
}

export interface LaidVitest {
  readonly options: object;
  readonly enter: (project: VitestProject) => void;
}

/** `files` are the test files that were asked for. To be called before anything of the project's runs. */
export function prepareLaid({ texts: given, absent: gone }: LaidRun, files: readonly string[]): LaidVitest {
  const texts = new Map(Object.entries(given));
  const absent = new Set(gone);
  const created = new Set([...texts.keys()].filter((path) => !existsSync(path)));
  const newTests = files.filter((path) => created.has(path));
  const textOf = (id: string): string | undefined => texts.get(id.replace(/[?#].*$/, ""));
  return {
    options: { update: false, cache: false, fsModuleCache: false },
    enter: (project) => {
      serveTexts(project, { created, textOf, isAbsent: (path) => absent.has(path) });
      addTestFiles(project, newTests, (path) => texts.get(path) ?? "");
    },
  };
}
