/** Matching names: substring, camel-hump and `/regex/`, each with a rank. */
import { testAll } from "./regex-test.ts";

/** Lower is better; undefined is no match. Rejects with `PatternProblem` for an expression that takes too long. */
export type NameMatcher = (names: readonly string[]) => Promise<(number | undefined)[]>;

const REGEX = /^\/(.+)\/([a-z]*)$/s;

/** A bad or runaway regular expression throws `PatternProblem`, at once or when matching. */
export class PatternProblem extends Error {
  override readonly name = "PatternProblem";
}

export function nameMatcher(pattern: string): NameMatcher {
  if (pattern.trim() === "") throw new PatternProblem("The pattern is blank: give part of a name.");
  const regex = REGEX.exec(pattern);
  if (regex?.[1] !== undefined) return regexMatcher(regex[1], regex[2] ?? "");
  return (names) => Promise.resolve(names.map((name) => textRank(pattern, name)));
}

/** Names that the compiler makes up, as for a callback; they stand in no text. */
const MADE_UP_NAMES = ["callback", "function", "class", "constructor", "default", "module", "export", "unknown"];

/**
 * Says of a text whether it can hold a name that matches; true when in doubt. Undefined when no text can be ruled out by
 * looking for the pattern in it.
 */
export function textFilter(pattern: string): ((text: string) => boolean) | undefined {
  const wanted = pattern.toLowerCase();
  if (!/^[\w$]{2,}$/.test(pattern) || MADE_UP_NAMES.some((name) => name.includes(wanted))) return undefined;
  const humps = humpsOf(pattern).map((hump) => hump.toLowerCase());
  const parts = humps.length < 2 ? [wanted] : humps;
  return (text) => {
    const lower = text.toLowerCase();
    return parts.every((part) => lower.includes(part));
  };
}

/** 0 exact, 1 exact but for case, 2 prefix, 3 camel humps, 4 substring but for case. */
export function textRank(pattern: string, name: string): number | undefined {
  if (name === pattern) return 0;
  const lower = name.toLowerCase();
  const wanted = pattern.toLowerCase();
  if (lower === wanted) return 1;
  if (lower.startsWith(wanted)) return 2;
  if (matchesHumps(pattern, name)) return 3;
  return lower.includes(wanted) ? 4 : undefined;
}

/** `cUS` and `createUS` match `createUserSession`: each hump of the pattern starts a hump of the name, in order. */
function matchesHumps(pattern: string, name: string): boolean {
  const wanted = humpsOf(pattern);
  if (wanted.length < 2) return false;
  const present = humpsOf(name);
  let at = 0;
  for (const hump of wanted) {
    while (at < present.length && present[at]?.toLowerCase().startsWith(hump.toLowerCase()) !== true) at += 1;
    if (at === present.length) return false;
    at += 1;
  }
  return true;
}

function humpsOf(name: string): string[] {
  return name.match(/[A-Z]?[a-z0-9]+|[A-Z]/g) ?? [];
}

function regexMatcher(source: string, flags: string): NameMatcher {
  let expression: RegExp;
  try {
    expression = new RegExp(source, flags.replace(/[gy]/g, ""));
  } catch (error) {
    throw new PatternProblem(`The pattern is not a regular expression: ${(error as Error).message}`);
  }
  return async (names) => {
    const verdicts = await testAll(expression, names);
    if (verdicts !== undefined) return verdicts.map((verdict) => (verdict ? 2 : undefined));
    throw new PatternProblem(
      "The regular expression takes too long on ordinary names; write it without nested repetition.",
    );
  };
}
