/**
 * Files that would not exist. No message takes a file on disk away from the side compiler: such a file stands there
 * empty, and what the compiler says of an empty file is put as the compiler says it of a missing one.
 */
import { basename, dirname, join } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import type { Diagnostic, Project } from "typescript/unstable/async";

type Problem = Pick<Diagnostic, "pos" | "end" | "code" | "text">;

const NOT_A_MODULE = 2306;
const NO_SUCH_MODULE = 2307;
const NO_SUCH_SIDE_EFFECT = 2882;

/** What the side compiler reads in place of the files. */
export function emptied(missing: readonly string[]): [string, string][] {
  return missing.map((file) => [file, ""]);
}

/** "File 'a.ts' is not a module" in words of a file that is not there; any other error as it is. */
export function asMissing(error: Problem, text: string, missing: readonly string[]): Problem {
  const [, named] = error.code === NOT_A_MODULE ? (/'(.*)'/.exec(error.text) ?? []) : [];
  if (named === undefined || !missing.some((file) => isSame(file, named))) return error;
  const specifier = text.slice(error.pos, error.end).replaceAll(/^\s*["'`]|["'`]$/g, "");
  const words = `Cannot find module '${specifier}' or its corresponding type declarations.`;
  return { ...error, code: NO_SUCH_MODULE, text: words };
}

/** `import "./gone.ts"`, which the compiler takes for any file, also one that is no module. */
export function sideEffectsMissing(
  { compilerOptions }: Project,
  source: SourceFile,
  missing: readonly string[],
): Problem[] {
  if (compilerOptions.noUncheckedSideEffectImports === false) return [];
  const found: Problem[] = [];
  for (const { 0: whole, 1: before = "", 2: quoted = "", index } of source.text.matchAll(
    /^(\s*import\s*)(["'][^"'\n]+["'])/gm,
  )) {
    const specifier = quoted.slice(1, -1);
    const path = join(dirname(source.fileName), specifier);
    if (!specifier.startsWith(".") || !missing.some((file) => isSame(stemOf(file), stemOf(path)))) continue;
    const text = `Cannot find module or type declarations for side-effect import of '${specifier}'.`;
    found.push({ pos: index + before.length, end: index + whole.length, code: NO_SUCH_SIDE_EFFECT, text });
  }
  return found;
}

/** The compiler spells paths as the disk does, the project as it likes. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function stemOf(path: string): string {
  return join(dirname(path), basename(path).replace(/(?:\.d)?\.[cm]?[jt]sx?$/, ""));
}
