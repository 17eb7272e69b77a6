/** The events of a test run, read after its end: tests that began and did not end are unfinished. */
import type { TestEvent } from "../child/tests/test-events.ts";
import type { TestOutcome } from "./test-run.ts";

/** Reads the events of a text, one a line. A test can write into the file too, so other lines are left out. */
export function eventsIn(text: string): TestEvent[] {
  // The text after the last line end was cut off when the process ended.
  return text
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => {
      try {
        const event = JSON.parse(line) as unknown;
        return typeof event === "object" && event !== null ? [event as TestEvent] : [];
      } catch {
        return [];
      }
    });
}

/** A test or suite that began and did not end is unfinished, unless something inside of it is. */
export function outcomesOf(events: readonly TestEvent[]): TestOutcome[] {
  const closed = new Map(
    events.flatMap((event) => ("closes" in event ? [[event.closes, event.outcomes] as const] : [])),
  );
  const isOpen = ({ file }: Pick<TestOutcome, "file">): boolean => closed.get(file) === undefined;
  const ended = events.flatMap((event) => ("ends" in event ? [event.ends] : [])).filter(isOpen);
  const left = events.flatMap((event) => ("passesOver" in event ? [event.passesOver] : []));
  const keyOf = ({ file, titles }: Pick<TestOutcome, "file" | "titles">): string =>
    JSON.stringify([file, ...titles]).slice(0, -1);
  const done = [...ended, ...left].map(keyOf);
  const begun = events.flatMap((event) => ("begins" in event ? [event.begins] : [])).filter(isOpen);
  const open = begun.filter((each) => !done.some((key) => key === keyOf(each) || key.startsWith(`${keyOf(each)},`)));
  const innermost = open.filter((each) => !open.some((other) => keyOf(other).startsWith(`${keyOf(each)},`)));
  const cut = innermost.map((each) => ({ ...each, state: "unfinished", failures: [] }) as const);
  return [...[...closed.values()].flatMap((outcomes) => outcomes ?? []), ...ended, ...cut];
}

/** For a file whose process ended early although no test is known to be unfinished. */
export function unfinishedFile(file: string): TestOutcome {
  return { file, titles: [], state: "unfinished", failures: [] };
}
