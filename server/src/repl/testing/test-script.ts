/** How a package's own scripts call a test runner: with which words and variables. */
import { basename } from "node:path";
import type { Manifest } from "./manifest.ts";

export interface RunnerCall {
  /** What stands behind the runner's name. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g;
const NEXT_COMMAND = /\s*(?:&&|\|\||;|\|)\s*/;
const VARIABLE = /^([A-Za-z_]\w*)=(.*)$/s;

/** The script `test` first, then those that are named for a part of it. Undefined where none calls the runner. */
export function callIn({ scripts = {} }: Manifest, isRunner: IsRunner): RunnerCall | undefined {
  const names = Object.keys(scripts).filter((name) => /^test(?:$|[:_.-])/.test(name));
  for (const name of names.toSorted((a, b) => a.length - b.length)) {
    for (const command of (scripts[name] ?? "").split(NEXT_COMMAND)) {
      const call = callAmong(
        [...command.matchAll(WORD)].map(([word]) => unquoted(word)),
        isRunner,
      );
      if (call !== undefined) return call;
    }
  }
  return undefined;
}

/** Whether a word, with what follows it, begins the runner. */
export type IsRunner = (name: string, following: readonly string[]) => boolean;

function callAmong(words: readonly string[], isRunner: IsRunner): RunnerCall | undefined {
  const at = words.findIndex((word, index) => isRunner(programName(word), words.slice(index + 1)));
  if (at < 0) return undefined;
  const variables = words.slice(0, at).flatMap((word) => {
    const [, name, value] = VARIABLE.exec(word) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return { words: words.slice(at + 1), env: Object.fromEntries(variables) };
}

function programName(word: string): string {
  return basename(word).replace(/\.[cm]?js$/, "");
}

function unquoted(word: string): string {
  return word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) => {
    return String(double ?? single ?? escaped ?? "");
  });
}

export interface KeptWords {
  /** Options whose value is the next word. */
  readonly valued: readonly string[];
  /** Options that are left out, with their value. */
  readonly dropped: RegExp;
  /** Whether words that are no options stay, such as names of files. */
  readonly names: boolean;
}

/** The words of a call that a run of ours keeps. */
export function keptWords(words: readonly string[], { valued, dropped, names }: KeptWords): string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const next = words[at + 1];
    const own = valued.includes(word) && next !== undefined ? [word, next] : [word];
    at += own.length - 1;
    if (word === "--" || (!word.startsWith("-") && !names) || dropped.test(word)) continue;
    kept.push(...own);
  }
  return kept;
}
