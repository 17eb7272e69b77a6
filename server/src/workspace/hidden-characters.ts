/**
 * Characters that a reader does not see, or that make a text read as something else than it is. The editors write the same
 * characters out: client-nvim's review/visible.lua and client-emacs' agentq-visible.el have their lists.
 */

/** Turn the direction of what follows: the order on the screen is then not the order in the file. */
const DIRECTION = "\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069";
/** Zero-width characters, blank letters, unassigned parts of the same blocks, and tags, which can carry a whole program. */
const INVISIBLE =
  "\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u2028\u2029\u2060-\u2065\u206A-\u206F\u2800\u3164" +
  "\uFDD0-\uFDEF\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE\uFFFF\u{13430}-\u{1343F}\u{16FE4}\u{1BCA0}-\u{1BCA3}\u{1D159}" +
  "\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}";
/** Inside a word or an emoji these belong there; elsewhere they only hide. */
const JOINING = "\u200C\u200D\uFE0F";
const CONTROL = "\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F";

const HIDING = `(?<![\\p{L}\\p{M}\\p{N}\\p{Emoji}\\p{So}])[${JOINING}]|(?<=[\\x00-\\x7F])[${JOINING}](?!\\u20E3)`;
/** A carriage return that ends no line lets a terminal write over the line. */
const IN_TEXT = new RegExp(`[${CONTROL}${DIRECTION}${INVISIBLE}]|\\r(?!\\n)|${HIDING}`, "gu");
const IN_PATH = new RegExp(`[\\p{Cc}\\p{Cs}${DIRECTION}${INVISIBLE}]|${HIDING}`, "u");
const IN_PATH_ALL = new RegExp(IN_PATH, "gu");

export interface HiddenCharacter {
  /** Counted from 0, in UTF-16 units. */
  readonly offset: number;
  /** `U+202E`. */
  readonly name: string;
}

/** In the order of the text, at most `limit` of them. */
export function hiddenCharacters(text: string, limit = 100): HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  for (const match of text.matchAll(IN_TEXT)) {
    if (found.length === limit) break;
    found.push({ offset: match.index, name: nameOf(match[0]) });
  }
  return found;
}

/** The text with a visible name in the place of each: `<U+202E>`. */
export function showHidden(text: string): string {
  return text.replace(IN_TEXT, (character) => `<${nameOf(character)}>`);
}

/** The way back from `showHidden`, for who was shown a text and writes down what they read. */
export function withHidden(text: string): string {
  return text.replace(/<U\+([0-9A-F]{4,6})>/g, (shown: string, code: string) => {
    const point = Number.parseInt(code, 16);
    return point > 0x10_ff_ff ? shown : String.fromCodePoint(point);
  });
}

/** Like `showHidden`, for a path, in which line breaks hide too. */
export function showHiddenInPath(path: string): string {
  return path.replace(IN_PATH_ALL, (character) => `<${nameOf(character)}>`);
}

/** The first character that a path must not have where people decide by what they read. */
export function hiddenInPath(relative: string): string | undefined {
  const match = IN_PATH.exec(relative);
  return match === null ? undefined : nameOf(match[0]);
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
