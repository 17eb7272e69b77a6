/**
 * Which names the project's texts extend or implement at all. Asking the compiler who extends a class searches every
 * project; a class whose name stands behind no `extends` need not be asked about. Too many names cost time, a missing one
 * would cost an answer: whatever may lead to a heritage clause counts.
 */
import { annotatedIn } from "./annotated-names.ts";
import { TextFacts } from "../files/file-text.ts";
import { perSnapshot } from "../per-snapshot.ts";
import type { View } from "../view.ts";

interface FileNames {
  readonly hasClass: boolean;
  /** Names behind `extends` and `implements`, and those that a module exports by default. */
  readonly used: readonly string[];
  /** Names in the types of literals, and those that a module exports by default. */
  readonly annotated: readonly string[];
  /** By another name for something, the names it may stand for. */
  readonly aliases: readonly (readonly [string, readonly string[]])[];
}

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const CLASS = /\bclass\b/;
const HEADER = /\b(?:class|interface)\s/g;
const KEYWORD = /^(?:extends|implements)\s/;
const ALIAS = /\b(type|const|let|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)(?:<[^=;]*>)?\s*(?::[^=;{]*)?=(?!>)/gu;
/** Looks back from `as`: a search for a name first would try every word of the text. */
const RENAMED = /(?<=([\p{ID_Start}$_][\p{ID_Continue}$]*)\s+)as\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;
const DEFAULT =
  /\bexport\s+default\s+(?:(?:abstract\s+)?class\s+|interface\s+)?([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;
/** Signs that a text is no other name for one type: unions, conditions, functions, new objects. */
const NO_ALIAS = /[|?`"'+*]|=>|\b(?:function|new|await|async|keyof|typeof)\b/;
const MAX_HEADER = 2_000;

interface Names {
  readonly classFiles: readonly string[];
  readonly heritage: ReadonlySet<string>;
  readonly annotated: ReadonlySet<string>;
}

const fileNames = new TextFacts(namesIn);
const namesFor = perSnapshot(collectNames);

export async function heritageNames(view: View): Promise<ReadonlySet<string>> {
  return (await namesFor(view)).heritage;
}

/** Names of types that some literal, function or class may be annotated with. */
export async function annotatedNames(view: View): Promise<ReadonlySet<string>> {
  return (await namesFor(view)).annotated;
}

/** The own files that may declare a class. */
export async function classFiles(view: View): Promise<readonly string[]> {
  return (await namesFor(view)).classFiles;
}

async function collectNames(view: View): Promise<Names> {
  const own = view.ownFiles();
  const files = await fileNames.ofAll(view, own);
  const aliases = Map.groupBy(
    files.flatMap((file) => file.aliases),
    ([name]) => name,
  );
  const meant = (names: readonly string[]): ReadonlySet<string> => {
    const found = new Set<string>();
    const waiting = ["default", ...names];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (found.has(name)) continue;
      found.add(name);
      for (const [, standsFor] of aliases.get(name) ?? []) waiting.push(...standsFor);
    }
    return found;
  };
  return {
    heritage: meant(files.flatMap((file) => file.used)),
    annotated: meant(files.flatMap((file) => file.annotated)),
    classFiles: own.filter((_file, index) => files[index]?.hasClass),
  };
}

export function namesIn(text: string): FileNames {
  const used = new Set<string>();
  for (const { index } of text.matchAll(HEADER)) for (const name of heritageAt(text, index)) used.add(name);
  const byDefault = [...text.matchAll(DEFAULT)].map(([, name = ""]) => name);
  for (const name of byDefault) used.add(name);
  const aliases: [string, readonly string[]][] = [];
  for (const { 0: head, 1: keyword, 2: name = "", index } of text.matchAll(ALIAS)) {
    const value = outermost(text, index + head.length, keyword !== "type");
    if (!NO_ALIAS.test(value)) aliases.push([name, namesOfText(value)]);
  }
  for (const [, original = "", name = ""] of text.matchAll(RENAMED)) aliases.push([name, [original]]);
  return { hasClass: CLASS.test(text), used: [...used], annotated: [...annotatedIn(text), ...byDefault], aliases };
}

/** The names in a header behind its first `extends` or `implements` that is no constraint of a type parameter. */
function heritageAt(text: string, start: number): string[] {
  const header = headerAt(text, start);
  let depth = 0;
  for (let at = 0; at < header.length; at += 1) {
    const character = header.charAt(at);
    if (character === "<") depth += 1;
    else if (character === ">" && header.charAt(at - 1) !== "=") depth -= 1;
    else if (depth === 0 && (character === "e" || character === "i") && KEYWORD.test(header.slice(at, at + 11))) {
      return namesOfText(header.slice(at));
    }
  }
  return [];
}

/** From `class` or `interface` to the `{` of the body; a brace inside type arguments or a call is none. */
function headerAt(text: string, start: number): string {
  let depth = 0;
  let at = start;
  const end = Math.min(text.length, start + MAX_HEADER);
  for (; at < end; at += 1) {
    const character = text.charAt(at);
    if ("(<[".includes(character)) depth += 1;
    else if (character === "{" && depth === 0) break;
    else if (character === ")" || character === "]" || (character === ">" && text.charAt(at - 1) !== "=")) depth -= 1;
    if (depth < 0 || (character === ";" && depth === 0)) break;
  }
  return text.slice(start, at);
}

/** A value or type up to the end of its line, without what stands in braces, brackets and type arguments. */
function outermost(text: string, start: number, withArguments: boolean): string {
  let depth = 0;
  let kept = "";
  const end = Math.min(text.length, start + MAX_HEADER);
  for (let at = start; at < end; at += 1) {
    const character = text.charAt(at);
    const isHidden = "{[<".includes(character) || (character === "(" && !withArguments);
    if (isHidden) depth += 1;
    else if (depth > 0 && ("}]>".includes(character) || (character === ")" && !withArguments))) {
      if (text.charAt(at - 1) !== "=") depth -= 1;
    } else if (depth === 0) {
      if (character === ";") break;
      if (
        character === "\n" &&
        kept.trim() !== "" &&
        !/^\s*[&.)]/.test(text.slice(at, at + 40)) &&
        !/[&(,]\s*$/.test(kept)
      )
        break;
      kept += character;
    }
  }
  return kept;
}

function namesOfText(text: string): string[] {
  return [...new Set(text.match(NAME))];
}
