/** Modules of packages. They run as they are: only what their text says is known, when a form wants to work in one. */
import { pathToFileURL } from "node:url";
import { instrument } from "../source/instrument.ts";
import type { createModuleFormats } from "./module-format.ts";
import type { LoadedModule, PreparedModule } from "./module-types.ts";
import type { ProjectSources } from "./project-sources.ts";

export interface DependencyModules {
  readonly importedBy: (path: string, importer: string) => void;
  readonly prepare: (path: string) => PreparedModule | { reason: string };
  /** Those in whose scope a form has worked. */
  readonly entered: () => readonly LoadedModule[];
}

export function createDependencyModules(
  { read, shown }: Pick<ProjectSources, "read" | "shown">,
  formats: ReturnType<typeof createModuleFormats>,
): DependencyModules {
  const importers = new Map<string, Set<string>>();
  const entered = new Map<string, LoadedModule>();
  const importersOf = (path: string): Set<string> => {
    const known = importers.get(path) ?? new Set();
    importers.set(path, known);
    return known;
  };
  return {
    importedBy: (path, importer) => void importersOf(path).add(importer),
    entered: () => [...entered.values()],
    prepare: (path) => {
      if (!/\.[cm]?js$/.test(path)) {
        return { reason: `${shown(path)} is a dependency, and no JavaScript: it has no scope` };
      }
      const text = read(path);
      const format = formats.of(path, text, {});
      const url = pathToFileURL(path).href;
      const { names, classes } = instrument({ code: text }, format, url);
      const facts = { path, url, format, text };
      entered.set(path, { ...facts, names, importers: importersOf(path) });
      return { ...facts, code: text, isLoaded: true, isDependency: true, names: names(), classes: classes() };
    },
  };
}
