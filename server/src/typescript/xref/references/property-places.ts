/** Where a text may write a property of an object literal; too many places cost time, a missing one would cost an answer. */

/** What stands behind the name of a property; a quote or a bracket may come before that. */
const BEHIND = /["'`\]\s]*(?:[:(,}<]|\/[/*])/y;
const BEFORE = new Set(["{", ",", "*", "/"]);
const BETWEEN = /[\s"'`[]/;
const KEYWORD = /(?<![\w$])(?:get|set|async)$/;

/** The offsets of the name; an escape may stand for any letter of the name. */
export function propertyPlaces(text: string, name: string): number[] {
  const places: number[] = [];
  for (const { 0: word, index } of text.matchAll(spellingOf(name, text))) {
    BEHIND.lastIndex = index + word.length;
    if (BEHIND.test(text) && isAtStart(text, index)) places.push(index);
  }
  return places;
}

function spellingOf(name: string, text: string): RegExp {
  const hasEscape = text.includes("\\u");
  const spelling = name.replaceAll(/[\w$]/g, (letter) => {
    const code = letter.charCodeAt(0).toString(16);
    const plain = letter === "$" ? String.raw`\$` : letter;
    return hasEscape ? String.raw`(?:${plain}|\\u(?:${code.padStart(4, "0")}|\{0*${code}\}))` : plain;
  });
  return new RegExp(String.raw`(?<![\w$.])${spelling}(?![\w$])`, hasEscape ? "gi" : "g");
}

/** Behind a brace, a comma, a comment, or `get`, `set`, `async` and `*`. */
function isAtStart(text: string, offset: number): boolean {
  let at = offset - 1;
  for (; at >= 0 && BETWEEN.test(text.charAt(at)); at -= 1) {
    if (text.charAt(at) === "\n" && text.slice(text.lastIndexOf("\n", at - 1) + 1, at).includes("//")) return true;
  }
  return BEFORE.has(text.charAt(at)) || KEYWORD.test(text.slice(Math.max(0, at - 6), at + 1));
}
