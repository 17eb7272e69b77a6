/**
 * Files that would not exist. No message takes a file on disk away from the side compiler: such a file is there and
 * empty, and its importers get the errors that they would have without the file.
 */
import { basename, dirname, join } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import type { Diagnostic, Project } from "typescript/unstable/async";

type Problem = Pick<Diagnostic, "pos" | "end" | "code" | "text">;

const NO_SUCH_MODULE = 2307;
const NO_SUCH_SIDE_EFFECT = 2882;

/** What the side compiler reads in place of the files. */
export function emptied(missing: readonly string[]): [string, string][] {
  return missing.map((file) => [file, ""]);
}

/**
 * The errors of a file as they would be without the missing ones: an import of a missing file is an error of its own, and
 * what the compiler says of names that an empty file does not export is dropped.
 */
export async function withMissing(
  { compilerOptions, checker }: Project,
  source: SourceFile,
  { errors, missing }: { readonly errors: readonly Problem[]; readonly missing: readonly string[] },
): Promise<Problem[]> {
  const isMissing = (path: string): boolean => missing.some((file) => isSame(file, path));
  const imports = [...source.imports];
  const symbols = imports.length === 0 ? [] : await checker.getSymbolAtLocation(imports);
  const added: Problem[] = [];
  const statements: { readonly pos: number; readonly end: number }[] = [];
  for (const [index, node] of imports.entries()) {
    const [specifier, start] = specifierOf(node, source.text);
    const isGone =
      symbols[index]?.declarations.some(({ path }) => isMissing(path)) ??
      missing.some((file) => isSame(stemOf(file), stemOf(join(dirname(source.fileName), specifier))));
    if (!isGone) continue;
    statements.push(node.parent);
    const isForEffects = /^\s*import\s*["']/.test(source.text.slice(node.parent.pos, node.parent.end));
    if (isForEffects && compilerOptions.noUncheckedSideEffectImports === false) continue;
    const place = { pos: start, end: node.end };
    added.push(
      isForEffects
        ? {
            ...place,
            code: NO_SUCH_SIDE_EFFECT,
            text: `Cannot find module or type declarations for side-effect import of '${specifier}'.`,
          }
        : {
            ...place,
            code: NO_SUCH_MODULE,
            text: `Cannot find module '${specifier}' or its corresponding type declarations.`,
          },
    );
  }
  const isNone = ({ pos, end, text }: Problem): boolean =>
    statements.some((statement) => statement.pos <= pos && end <= statement.end) ||
    missing.some((file) => text.includes(`typeof import("${stemOf(file)}")`));
  return [...errors.filter((error) => !isNone(error)), ...added];
}

/** The module that a specifier names, and where its quote begins. */
function specifierOf({ pos, end }: { readonly pos: number; readonly end: number }, text: string): [string, number] {
  const quoted = text.slice(pos, end);
  const start = pos + quoted.search(/["'`]/);
  return [text.slice(start + 1, end - 1), start];
}

/** The compiler spells paths as the disk does, the project as it likes. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function stemOf(path: string): string {
  return join(dirname(path), basename(path).replace(/(?:\.d)?\.[cm]?[jt]sx?$/, ""));
}
