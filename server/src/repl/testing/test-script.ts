/** How a package's own scripts call a test runner: the words and the variables. */
import { basename } from "node:path";
import type { Manifest } from "./manifest.ts";

export interface RunnerCall {
  /** The runner's name. */
  readonly program: string;
  /** The words after the runner's name, as they are written. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g;
const NEXT_COMMAND = /\s*(?:&&|\|\||;|\|)\s*/;
const VARIABLE = /^([A-Za-z_]\w*)=(.*)$/s;
/** A script that runs another script of the same package. */
const OTHER_SCRIPT =
  /^(?:npm|pnpm|yarn|bun)\s+(?:run\s+|run-script\s+)?(?:-s\s+|--silent\s+)?([\w:.-]+)(?:\s+--\s.*)?$/;
const MAX_DEPTH = 4;

/**
 * The calls in the script `test` and in the scripts that it runs, or else in scripts that are named for a part of it,
 * for instance `test:unit`.
 */
export function callsIn({ scripts = {} }: Manifest, isRunner: IsRunner): RunnerCall[] {
  const names = Object.keys(scripts).filter((name) => /^test(?:$|[:_.-])/.test(name));
  const ordered = names.toSorted((a, b) => a.length - b.length);
  const own = callsOf("test", scripts, isRunner);
  return own.length > 0 ? own : ordered.flatMap((name) => callsOf(name, scripts, isRunner));
}

function callsOf(name: string, scripts: Readonly<Record<string, string>>, isRunner: IsRunner, depth = 0): RunnerCall[] {
  return (scripts[name] ?? "").split(NEXT_COMMAND).flatMap((command) => {
    const [, other] = OTHER_SCRIPT.exec(command.trim()) ?? [];
    if (other !== undefined && scripts[other] !== undefined && depth < MAX_DEPTH)
      return callsOf(other, scripts, isRunner, depth + 1);
    return (
      callAmong(
        [...command.matchAll(WORD)].map(([word]) => word),
        isRunner,
      ) ?? []
    );
  });
}

/** Whether the word, with the words after it, starts the runner. */
export type IsRunner = (name: string, following: readonly string[]) => boolean;

function callAmong(words: readonly string[], isRunner: IsRunner): RunnerCall | undefined {
  const at = words.findIndex((word, index) => isRunner(programName(unquoted(word)), words.slice(index + 1)));
  if (at < 0) return undefined;
  const variables = words.slice(0, at).flatMap((word) => {
    const [, name, value] = VARIABLE.exec(unquoted(word)) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return {
    program: programName(unquoted(words[at] ?? "")),
    words: words.slice(at + 1),
    env: Object.fromEntries(variables),
  };
}

function programName(word: string): string {
  return basename(word).replace(/\.[cm]?js$/, "");
}

/** The word as the shell passes it on. */
export function unquoted(word: string): string {
  return word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) => {
    return String(double ?? single ?? escaped ?? "");
  });
}

export interface KeptWords {
  /** Options whose value is the next word. */
  readonly valued: readonly string[];
  /** Options that are left out together with their value. */
  readonly dropped: RegExp;
  /** Whether words that are no options stay, for instance names of files. */
  readonly names: boolean;
}

/** The words of a call that our run keeps. */
export function keptWords(call: RunnerCall | undefined, { valued, dropped, names }: KeptWords): string[] {
  return optionsOf(call, valued)
    .filter(([word]) => word !== "--" && (word.startsWith("-") || names) && !dropped.test(word))
    .flatMap((own) => own.map(unquoted));
}

/** The words of a call, each with the value that follows it. */
export function optionsOf(call: RunnerCall | undefined, valued: readonly string[]): [string, ...string[]][] {
  const found: [string, ...string[]][] = [];
  const words = [...(call?.words ?? [])];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const value = valued.includes(word) ? words.shift() : undefined;
    found.push(value === undefined ? [word] : [word, value]);
  }
  return found;
}
