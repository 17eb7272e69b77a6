/** What a test threw, in words: message, place, difference, and what caused it. */
import { headOf, shortened } from "../../../base/cut-text.ts";
import type { TestFailure, TestPlace } from "../../../repl/testing/test-run.ts";

export interface FailurePort {
  /** An absolute path as the model shall read it. */
  readonly showPath: (path: string) => string;
  /** One line of a file's present text; 1-based. */
  readonly lineOf: (path: string, line: number) => Promise<string | undefined>;
}

const MAX_MESSAGE = 1_500;
const MAX_DIFF_LINES = 30;

/** A test that was tried again may throw the same again: the failure is shown once. */
export async function renderFailures(failures: readonly TestFailure[], port: FailurePort): Promise<string[]> {
  const told = await Promise.all(failures.map((failure) => renderFailure(failure, port)));
  const texts = new Set(told.map((lines) => lines.join("\n")));
  return [...texts].flatMap((text) => text.split("\n"));
}

export function showPlace({ file, line, column }: TestPlace, port: FailurePort): string {
  return `${port.showPath(file)}:${line}:${column}`;
}

async function renderFailure(failure: TestFailure, port: FailurePort, before = ""): Promise<string[]> {
  const { name, message, diff = "", place, causes = [] } = failure;
  const text = shortened(message, MAX_MESSAGE);
  const lines = `${before}${name}: ${text}`.split("\n").map((line) => `  ${line}`.trimEnd());
  if (place !== undefined) {
    const code = (await port.lineOf(place.file, place.line))?.trim();
    lines.push(`  at ${showPlace(place, port)}${code === undefined ? "" : `   | ${headOf(code, 160)}`}`);
  }
  if (diff !== "") lines.push(...renderDifference(diff));
  for (const cause of causes) lines.push(...(await renderFailure(cause, port, "caused by ")));
  return lines;
}

function renderDifference(diff: string): string[] {
  const lines = diff.split("\n");
  const rest = lines.length > MAX_DIFF_LINES ? [`    … ${lines.length - MAX_DIFF_LINES} more lines`] : [];
  return [...lines.slice(0, MAX_DIFF_LINES).map((line) => `    ${line}`.trimEnd()), ...rest];
}
