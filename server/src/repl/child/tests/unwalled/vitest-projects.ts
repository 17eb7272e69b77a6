/** The projects of a vitest run, each with a Vite of its own, with texts that are in no file. */
import { dirname, isAbsolute, join, resolve } from "node:path";

export interface VitestProject {
  /** Vitest 1 and 2 called it `server`. */
  readonly vite?: ViteServer;
  readonly server?: ViteServer;
  /** Vitest 1 answers a list. */
  globTestFiles?: (filters?: readonly string[]) => Promise<readonly string[] | TestFiles>;
  readonly matchesTestGlob?: (file: string, source: () => string) => boolean;
}

interface TestFiles {
  readonly testFiles: readonly string[];
}

interface ViteServer extends Environment {
  readonly config: { readonly root: string };
  readonly environments?: Readonly<Record<string, Environment>>;
}
interface Environment {
  readonly pluginContainer: {
    load: (id: string, ...more: unknown[]) => Promise<unknown>;
    resolveId: (name: string, importer?: string, ...more: unknown[]) => Promise<{ readonly id: string } | null>;
  };
}

export interface TextPort {
  /** Absolute paths of files that are not on the disk. */
  readonly created: ReadonlySet<string>;
  /** A module's text instead of the disk's, or undefined. */
  readonly textOf: (id: string) => string | undefined;
  /** Whether the file counts as absent, although the disk may have it. */
  readonly isAbsent: (path: string) => boolean;
}

/** Serves texts that are in no file, and finds the files that are nowhere else. */
export function serveTexts({ vite, server }: VitestProject, { created, textOf, isAbsent }: TextPort): void {
  const running = vite ?? server;
  if (running === undefined) throw new Error("this version of vitest does not show its Vite");
  for (const { pluginContainer } of Object.values(running.environments ?? { only: running })) {
    const load = pluginContainer.load.bind(pluginContainer);
    pluginContainer.load = async (id, ...more) => {
      if (isAbsent(pathIn(id))) throw new Error(`Cannot find module '${pathIn(id)}'`);
      return textOf(id) ?? load(id, ...more);
    };
    const resolveId = pluginContainer.resolveId.bind(pluginContainer);
    pluginContainer.resolveId = async (name, importer, ...more) => {
      const unsaved = (asked: string): string | undefined =>
        candidates(asked, importer, running.config.root).find((path) => created.has(path));
      const own = unsaved(name);
      if (own !== undefined) return { id: own };
      const found = await resolveId(name, importer, ...more);
      // An alias leads to a path, also of a file that is nowhere on the disk.
      const meant = found === null ? undefined : unsaved(found.id);
      return meant === undefined ? found : { ...found, id: meant };
    };
  }
}

/** Files that an import may mean, as TypeScript reads it; Vite names a file below its root by a path from there, too. */
function candidates(name: string, importer: string | undefined, root: string): string[] {
  if (!/^\.{0,2}\//.test(name)) return [];
  const path = pathIn(name);
  const named = resolve(isAbsolute(path) ? "/" : dirname(pathIn(importer ?? "/")), path);
  return [...asModule(named), ...(isAbsolute(path) ? asModule(join(root, path)) : [])];
}

function asModule(named: string): string[] {
  return [
    named,
    named.replace(/\.([cm]?)js$/, ".$1ts"),
    `${named}.ts`,
    `${named}.tsx`,
    `${named}.js`,
    `${named}/index.ts`,
  ];
}

function pathIn(id: string): string {
  return id.replace(/[?#].*$/, "");
}

/** Vitest looks for test files on the disk; these are nowhere yet. */
export function addTestFiles(project: VitestProject, files: readonly string[], textOf: (path: string) => string): void {
  if (files.length === 0 || project.globTestFiles === undefined) return;
  const glob = project.globTestFiles.bind(project);
  const isOne = (file: string): boolean => project.matchesTestGlob?.(file, () => textOf(file)) ?? true;
  project.globTestFiles = async (...filters) => {
    const found = await glob(...filters);
    const own = files.filter(isOne);
    if ("testFiles" in found) return { ...found, testFiles: [...new Set([...found.testFiles, ...own])] };
    return [...new Set([...found, ...own])];
  };
}
