/**
 * The files that a form imports, with their names as on the disk: a person who types `ä` cannot tell whether it is one
 * character or two.
 */
import { dirname, join, sep } from "node:path";
import { withNamesOnDisk } from "../../workspace/same-letters.ts";

const SPECIFIER = /(\b(?:from|import|require)\s*\(?\s*)(["'])(\.{1,2}\/[^"'\\\n]*)\2/g;

/** Paths are relative to the module, or to the project's folder for a form without a module. */
export function withFilesOnDisk(code: string, module: string | undefined, projectRoot: string): string {
  const folder = module === undefined ? projectRoot : dirname(module);
  return code.replace(SPECIFIER, (_all, before: string, quote: string, specifier: string) => {
    return `${before}${quote}${standing(specifier, folder)}${quote}`;
  });
}

function standing(specifier: string, folder: string): string {
  const path = join(folder, specifier);
  const found = withNamesOnDisk(path);
  if (found === path) return specifier;
  const [start = ""] = /^(?:\.{1,2}\/)+/.exec(specifier) ?? [];
  const count = specifier.slice(start.length).split("/").length;
  return start + found.split(sep).slice(-count).join("/");
}
