/** Matching names: substring, camel-hump and `/regex/`, each with a rank. */
import { createContext, Script } from "node:vm";

/** Lower is better; undefined is no match. */
export type NameMatcher = (names: readonly string[]) => (number | undefined)[];

const REGEX_LIMIT_MS = 250;
const REGEX = /^\/(.+)\/([a-z]*)$/s;

/** A bad or runaway regular expression throws `PatternProblem`, at once or when matching. */
export class PatternProblem extends Error {
  override readonly name = "PatternProblem";
}

export function nameMatcher(pattern: string): NameMatcher {
  const regex = REGEX.exec(pattern);
  if (regex?.[1] !== undefined) return regexMatcher(regex[1], regex[2] ?? "");
  return (names) => names.map((name) => textRank(pattern, name));
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

/**
 * A regular expression that backtracks for ever cannot be stopped from outside, except inside a vm with a time limit.
 * The names travel in and the verdicts out as JSON, so nothing of this process is reachable from there.
 */
function regexMatcher(source: string, flags: string): NameMatcher {
  let expression: RegExp;
  try {
    expression = new RegExp(source, flags.replace(/[gy]/g, ""));
  } catch (error) {
    throw new PatternProblem(`The pattern is not a regular expression: ${(error as Error).message}`);
  }
  const code = new Script("JSON.stringify(JSON.parse(names).map((name) => expression.test(name) ? 1 : 0))");
  return (names) => {
    const context = createContext({ names: JSON.stringify(names), expression });
    try {
      const verdicts = JSON.parse(code.runInContext(context, { timeout: REGEX_LIMIT_MS }) as string) as number[];
      return verdicts.map((verdict) => (verdict === 1 ? 2 : undefined));
    } catch {
      throw new PatternProblem(
        `The regular expression takes too long on ordinary names; write it without nested repetition.`,
      );
    }
  };
}
