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

/** Where places are grouped under their file's name, each place gets the name in front. */
function placedLines(text: string): string[] {
  let file = "";
  return text.split("\n").map((line) => {
    file = /^src\/\S+\.tsx?(?= |$)/.exec(line)?.[0] ?? file;
    return line.replace(/^\s+(?=\d+:\d+ )/, `${file}:`);
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
