/** The files that a tsconfig includes, by `files`, `include` and `exclude`. Each of these may be inherited. */
import { dirname, resolve } from "node:path";
import { basesOf, readConfigFile } from "../../workspace/config-file.ts";

/** Absolute paths and patterns. */
export interface ProjectFiles {
  readonly files?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

const KEYS = ["files", "include", "exclude"] as const;
const MAX_BASES = 8;

export function projectFiles(config: string, home = dirname(config), depth = 0): ProjectFiles {
  const json = readConfigFile(config);
  const bases = depth < MAX_BASES ? basesOf(config, json) : [];
  const inherited = bases.map((base) => projectFiles(base, home, depth + 1));
  const absolute = (entry: string): string => resolve(dirname(config), entry.replace(/^\$\{configDir\}/, home));
  const own = KEYS.flatMap((key): [string, readonly string[]][] => {
    const entries: unknown = json[key];
    return Array.isArray(entries) ? [[key, entries.filter((each) => typeof each === "string").map(absolute)]] : [];
  });
  return Object.assign({}, ...inherited, Object.fromEntries(own)) as ProjectFiles;
}

/** `folder` is the folder of the tsconfig. */
export function holds({ files, include, exclude = [] }: ProjectFiles, folder: string, path: string): boolean {
  if (files?.includes(path) === true) return true;
  const patterns = include ?? (files === undefined ? [folder] : []);
  return patterns.some((each) => isMatch(each, path)) && !exclude.some((each) => isMatch(each, path, "(?:/.*)?"));
}

/** A pattern without wildcards is a file, or a folder with everything in it. */
function isMatch(pattern: string, path: string, end = /[*?]/.test(pattern) ? "" : "(?:/.*)?"): boolean {
  const parts = pattern.replace(/[\\^$.+()[\]{}|]/g, "\\$&").replaceAll(/\*\*\/?|\*|\?/g, (wild) => {
    if (wild === "**/") return "(?:.*/)?";
    return wild === "**" ? ".*" : `[^/]${wild === "*" ? "*" : ""}`;
  });
  return new RegExp(`^${parts}${end}$`).test(path);
}
