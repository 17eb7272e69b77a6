/**
 * The text of project files as the image may have it: an open buffer comes before the disk, and nothing comes from
 * outside.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { FileError, readRegularTextSync } from "../../workspace/regular-file.ts";
import { closedName } from "../../workspace/secret-names.ts";
import { isWithin } from "../../workspace/within.ts";
import { statsOf } from "../../workspace/file-names.ts";

export interface SourceOptions {
  readonly projectRoot: string;
  /** Text of an open document; undefined means the file on disk, null a file that is to be absent. */
  readonly readSource: (absolutePath: string) => string | null | undefined;
  /** Whether an error may quote lines of a file; by default every readable file may be quoted. */
  readonly mayQuote?: (absolutePath: string) => boolean;
  /** The folders from which the image may have texts; undefined means any. */
  readonly readable: readonly string[] | undefined;
  /** Paths inside of those folders that the image may not have. */
  readonly hidden?: readonly string[];
}

export interface ProjectSources {
  readonly root: string;
  readonly isReadable: (path: string) => boolean;
  /** Throws a `FileError` when the file does not exist or cannot be read. */
  readonly read: (path: string) => string;
  /** Changes when the file on disk may have another text; `buffer` for an open document, `missing` for no file. */
  readonly stamp: (path: string) => string;
  /** Whether the file is to be treated as absent, although the disk may have it. */
  readonly isAbsent: (path: string) => boolean;
  /** The path of a new file that exists only in the editor. */
  readonly unsavedFile: (specifier: string, importer: string) => string | undefined;
  /** The path as a person reads it. */
  readonly shown: (path: string) => string;
}

export function createProjectSources({ projectRoot, readSource, readable, hidden }: SourceOptions): ProjectSources {
  const shown = (path: string): string => relative(projectRoot, path) || path;
  return {
    root: projectRoot,
    isReadable: (path) => {
      if (readable === undefined) return true;
      const real = realPathOf(path);
      if (hidden?.some((secret) => isWithin(real, secret))) return false;
      // Closed names that came to be after the process had started.
      if (closedName(relative(projectRoot, real).split(sep)) !== undefined) return false;
      return readable.some((folder) => isWithin(real, folder));
    },
    read: (path) => {
      const text = readSource(path);
      if (text === null) throw new FileError(shown(path), "missing", "does not exist");
      return text ?? readRegularTextSync(path, { shown: shown(path), lossy: true });
    },
    stamp: (path) => {
      const text = readSource(path);
      if (text !== undefined) return text === null ? "missing" : "buffer";
      const stat = statsOf(path);
      return stat === undefined ? "missing" : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
    },
    isAbsent: (path) => readSource(path) === null,
    unsavedFile: (specifier, importer) => {
      if (!/^\.{0,2}\//.test(specifier)) return undefined;
      const named = resolve(dirname(importer), specifier);
      const candidates = [named, named.replace(/\.([cm]?)js$/, ".$1ts"), `${named}.ts`, `${named}.tsx`];
      return candidates.find((path) => typeof readSource(path) === "string");
    },
    shown,
  };
}

/** The real path; for a file that does not exist, its place below the real path of the deepest folder that does. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder), basename(path));
  }
}

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|json)$/;

/** Whether the image gets the file from the server; Node loads everything else by itself. */
export function isProjectSource(path: string): boolean {
  return !path.includes("/node_modules/") && SOURCE.test(path);
}
