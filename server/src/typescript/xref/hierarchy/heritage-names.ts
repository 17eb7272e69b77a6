/**
 * Which names the project's texts extend or implement at all. Asking the compiler who extends a class searches every
 * project; a class whose name follows no `extends` need not be asked about. Too many names cost time, a missing one
 * would cost an answer: whatever may lead to a heritage clause is taken.
 */
import { annotatedIn } from "./annotated-names.ts";
import { TextFacts } from "../../files/file-text.ts";
import type { View } from "../../view.ts";

interface FileNames {
  /** Names behind `extends` and `implements`, and those that a module exports by default. */
  readonly used: readonly string[];
  /** Names in the types of literals, and those that a module exports by default. */
  readonly annotated: readonly string[];
  /** By another name for something, the names it may stand for. */
  readonly aliases: readonly (readonly [string, readonly string[]])[];
}

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
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

const fileNames = new TextFacts(namesIn);

/** The names, of these, that something may extend or implement. */
export function heritageNames(view: View, names: readonly string[]): Promise<ReadonlySet<string>> {
  return namesAmong(view, names, ({ used }) => used);
}

/** The names of types, of these, that some literal, function or class may be annotated with. */
export function annotatedNames(view: View, names: readonly string[]): Promise<ReadonlySet<string>> {
  return namesAmong(view, names, ({ annotated }) => annotated);
}

async function namesAmong(
  view: View,
  names: readonly string[],
  usesIn: (file: FileNames) => readonly string[],
): Promise<ReadonlySet<string>> {
  const files = await filesNaming(view, names);
  const aliases = Map.groupBy(
    files.flatMap((file) => file.aliases),
    ([name]) => name,
  );
  const meant = new Set<string>();
  const waiting = ["default", ...files.flatMap(usesIn)];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (meant.has(name)) continue;
    meant.add(name);
    for (const [, standsFor] of aliases.get(name) ?? []) waiting.push(...standsFor);
  }
  return new Set(names.filter((name) => meant.has(name)));
}

/** What the texts say that have one of the names, or another name that may stand for one of these. */
async function filesNaming(view: View, names: readonly string[]): Promise<readonly FileNames[]> {
  const read = new Map<string, FileNames>();
  const wanted = new Set(names);
  const others = new Map<string, string[]>();
  for (let fresh = [...wanted]; fresh.length > 0;) {
    const files = [...(await view.state.words.filesWith(view, fresh)).keys()].filter((file) => !read.has(file));
    for (const [index, facts] of (await fileNames.ofAll(view, files)).entries()) {
      read.set(files[index] ?? "", facts);
      for (const [other, standsFor] of facts.aliases) {
        for (const name of standsFor) {
          const known = others.get(name);
          if (known === undefined) others.set(name, [other]);
          else known.push(other);
        }
      }
    }
    // A name that was wanted before may have got another name in one of these files.
    fresh = [];
    for (const name of wanted) {
      for (const other of others.get(name) ?? []) {
        if (wanted.has(other)) continue;
        wanted.add(other);
        fresh.push(other);
      }
    }
  }
  return [...read.values()];
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
  return { used: [...used], annotated: [...annotatedIn(text), ...byDefault], aliases };
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

/**
 * From `class` or `interface` to the `{` of the body; a brace inside type arguments or a call does not begin the
 * body.
 */
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

/** A value or type up to the end of its line, without the text in braces, brackets and type arguments. */
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
