/** A thrown value as vitest passes it from its thread: plain data, and no longer an error. */
import { inspect, stripVTControlCharacters } from "node:util";
import type { TestFailure, TestPlace } from "../../testing/test-run.ts";

export interface ThrownInTest {
  readonly name?: string;
  readonly message?: unknown;
  readonly diff?: string;
  readonly stack?: string;
  /** Vitest's parsed form of `stack`. Causes and errors from outside of tests do not have it. */
  readonly stacks?: readonly TestPlace[];
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
  readonly actual?: unknown;
  readonly expected?: unknown;
  /** The resource of an access that was refused. */
  readonly resource?: string;
}

const FRAME = /^ *at (?:.*\()?(?:file:\/\/)?(\/[^()]+?):(\d+):(\d+)\)?$/gm;
const MOST_CAUSES = 5;

export function failureOf(thrown: unknown, depth = 0): TestFailure {
  if (typeof thrown !== "object" || thrown === null) return { name: "Thrown", message: inspect(thrown) };
  const error = thrown as ThrownInTest;
  const place = placeOf(error);
  const causes = depth < MOST_CAUSES ? [...withCause(error), ...(error.errors ?? [])] : [];
  return {
    name: error.name ?? (error.stack === undefined ? "Thrown" : "Error"),
    message: messageOf(error),
    ...(error.diff === undefined ? {} : { diff: stripVTControlCharacters(error.diff) }),
    ...(place === undefined ? {} : { place }),
    ...(causes.length === 0 ? {} : { causes: causes.map((cause) => failureOf(cause, depth + 1)) }),
  };
}

function messageOf(error: ThrownInTest): string {
  const { message, resource } = error;
  if (message === undefined) return inspect(asThrown(error));
  const text = stripVTControlCharacters(typeof message === "string" ? message : inspect(message));
  if (resource !== undefined) return `${text} (${resource})`;
  return isNewSnapshot(text, error) ? `${text}: it is new, and a run here writes no snapshots` : text;
}

/** The thrown value without the properties that vitest added. */
function asThrown(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== "stacks" && name !== "diff"));
}

function isNewSnapshot(text: string, { actual, expected }: ThrownInTest): boolean {
  return /^Snapshot `.*` mismatched$/.test(text) && actual !== undefined && expected === undefined;
}

function withCause({ cause }: ThrownInTest): unknown[] {
  return cause === undefined || cause === null ? [] : [cause];
}

function placeOf({ stacks, stack }: ThrownInTest): TestPlace | undefined {
  const places =
    stacks ??
    [...(stack ?? "").matchAll(FRAME)].map(([, file = "", line, column]) => ({
      file,
      line: Number(line),
      column: Number(column),
    }));
  const place = places.find(({ file }) => !file.includes("/node_modules/"));
  return place && { file: decodeURI(place.file), line: place.line, column: place.column };
}
