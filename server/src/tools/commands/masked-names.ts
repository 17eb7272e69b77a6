/** What a command says of files that are empty for it, as if the person had emptied them. */
import { existsSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { closedName } from "../../workspace/secret-names.ts";
import { isWithin } from "../../workspace/within.ts";
import { inOneLine } from "../answers/quoted-text.ts";

const SHOWN = 5;
const LONGEST_NAME = 200;

/** A line where the output names such a file of the folders, by its path from one of them; none where it does not. */
export function maskedNames(output: string, folders: readonly string[]): string[] {
  const words = new Set(output.split(/[\s"'`:,()]+/).filter(({ length }) => length > 0 && length < LONGEST_NAME));
  const paths = [...words].map((word) => word.replace(/^[ab]\//, ""));
  const isMasked = (path: string): boolean =>
    folders.some((folder) => {
      const absolute = resolve(folder, path);
      const root = folders.find((each) => isWithin(absolute, each));
      const names = root === undefined ? [] : relative(root, absolute).split(sep);
      // Nothing is hidden in installed packages, and elsewhere on the machine not by these names alone.
      return !names.includes("node_modules") && closedName(names)?.kind === "secret" && existsSync(absolute);
    });
  const masked = [...new Set(paths)].filter(isMasked);
  if (masked.length === 0) return [];
  const shown = masked.slice(0, SHOWN).map(inOneLine).join(", ");
  const more = masked.length > SHOWN ? ", …" : "";
  return [`Not changed, whatever git says: ${shown}${more}. Files under names of secrets are empty for commands.`];
}
