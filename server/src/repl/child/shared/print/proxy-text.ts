/**
 * A proxy and its target as text: `Proxy of { a: 1 } (handler: get, set)`. JavaScript cannot reach the target of a
 * proxy without running its traps. Node's `inspect` can, but it answers with a text, which is taken apart here.
 */
import { inspect } from "node:util";
import { captured, uncurried } from "../captured.ts";

/** These characters enclose each word, so that a bracket in a string is not taken for a bracket of the value. */
const OPEN = "\u0001";
const CLOSE = "\u0002";
const HEAD = "Proxy [";
const MAX_NAMES = 12;

const OPTIONS = {
  showProxy: true,
  customInspect: false,
  depth: 1,
  breakLength: Infinity,
  maxArrayLength: 6,
  maxStringLength: 60,
  stylize: (text: string, type: string): string => `${OPEN}${worded(text, type)}${CLOSE}`,
};

export function proxyText(proxy: object, maxCharacters: number): string {
  const text = inspect(proxy, OPTIONS);
  if (!uncurried.startsWith(text, HEAD)) return "Proxy (revoked)";
  const inside = uncurried.slice(text, HEAD.length, text.length - 1);
  const comma = commaIn(inside, 0);
  if (comma === -1) return "[Proxy]";
  const target = trim(plain(uncurried.slice(inside, 0, comma)));
  const handler = handlerText(trim(uncurried.slice(inside, comma + 1, inside.length)));
  return `Proxy of ${target.length > maxCharacters ? `${uncurried.slice(target, 0, maxCharacters)}…` : target} (handler: ${handler})`;
}

/** The names of the traps, or the class of a handler that inherits them. */
function handlerText(text: string): string {
  if (uncurried.startsWith(text, HEAD)) return "Proxy";
  let names = "";
  let count = 0;
  let brace = 0;
  while (brace < text.length && text[brace] !== "{" && text[brace] !== OPEN) brace++;
  const before = trim(uncurried.slice(text, 0, brace));
  for (let at = brace + 1; at < text.length && count <= MAX_NAMES; count++) {
    const next = commaIn(text, at);
    const end = next === -1 ? text.length : next;
    const name = nameIn(uncurried.slice(text, at, end));
    if (name === "") break;
    names += `${count === 0 ? "" : ", "}${count === MAX_NAMES ? "…" : name}`;
    at = end + 1;
  }
  if (names === "") return before === "" ? "empty" : plain(before);
  return before === "" ? names : `${plain(before)} with ${names}`;
}

/** The name in `name: value`. */
function nameIn(entry: string): string {
  let start = 0;
  while (start < entry.length && entry[start] !== OPEN) start++;
  let end = start;
  while (end < entry.length && entry[end] !== CLOSE) end++;
  return end >= entry.length || entry[end + 1] !== ":" ? "" : uncurried.slice(entry, start + 1, end);
}

/** The first comma outside of brackets and words. */
function commaIn(text: string, from: number): number {
  let depth = 0;
  let isWord = false;
  for (let at = from; at < text.length; at++) {
    const here = text[at];
    if (here === OPEN) isWord = true;
    else if (here === CLOSE) isWord = false;
    else if (isWord) continue;
    else if (here === "[" || here === "{" || here === "(") depth++;
    else if (here === "]" || here === "}" || here === ")") depth--;
    else if (here === "," && depth === 0) return at;
  }
  return -1;
}

function plain(text: string): string {
  let words = "";
  for (let at = 0; at < text.length; at++) {
    const here = text[at] as string;
    if (here !== OPEN && here !== CLOSE) words += here;
  }
  return words;
}

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && (text[start] === " " || text[start] === "\n")) start++;
  while (end > start && (text[end - 1] === " " || text[end - 1] === "\n")) end--;
  return uncurried.slice(text, start, end);
}

/** Strings and functions in the style of the image's own printer. */
function worded(text: string, type: string): string {
  const isSingle = type === "string" && text[0] === "'" && !uncurried.includes(text, "\\");
  if (isSingle) return captured.stringify(uncurried.slice(text, 1, text.length - 1));
  const named = "[Function: ";
  return uncurried.startsWith(text, named) ? `[Function ${uncurried.slice(text, named.length, text.length)}` : text;
}
