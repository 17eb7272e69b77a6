/** The projects of a vitest run, which get unsaved texts. Each project has its own Vite. */
import { dirname, isAbsolute, join, resolve } from "node:path";

export interface VitestProject {
  /** Named `server` in vitest 1 and 2. */
  readonly vite?: ViteServer;
  readonly server?: ViteServer;
  /** Answers a list in vitest 1. */
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
  /** The text of a module in place of the disk's, or undefined. */
  readonly textOf: (id: string) => string | undefined;
  /** Whether the file is to be treated as absent, although the disk may have it. */
  readonly isAbsent: (path: string) => boolean;
}

/** Serves unsaved texts, and finds the files that are not on the disk. */
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
      // An alias leads to a path, which may be that of a file that is not on the disk.
      const meant = found === null ? undefined : unsaved(found.id);
      return meant === undefined ? found : { ...found, id: meant };
    };
  }
}

/**
 * Files that an import may mean by TypeScript's rules. Vite also names a file below its root by a path from the root.
 */
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

/** Adds test files that are not on the disk, where vitest looks for them. */
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
