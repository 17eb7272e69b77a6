/** Reads ava's output in the Test Anything Protocol: a line for each test, followed by its failure. */
import type { TestFailure, TestOutcome } from "../test-run.ts";

export interface ToldByTap {
  readonly outcomes: readonly TestOutcome[];
  /** Lines that are not of the protocol: the tests printed them. */
  readonly rest: string;
}

/** The file of a test, and the number of first titles that name the file. */
export type FileOfTitles = (titles: readonly string[]) => { readonly file: string; readonly named: number };

/** A mark is only a mark at the end of its line; inside of a title it is text. */
const RESULT = /^(not )?ok \d+ - (.*?)(?: # (SKIP|TODO))?$/;
const PLAN = /^(?:TAP version \d+|\d+\.\.\d+|# (?:tests|pass|skip|fail) \d+|Bail out!.*)$/;

export function tapOutcomes(text: string, fileOf: FileOfTitles): ToldByTap {
  const outcomes: TestOutcome[] = [];
  const rest: string[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const [all, isNot, name = "", mark] = RESULT.exec(line) ?? [];
    if (all === undefined) {
      if (!PLAN.test(line)) rest.push(line);
      continue;
    }
    const end = lines[at + 1] === "  ---" ? lines.indexOf("  ...", at) : -1;
    const below = end < 0 ? [] : lines.slice(at + 2, end);
    if (end >= 0) at = end;
    // A failed test has its error below it; a skipped or future test has none.
    const hasFailed = isNot !== undefined && (below.length > 0 || mark !== "TODO");
    const titles = (hasFailed && mark !== undefined ? `${name} # ${mark}` : name).split(" › ");
    const { file, named } = fileOf(titles);
    const state = hasFailed ? "failed" : mark === "SKIP" ? "skipped" : mark === "TODO" ? "todo" : "passed";
    const failures = state === "failed" ? [failureIn(below)] : [];
    outcomes.push({ file, titles: titles.slice(named), state, failures });
  }
  return { outcomes, rest: rest.join("\n").trim() };
}

/** Values of several lines keep their lines; no other YAML is supported. */
function failureIn(lines: readonly string[]): TestFailure {
  const name = valueOf(lines, "name") || "Error";
  const details = lines.findIndex((line) => line === "    details:");
  const after = lines.slice(details + 1);
  const next = after.findIndex((line) => /^ {4}\S/.test(line));
  const shown =
    details < 0
      ? []
      : after
          .slice(0, next < 0 ? after.length : next)
          .map((line) => line.slice(6).replace(/^'(.*)': [|>][-+\d]*$/, "$1"));
  const said = valueOf(lines, "message") || valueOf(lines, "assertion");
  const [, file, line, column] = /(?:^|[\s('])(?:file:\/\/)?(\/[^()\n]+?):(\d+):(\d+)/.exec(valueOf(lines, "at")) ?? [];
  const isOwn = file !== undefined && !file.includes("/node_modules/");
  return {
    name,
    message: [said, ...shown].filter((each) => each !== "").join("\n"),
    ...(isOwn ? { place: { file: decodeURI(file), line: Number(line), column: Number(column) } } : {}),
  };
}

function valueOf(lines: readonly string[], key: string): string {
  const at = lines.findIndex((line) => line.startsWith(`    ${key}:`));
  if (at < 0) return "";
  const first = (lines[at] ?? "").slice(key.length + 5).trim();
  if (!/^[>|][-+]?\d?$/.test(first)) return first.replace(/^'(.*)'$/, "$1").replaceAll("''", "'");
  const after = lines.slice(at + 1);
  const next = after.findIndex((line) => /^ {4}\S/.test(line));
  const own = after.slice(0, next < 0 ? after.length : next).map((line) => line.trim());
  return own.join(first.startsWith(">") ? " " : "\n");
}
