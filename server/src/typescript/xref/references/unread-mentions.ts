/** Where files that the compiler does not read spell a name: a use that no answer of the compiler can have in it. */
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { lineBreaksIn } from "../../../base/line-breaks.ts";
import { readRegularText } from "../../../workspace/regular-file.ts";
import { stampFrom, type Stamp } from "../../files/file-stamps.ts";
import { doubtUnopened } from "./unopened-packages.ts";
import { unreadNote, type UnreadMention } from "./unread-note.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import type { View } from "../../view.ts";
import { forEachYielding, mapLimited } from "../../yielding.ts";

const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$]*/gu;
const TAG = /<([a-z]\w*(?:-\w+)+)/g;
/** Styles and comments for the reader use nothing. */
const NO_CODE = /<style\b[^]*?<\/style>|<!--[^]*?-->/g;
/** The word that comes before a module's name. */
const FROM = /\bfrom(?=\s*["'])/g;
/** A page of prose uses what it imports. */
const IMPORT = /^\s*import\s/m;
/** The examples of a page, which nobody runs. */
const EXAMPLES = /^[ \t]*(`{3,}|~{3,})[^]*?(?:^[ \t]*\1|(?![^]))|`[^`\n]*`/gm;
/** The code of a page: statements up to an empty line, tags, expressions. */
const PAGE_CODE = /^(?:import|export)\s(?:[^\n]+\n?)*|<[^>]*>|\{[^}]*\}/gm;
const MAX_KEPT = 20_000_000;

const kept = new Map<string, { readonly stamp: Stamp; readonly text: string }>();
let keptLength = 0;

/** Adds a doubt for the reader of the answer; none when no such file spells one of the words. */
export async function doubtUnread(view: View, words: Iterable<string>): Promise<void> {
  const mentions = await unreadMentions(view, new Set(words));
  if (mentions.length > 0) view.doubts.add(unreadNote(view.paths, mentions));
}

/** Adds what an answer about the uses of a symbol cannot have looked at. */
export async function doubtUses(view: View, declarations: readonly Declaration[]): Promise<void> {
  await doubtUnread(view, wordsOf(declarations));
  await doubtUnopened(view, declarations);
}

/** What a symbol is called where it is used; nothing for what no other file can name. */
export function wordsOf(declarations: readonly Declaration[]): string[] {
  return declarations.flatMap(({ file, name, path, local }) => {
    if (local || name.startsWith("#") || name.startsWith("[")) return [];
    if (name === "constructor") return path.split(".").slice(-2, -1);
    if (name === "default") return [basename(file).replace(/\..*$/, "")];
    return [name.replace(/^"(.*)"$/, "$1")];
  });
}

/** Whole words only, each file's first of each word. */
async function unreadMentions(view: View, words: ReadonlySet<string>): Promise<UnreadMention[]> {
  const files = words.size === 0 ? [] : view.state.unreadFiles();
  const found = await mapLimited(files, (file) => mentionsIn(view, file, words), view.signal);
  return found.flat();
}

async function mentionsIn(view: View, file: string, words: ReadonlySet<string>): Promise<UnreadMention[]> {
  const text = view.state.openTexts.get(file) ?? (await textOf(view, file));
  const code = codeOf(file, text);
  const found = new Map<string, UnreadMention>();
  const add = (word: string, offset: number): void => {
    if (!words.has(word) || found.has(word)) return;
    found.set(word, { file, word, line: lineBreaksIn(code, 0, offset) + 1 });
  };
  await forEachYielding(code.matchAll(WORD), ({ 0: word, index }) => add(word, index), view.signal);
  if (file.endsWith(".vue")) for (const { 1: tag = "", index } of code.matchAll(TAG)) add(componentOf(tag), index);
  return [...found.values()];
}

/** In a template `<order-list>` is the component OrderList. */
function componentOf(tag: string): string {
  return tag.replaceAll(/(?:^|-)(\w)/g, (_match, first: string) => first.toUpperCase());
}

/** The code of a file, on the same lines; "" for a page that uses no code. */
function codeOf(file: string, text: string): string {
  const code = text.replaceAll(NO_CODE, blanked).replaceAll(FROM, blanked);
  if (!file.endsWith(".mdx")) return code;
  return IMPORT.test(text) ? blankedBeside(code.replaceAll(EXAMPLES, blanked), PAGE_CODE) : "";
}

function blanked(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}

function blankedBeside(text: string, shown: RegExp): string {
  let code = "";
  for (const { 0: part, index } of text.matchAll(shown)) code += blanked(text.slice(code.length, index)) + part;
  return code;
}

/** "" for a file that is gone, and for a file that may not be read; the latter adds a doubt for the reader. */
async function textOf(view: View, file: string): Promise<string> {
  const stamp = await stat(file).then(
    (stats) => stampFrom(stats),
    () => "",
  );
  const known = kept.get(file);
  if (known?.stamp === stamp) return known.text;
  const text = stamp === "" ? "" : await readRegularText(file, { lossy: true }).catch(() => undefined);
  if (text === undefined) {
    view.doubts.add(`Not searched: ${view.paths.show(file)}, which may not be read.`);
    return "";
  }
  keptLength += text.length - (known?.text.length ?? 0);
  if (keptLength > MAX_KEPT) {
    kept.clear();
    keptLength = text.length;
  }
  kept.set(file, { stamp, text });
  return text;
}
