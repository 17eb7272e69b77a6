/** What a command says of files that are empty for it, as if the person had emptied them. */
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { closedName } from "../../workspace/secret-names.ts";
import { inOneLine } from "../answers/quoted-text.ts";

const SHOWN = 5;
const LONGEST_NAME = 200;

/** A line where the output names such a file of the folders, by its path from one of them; none where it does not. */
export function maskedNames(output: string, folders: readonly string[]): string[] {
  const words = new Set(output.split(/[\s"'`:,()]+/).filter(({ length }) => length > 0 && length < LONGEST_NAME));
  const paths = [...words].map((word) => word.replace(/^[ab]\//, ""));
  const isMasked = (path: string): boolean =>
    closedName([basename(path)])?.kind === "secret" && folders.some((folder) => existsSync(resolve(folder, path)));
  const masked = [...new Set(paths)].filter(isMasked);
  if (masked.length === 0) return [];
  const shown = masked.slice(0, SHOWN).map(inOneLine).join(", ");
  return [`Empty for commands, as names of secrets: ${shown}${masked.length > SHOWN ? ", …" : ""}.`];
}
