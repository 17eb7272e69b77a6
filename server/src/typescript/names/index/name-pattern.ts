/** Matching names: substring, camel-hump and `/regex/`, each with a rank. */
import { testAll } from "../../../base/regex-test.ts";

/** What is matched: a name, and the same in small letters. */
export interface Spelling {
  readonly name: string;
  readonly lower: string;
}

/** Lower is better; undefined is no match. */
export type Rank = number | undefined;

/**
 * Ranks one name after the other, or all at once, because an expression that may run away is best watched once.
 * `rankAll` rejects with `PatternProblem` when it takes too long.
 */
export type NameMatcher =
  | { readonly rank: (spelling: Spelling) => Rank }
  | { readonly rankAll: (names: readonly string[]) => Promise<readonly Rank[]> };

const REGEX = /^\/(.+)\/([a-z]*)$/s;

/** A bad or runaway regular expression throws `PatternProblem`, at once or when matching. */
export class PatternProblem extends Error {
  override readonly name = "PatternProblem";
}

export function nameMatcher(pattern: string): NameMatcher {
  if (pattern.trim() === "") throw new PatternProblem("The pattern is blank: give part of a name.");
  const regex = REGEX.exec(pattern);
  if (regex?.[1] !== undefined) return regexMatcher(regex[1], regex[2] ?? "");
  return { rank: textRanker(pattern) };
}

/** Names that the compiler makes up, as for a callback; they are in no text. */
const MADE_UP_NAMES = [
  "callback",
  "function",
  "class",
  "constructor",
  "default",
  "module",
  "exports",
  "export",
  "unknown",
];

export function isMadeUpName(name: string): boolean {
  return MADE_UP_NAMES.includes(name);
}

/** Whether a file with that text may hold a wanted name. */
export type TextFilter = (text: string) => boolean;

/**
 * Says of a text whether it can hold a name that matches; true when in doubt. Undefined when no text can be ruled out by
 * looking for the pattern in it.
 */
export function textFilter(pattern: string): TextFilter | undefined {
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
export function textRanker(pattern: string): (spelling: Spelling) => Rank {
  const wanted = pattern.toLowerCase();
  const humps = humpsOf(pattern).map((hump) => hump.toLowerCase());
  return ({ name, lower }) => {
    const at = lower.indexOf(wanted);
    if (at === 0) {
      if (name === pattern) return 0;
      return lower.length === wanted.length ? 1 : 2;
    }
    if (humps.length > 1 && matchesHumps(humps, name, lower)) return 3;
    return at > 0 ? 4 : undefined;
  };
}

/** `cUS` and `createUS` match `createUserSession`: each hump of the pattern starts a hump of the name, in order. */
function matchesHumps(humps: readonly string[], name: string, lower: string): boolean {
  let next = 0;
  let before = OTHER;
  for (let at = 0; at < name.length && next < humps.length; at += 1) {
    const kind = letterKind(name.charCodeAt(at));
    const isStart = kind === CAPITAL || (kind === SMALL && before === OTHER);
    before = kind;
    const hump = humps[next] ?? "";
    if (isStart && lower.startsWith(hump, at) && isOneHump(name, at, hump.length)) next += 1;
  }
  return next === humps.length;
}

/** Whether the letters after the first belong to its hump: small ones and digits. */
function isOneHump(name: string, start: number, length: number): boolean {
  for (let at = start + 1; at < start + length; at += 1) if (letterKind(name.charCodeAt(at)) !== SMALL) return false;
  return true;
}

const OTHER = 0;
const SMALL = 1;
const CAPITAL = 2;

function letterKind(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) return SMALL;
  return code >= 65 && code <= 90 ? CAPITAL : OTHER;
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
  const rankAll = async (names: readonly string[]): Promise<Rank[]> => {
    const verdicts = await testAll(expression, names);
    if (verdicts !== undefined) return verdicts.map((verdict) => (verdict ? 2 : undefined));
    throw new PatternProblem(
      "The regular expression takes too long on ordinary names; write it without nested repetition.",
    );
  };
  return { rankAll };
}
