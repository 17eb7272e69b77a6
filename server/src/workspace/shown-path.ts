/** Which texts an answer may quote, whoever names the file: the compiler, the stack of an error, a failed test. */
import { basename, sep } from "node:path";
import { closedName } from "./secret-names.ts";
import { isWithin } from "./within.ts";

const INSTALLED = `${sep}node_modules${sep}`;

/**
 * True for a file of a workspace folder or of an installed package, under no name that secrets have. `real` is the path with
 * its links followed, `named` the path by which somebody asked, and `folders` are real paths.
 */
export function isShown(real: string, named: string, folders: readonly string[]): boolean {
  const folder = folders.find((each) => isWithin(real, each));
  if (folder === undefined) return real.includes(INSTALLED);
  const inside = real.slice(folder.length).split(sep);
  // What is installed is everybody's to read; a name like `.env` means nothing there.
  return inside.includes("node_modules") || closedName([...inside, basename(named)]) === undefined;
}
