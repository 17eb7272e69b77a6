/** How much of an expected answer a reader finds in the texts that a contender gives. */
import type { Fact } from "./questions.ts";

/** What an agent reads: an answer, or a stretch of a file. */
export interface Text {
  /** Given when the whole text is of this file. */
  readonly file?: string;
  readonly text: string;
}

export function charactersOf(texts: readonly Text[]): number {
  return texts.reduce((sum, { text }) => sum + text.length, 0);
}

/** From 0 to 1. A fact is found when its words stand in one line, or its name anywhere in the text read of its file. */
export function recallOf(facts: readonly Fact[], texts: readonly Text[]): number {
  return facts.filter((fact) => isFound(fact, texts)).length / facts.length;
}

/** The facts that a contender does not give, for whoever wants to know why. */
export function missingFrom(facts: readonly Fact[], texts: readonly Text[]): Fact[] {
  return facts.filter((fact) => !isFound(fact, texts));
}

/**
 * The lines with the whole path in front of each place: places stand under their folder's or file's name, and what is told
 * least by its lines alone: `src/a.ts  (import: 3; type: 12,15)`. Names stand under their file where several of it follow each
 * other: `src/a.ts#`.
 */
function placedLines(text: string): string[] {
  let [folder, file, said, names] = ["", "", "", ""];
  return text.split("\n").flatMap((line) => {
    const heading = /^ *(src\/\S*\/)$/.exec(line)?.[1];
    if (heading !== undefined) folder = heading;
    else if (!/^ +/.test(line)) folder = "";
    const addressed = /^ *(src\/\S+?\.tsx?#)$/.exec(line)?.[1];
    if (addressed !== undefined) names = addressed;
    else if (!/^ {4}/.test(line)) names = "";
    if (names !== "" && addressed === undefined) return [line.replace(/^ +/, names)];
    const inFolder = folder === "" ? line : line.replace(/^ +(?=[^\s/:]+\.tsx?(?::\d|  \(|$))/, folder);
    file = /^ *(src\/\S+?\.tsx?)(?=[ :]|$)/.exec(inFolder)?.[1] ?? file;
    const short = [...inFolder.matchAll(/(?:import|type): ([\d,]+)/g)].flatMap(([, lines = ""]) => lines.split(","));
    const [, above = "", listed = ""] = /^ +(src\/\S*\/) ((?:[^\s/]+:[\d,]+(?:, )?)+)$/.exec(line) ?? [];
    const places = listed.split(/, (?=\D)/).flatMap((each) => {
      const [name = "", lines = ""] = each.split(":");
      return listed === "" ? [] : lines.split(",").map((at) => `${above}${name}:${at} ${said}`);
    });
    // What is said of many places stands above them.
    if (listed === "") said = line.trim();
    return [inFolder.replace(/^\s+(?=\d+[: ])/, `${file}:`), ...short.map((at) => `${file}:${at}`), ...places];
  });
}

function isFound(fact: Fact, texts: readonly Text[]): boolean {
  const words = fact.map(
    (word) => new RegExp(String.raw`(?<![\w$])${word.replace(/[.$/]/g, String.raw`\$&`)}(?![\w$])`),
  );
  const [first] = fact;
  return texts.some(({ file, text }) => {
    if (file !== undefined && file === first) return words.slice(1).every((word) => word.test(text));
    return placedLines(text).some((line) => words.every((word) => word.test(line)));
  });
}
