/** What a run of tests says of each test that the editor lists. */
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { FailedTest, TestVerdict } from "../../server/src/protocol/proposal-shapes.ts";

/** A test that was asked for, as VS Code's list has it. */
export interface ListedTest {
  readonly id: string;
  readonly uri: string;
  /** Titles from the outermost suite inwards; none for the file itself. */
  readonly titles: readonly string[];
  readonly isSuite: boolean;
}

export interface Outcomes {
  readonly failed: ReadonlyMap<string, readonly FailedTest[]>;
  readonly passed: readonly string[];
  readonly skipped: readonly string[];
  /** Of tests that are not listed: their names are made while they run. */
  readonly unlisted: readonly FailedTest[];
}

const BETWEEN = " > ";
export const OUTSIDE = "(outside of any test)";

/** `content` is what the run wrote: it names the tests that were skipped. */
export function outcomesOf(verdict: TestVerdict, listed: readonly ListedTest[], content = ""): Outcomes {
  const ran = new Set(verdict.files);
  const failed = new Map<string, FailedTest[]>();
  const unlisted: FailedTest[] = [];
  const byName = new Map(listed.map((test) => [nameOf(test.uri, test.titles.join(BETWEEN)), test.id]));
  for (const failure of verdict.failures) {
    const name = failure.name === OUTSIDE ? "" : failure.name;
    const id = byName.get(nameOf(failure.uri, name));
    if (id === undefined) unlisted.push(failure);
    else failed.set(id, [...(failed.get(id) ?? []), failure]);
  }
  const names = skippedNames(content);
  // Where more were skipped than are named, nobody knows what the others did.
  const isTold = verdict.skipped <= names.length;
  const passed: string[] = [];
  const skipped: string[] = [];
  const badFiles = new Set(verdict.failures.filter(({ name }) => name === OUTSIDE).map(({ uri }) => uri));
  for (const { id, uri, titles, isSuite } of listed) {
    if (titles.length === 0 || isSuite || failed.has(id) || !ran.has(uri) || badFiles.has(uri)) continue;
    if (names.some((name) => name.endsWith(` ${titles.join(BETWEEN)}`))) skipped.push(id);
    else if (isTold) passed.push(id);
  }
  return { failed, passed, skipped, unlisted };
}

function nameOf(uri: string, name: string): string {
  return `${uri}\n${name}`;
}

/** Lines such as `  test/total.test.ts:19:3 total > converts`, below `skipped:` or `todo:`. */
function skippedNames(content: string): string[] {
  const names: string[] = [];
  let isInside = false;
  for (const line of content.split("\n")) {
    if (/^(?:skipped|todo):$/.test(line)) isInside = true;
    else if (!line.startsWith("  ")) isInside = false;
    else if (isInside && !/^ {2}… \d+ more$/.test(line)) names.push(line);
  }
  return names;
}

/** Why a run says nothing, or what it does not cover; undefined where it covers all. */
export function problemOf({ state, reason }: TestVerdict): string | undefined {
  if (state !== "done") return `No test was run: ${showHidden(reason ?? "nobody knows why")}`;
  return reason === undefined ? undefined : showHidden(reason);
}
