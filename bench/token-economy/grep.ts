/**
 * The cheapest honest way with a text search. Per kind of question:
 *
 * - references: `grep -rnw NAME src`, nothing else: its lines are the places (and everything else of that name).
 * - callers: the same, then around each match that is no import the lines in which the enclosing function must begin:
 *   60 before and 1 after, overlapping stretches read once.
 * - signature: `grep -rnE "(function|const|class) NAME\b" src`, then 40 lines from each match on.
 * - members: `grep -rnE "(class|interface) NAME\b" src`, the declaring file from there on, and the same for each class that
 *   the declaration says it extends.
 * - subclasses and implementers: `grep -rnE "(extends|implements) …\bNAME\b" src`, then again for each class found.
 * - exports: the file, and for each `export * from` the file behind it.
 * - names: `grep -rniE "(function|class|interface|type|const|enum) \w*NAME" src`.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Question } from "./questions.ts";
import type { Text } from "./recall.ts";

const BEFORE_CALL = 60;
const SIGNATURE_LINES = 40;

interface Line {
  readonly file: string;
  readonly number: number;
  readonly text: string;
}

export function askGrep(folder: string, question: Question): readonly Text[] {
  const lines = linesOf(folder);
  const name = question.name.split(".").at(-1) ?? question.name;
  const word = new RegExp(String.raw`\b${name}\b`);
  switch (question.kind) {
    case "references":
      return [printed(lines.filter(({ text }) => word.test(text)))];
    case "callers":
      return callers(
        lines,
        lines.filter(({ text }) => word.test(text)),
      );
    case "signature": {
      const found = lines.filter(({ text }) => new RegExp(String.raw`\b(?:function|const|class) ${name}\b`).test(text));
      return [printed(found), ...stretches(lines, found, 0, SIGNATURE_LINES)];
    }
    case "members":
      return members(lines, name, new Set());
    case "subclasses":
    case "implementations":
      return heirs(lines, name, new Set());
    case "exports":
      return files(folder, question.file ?? "", new Set());
    case "names": {
      const pattern = new RegExp(String.raw`\b(?:function|class|interface|type|const|enum) \w*${name}`, "i");
      return [printed(lines.filter(({ text }) => pattern.test(text)))];
    }
    default:
      return question.kind satisfies never;
  }
}

function callers(lines: readonly Line[], found: readonly Line[]): Text[] {
  const calls = found.filter(({ text }) => !/^\s*(?:import|export|\*|\/\/)/.test(text));
  return [printed(found), ...stretches(lines, calls, BEFORE_CALL, 2)];
}

function members(lines: readonly Line[], name: string, seen: Set<string>): Text[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const found = lines.filter(({ text }) => new RegExp(String.raw`\b(?:class|interface) ${name}\b`).test(text));
  const bases = found.flatMap(({ text }) => [...(/extends\s+([\w.]+)/.exec(text)?.slice(1) ?? [])]);
  return [
    printed(found),
    ...stretches(lines, found, 0, Number.POSITIVE_INFINITY),
    ...bases.flatMap((base) => members(lines, base, seen)),
  ];
}

function heirs(lines: readonly Line[], name: string, seen: Set<string>): Text[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const found = lines.filter(({ text }) => new RegExp(String.raw`\b(?:extends|implements)\b.*\b${name}\b`).test(text));
  const names = found.flatMap(({ text }) => [...(/\b(?:class|interface) (\w+)/.exec(text)?.slice(1) ?? [])]);
  return [printed(found), ...names.flatMap((heir) => heirs(lines, heir, seen))];
}

function files(folder: string, file: string, seen: Set<string>): Text[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(path.join(folder, file), "utf8");
  const behind = [...text.matchAll(/^export \* from ['"](\.[^'"]+)['"]/gm)].map(([, to = ""]) =>
    path.join(path.dirname(file), to.replace(/(?:\.[jt]s)?$/, ".ts")),
  );
  return [{ file, text }, ...behind.flatMap((each) => files(folder, each, seen))];
}

/** What the search prints: `src/a.ts:12:text`. */
function printed(lines: readonly Line[]): Text {
  return { text: lines.map(({ file, number, text }) => `${file}:${number}:${text}`).join("\n") };
}

/** The lines around each of the given ones, every line once, as a file reader prints them. */
function stretches(lines: readonly Line[], around: readonly Line[], before: number, after: number): Text[] {
  return [...Map.groupBy(around, ({ file }) => file)].map(([file, matches]) => {
    const own = lines.filter((line) => line.file === file);
    const wanted = own.filter(({ number }) =>
      matches.some((match) => match.number - before <= number && number < match.number + after),
    );
    return { file, text: [file, ...wanted.map(({ number, text }) => `${number}\t${text}`)].join("\n") };
  });
}

const known = new Map<string, readonly Line[]>();

function linesOf(folder: string): readonly Line[] {
  const before = known.get(folder);
  if (before !== undefined) return before;
  const found = readdirSync(path.join(folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .toSorted();
  const lines = found.flatMap((file) => {
    const shown = path.join("src", file);
    const texts = readFileSync(path.join(folder, shown), "utf8").split("\n");
    return texts.map((text, index) => ({ file: shown, number: index + 1, text }));
  });
  known.set(folder, lines);
  return lines;
}
