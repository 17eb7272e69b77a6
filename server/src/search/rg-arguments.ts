/**
 * The arguments of ripgrep. Text that somebody else wrote comes behind `--name=` or after `--`: it can never be an
 * option.
 */
import { isInstalled, type Reach } from "./reach.ts";

export interface Pattern {
  readonly text: string;
  /** The text itself is searched for, not a regular expression. */
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Lines before and after each match. */
  readonly context: number;
}

const ALWAYS = ["--no-config", "--no-ignore-messages", "--no-require-git", "--hidden", "--glob=!.git"];

/** A larger program takes minutes; ripgrep's own limit lets it. */
const MOST_OF_A_REGEX = "30M";

/** `relative` is the file or folder that is searched, from the folder in which ripgrep runs. */
export function searchArguments(pattern: Pattern, reach: Reach, relative: string): string[] {
  const context = pattern.context > 0 ? [`--context=${pattern.context}`] : [];
  return [...ALWAYS, ...context, ...patternArguments(pattern), ...reachArguments(reach, relative)];
}

/** For texts on the standard input; the lines around the matches are left to who has the texts. */
export function inputArguments(pattern: Pattern): string[] {
  return ["--no-config", ...patternArguments(pattern), "--", "-"];
}

export function listArguments(reach: Reach, relative: string): string[] {
  return [...ALWAYS, "--files", "--null", ...reachArguments(reach, relative)];
}

/** Whether a match may go over the end of a line: only a pattern that speaks of line ends is searched like that. */
export function isMultiline({ text, literal }: Pattern): boolean {
  return text.includes("\n") || (!literal && /(?<!\\)(?:\\\\)*\\n|\(\?[a-z]*s[a-z-]*[:)]/.test(text));
}

/** Where a carriage return belongs to the end of its line, ripgrep takes none in a pattern. */
function namesReturn({ text, literal }: Pattern): boolean {
  return text.includes("\r") || (!literal && /(?<!\\)(?:\\\\)*\\r/.test(text));
}

/** Only the other engine can do this, and only this is given to the other engine, which has no bounds for its time. */
function looksAround({ text, literal }: Pattern): boolean {
  return !literal && /\(\?(?:<?[=!]|>)|\\(?:[1-9]|k[<{'])/.test(text);
}

function patternArguments(pattern: Pattern): string[] {
  return [
    "--json",
    ...(namesReturn(pattern) && !isMultiline(pattern) ? [] : ["--crlf"]),
    `--regex-size-limit=${MOST_OF_A_REGEX}`,
    ...(pattern.literal ? ["--fixed-strings"] : []),
    ...(looksAround(pattern) ? ["--engine=auto"] : []),
    ...(isMultiline(pattern) ? ["--multiline"] : []),
    ...(pattern.ignoreCase ? ["--ignore-case"] : []),
    `--regexp=${pattern.text}`,
  ];
}

function reachArguments({ ignored, glob }: Reach, relative: string): string[] {
  return [
    ...(ignored ? ["--no-ignore"] : []),
    ...(ignored || isInstalled(relative) ? [] : ["--glob=!node_modules"]),
    // A type, because a glob of `--glob` would bring back what .gitignore leaves out.
    ...(glob?.names === undefined ? [] : [`--type-add=asked:${glob.names}`, "--type=asked"]),
    "--",
    `./${relative}`,
  ];
}
