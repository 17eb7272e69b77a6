/**
 * What installed packages and the language itself declare, read from the text of their declaration files: there are
 * thousands of them, their trees are large, and nobody edits them.
 */
import { stat } from "node:fs/promises";
import type { Declaration } from "../tree/declaration.ts";
import { stampFrom } from "../../files/file-stamps.ts";
import { outermostNames } from "../tree/outermost-names.ts";
import { readRegularText } from "../../../workspace/regular-file.ts";

const LIB_FILE = /[/\\]lib(?:\.[\w.]+)?\.d\.ts$/;

interface Known {
  readonly modified: string;
  readonly declarations: readonly Declaration[];
}

const known = new Map<string, Known>();

export function isLibFile(file: string): boolean {
  return LIB_FILE.test(file);
}

/** The outermost names of a declaration file; empty for one that cannot be read. */
export async function externalNames(file: string): Promise<readonly Declaration[]> {
  const modified = await stat(file).then(
    (stats) => stampFrom(stats),
    () => "",
  );
  const before = known.get(file);
  if (before?.modified === modified) return before.declarations;
  const text = await readRegularText(file, { lossy: true }).catch(() => "");
  const declarations = await outermostNames(file, text);
  known.set(file, { modified, declarations });
  return declarations;
}
