/**
 * Prepares vitest for a run without a copy of the project: vitest gets unsaved texts, and writes nothing to the
 * project's snapshots and caches.
 */
import { existsSync } from "node:fs";
import { addTestFiles, serveTexts, type VitestProject } from "./vitest-projects.ts";

export interface LaidRun {
  /** Unsaved texts by absolute path. */
  readonly texts: Readonly<Record<string, string>>;
  /** Absolute paths of files that are to be absent. */
  readonly absent: readonly string[];
}

export interface LaidVitest {
  readonly options: object;
  readonly enter: (project: VitestProject) => void;
}

/** `files` are the test files that were asked for. To be called before any code of the project runs. */
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
