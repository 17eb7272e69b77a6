/**
 * What vitest needs where there is no wall: texts that are in no file are handed to it, nothing is written to the
 * project, and Node's permissions reach into its threads.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { threadArguments } from "../../limited/confine-threads.ts";
import { startEsbuild } from "./esbuild-service.ts";
import { keepViteConfigInMemory } from "./vite-config-file.ts";
import { addTestFiles, confine, serveTexts, type VitestProject } from "./vitest-projects.ts";

export interface LimitedRun {
  /** Unsaved text by absolute path. */
  readonly texts: Readonly<Record<string, string>>;
  /** Files that are to be absent, by absolute path. */
  readonly absent: readonly string[];
  /** Threads, because a confined process may start no other. Undefined for full rights. */
  readonly confined?: {
    /** Module of the program that Vite needs beside it. */
    readonly esbuild?: string;
  };
}

export interface LimitedVitest {
  readonly options: object;
  readonly enter: (project: VitestProject) => void;
}

interface Permitted {
  readonly permission?: { readonly has: (right: string, path: string) => boolean };
}

const CONFIG_NAMES = ["vitest.config", "vite.config"].flatMap((name) =>
  ["ts", "mts", "cts", "js", "mjs", "cjs"].map((ending) => `${name}.${ending}`),
);

interface LimitedFiles {
  readonly root: string;
  /** The test files that were asked for. */
  readonly files: readonly string[];
  /** Path of the module that every thread loads first. */
  readonly wall: string;
}

/** To be called before anything of the project's runs. */
export async function prepareLimited(
  { texts: given, absent: gone, confined }: LimitedRun,
  { root, files, wall }: LimitedFiles,
): Promise<LimitedVitest> {
  const texts = new Map(Object.entries(given));
  const absent = new Set(gone);
  const created = new Set([...texts.keys()].filter((path) => !isOnDisk(path)));
  const newTests = files.filter((path) => created.has(path));
  if (confined?.esbuild !== undefined) await startEsbuild(confined.esbuild);
  if (confined !== undefined) keepViteConfigInMemory();
  const textOf = (id: string): string | undefined => {
    // No module was found; vite would look for it from the project's root, which this process may not read.
    if (confined !== undefined && /^\.\.?\//.test(id)) throw new Error(`Cannot find module '${id}'`);
    return texts.get(id.replace(/[?#].*$/, ""));
  };
  return {
    options: {
      ...(hasConfig(root) ? {} : { config: false }),
      ...(confined === undefined ? {} : confinedThreads()),
      update: false,
      cache: false,
      fsModuleCache: false,
    },
    enter: (project) => {
      if (confined !== undefined) confine(project, wall, threadArguments());
      serveTexts(project, { created, textOf, isAbsent: (path) => absent.has(path) });
      addTestFiles(project, newTests, (path) => texts.get(path) ?? "");
    },
  };
}

/** Vitest 4 looks for one in every folder above too, and gives up where it may not look; 5 looks in the root alone. */
function hasConfig(at: string): boolean {
  const { permission } = process as Permitted;
  const files = CONFIG_NAMES.map((name) => join(at, name));
  const isThere = files.some((path) => permission?.has("fs.read", path) !== false && existsSync(path));
  return isThere || (dirname(at) !== at && hasConfig(dirname(at)));
}

/** A document may be open that a confined process cannot look for; that one is no new file of the project. */
function isOnDisk(path: string): boolean {
  const { permission } = process as Permitted;
  return permission?.has("fs.read", path) === false || existsSync(path);
}

/** Vitest 3 takes the arguments of all threads from here, later versions from each project. */
function confinedThreads(): object {
  return { pool: "threads", poolOptions: { threads: { execArgv: threadArguments() } } };
}
