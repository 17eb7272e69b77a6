/**
 * JSON that every reader takes. JavaScript's texts may hold half of a surrogate pair, such as `"😀".slice(0, 1)`, which
 * `JSON.stringify` writes as `\ud83d`: Neovim and Emacs refuse the whole message for it.
 */

/** An escape of half a pair; a backslash that is itself escaped does not begin one. Whole pairs are written unescaped. */
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

export function wellFormedJson(value: unknown): string {
  return withoutHalfPairs(JSON.stringify(value));
}

/** The same for JSON that somebody else has written. */
export function withoutHalfPairs(json: string): string {
  return json.includes("\\ud") ? json.replace(HALF_PAIR, "$1\uFFFD") : json;
}
