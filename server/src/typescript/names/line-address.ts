/** A line as an address: it moves with every edit, but stacks, compilers, links and answers name lines. */
import type { Declaration } from "./tree/declaration.ts";

export interface LineAddress {
  readonly file: string;
  /** Counted from 1, the column too. */
  readonly line: number;
  readonly column: number | undefined;
  /** `src/a.ts#L12` is the address of a symbol, too, where there is one called L12. */
  readonly mayBeName: boolean;
}

/** `src/a.ts:12`, `src/a.ts:12:3`, `src/a.ts:12-20`, `src/a.ts#L12`, `src/a.ts#L12-L20`, `src/a.ts(12,3)`. */
const LINE =
  /^(.+\.[cm]?[jt]sx?)(?::(\d+)(?::(\d+))?(?:-\d+(?::\d+)?)?|(#)L(\d+)(?:C(\d+))?(?:-L?\d+(?:C\d+)?)?|\((\d+),\s*(\d+)\))$/;

/** Undefined for what names no line. */
export function lineAddress(text: string): LineAddress | undefined {
  const plain = text.trim().replace(/^`([^`]*)`$/, "$1");
  const [, file, line, column, hash, hashLine, hashColumn, comma, commaColumn] = LINE.exec(plain) ?? [];
  if (file === undefined) return undefined;
  const columns = column ?? hashColumn ?? commaColumn;
  return {
    file,
    line: Number(line ?? hashLine ?? comma),
    column: columns === undefined ? undefined : Number(columns),
    mayBeName: hash !== undefined,
  };
}

/** A file's name without a line behind it. */
export function withoutLine(name: string): string {
  return lineAddress(name)?.file ?? name;
}

/** What is declared on the line, at the column where one is given; else the innermost declaration around the line. */
export function declaredOn(declarations: readonly Declaration[], { line, column }: LineAddress): Declaration[] {
  const at = line - 1;
  const around = declarations.filter(({ range, local }) => !local && range.start.line <= at && at <= range.end.line);
  const there = around.filter((each) => each.at.line === at);
  const exact = there.filter((each) => {
    const first = each.at.character + 1;
    return column !== undefined && first <= column && column < first + each.name.length;
  });
  if (exact.length > 0) return exact;
  // The members of what begins on the line are not meant, when the whole is there.
  const whole = there.filter(({ path }) => !there.some((other) => path.startsWith(`${other.path}.`)));
  return whole.length > 0 ? whole : around.toSorted((a, b) => linesOf(a) - linesOf(b)).slice(0, 1);
}

/** What is declared inside of a function's body and is round the line, the outermost first. */
export function localsAround(declarations: readonly Declaration[], { line }: LineAddress): Declaration[] {
  const around = declarations.filter(
    ({ range, local }) => local && range.start.line < line && line <= range.end.line + 1,
  );
  return around.toSorted((a, b) => linesOf(b) - linesOf(a));
}

/** The outermost declarations before and behind the line. */
export function declaredBeside(declarations: readonly Declaration[], { line }: LineAddress): Declaration[] {
  const outermost = declarations.filter(({ local, path, name }) => !local && path === name);
  const before = outermost.findLast(({ range }) => range.end.line < line - 1);
  const behind = outermost.find(({ range }) => range.start.line > line - 1);
  return [before, behind].filter((each) => each !== undefined);
}

function linesOf({ range: { start, end } }: Declaration): number {
  return end.line - start.line;
}
