/** The tests of a file, read from the server's outline of it, which counts text that is not saved. */

export interface TestNode {
  readonly title: string;
  readonly isSuite: boolean;
  /** From 0. */
  readonly line: number;
  readonly lastLine: number;
  readonly tests: readonly TestNode[];
}

interface Open extends TestNode {
  readonly indent: number;
  readonly tests: Open[];
}

const LINE = /^( *)(\d+)(?:-(\d+))?: (describe|suite|context|test|it)[\w.]*\("((?:[^"\\]|\\.)*)"/;

export function testsIn(outline: string): TestNode[] {
  const top: Open[] = [];
  const open: Open[] = [];
  for (const text of outline.split("\n")) {
    const [, indent = "", first, last = first, word = "", title = ""] = LINE.exec(text) ?? [];
    if (first === undefined) continue;
    while ((open.at(-1)?.indent ?? -1) >= indent.length) open.pop();
    const node: Open = {
      title: unquoted(title),
      isSuite: word !== "test" && word !== "it",
      line: Number(first) - 1,
      lastLine: Number(last) - 1,
      indent: indent.length,
      tests: [],
    };
    (open.at(-1)?.tests ?? top).push(node);
    open.push(node);
  }
  return top;
}

function unquoted(title: string): string {
  try {
    return JSON.parse(`"${title}"`) as string;
  } catch {
    return title;
  }
}

/** The argument `name` of run_tests for one test, or for all of a suite. */
export function namePattern(titles: readonly string[], isSuite: boolean): string {
  const full = titles.join(" ").replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  return isSuite ? full : `${full}$`;
}
