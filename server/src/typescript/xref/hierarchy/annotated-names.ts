/**
 * Which names a file's text writes into the type of a literal. Asking the compiler where a type is mentioned searches
 * every project; a class that nobody annotates a literal with need not be asked about. Too many names cost time, a
 * missing one would cost an answer.
 */

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
/** What an object literal, a function or a class begins with, or a parenthesis around it. */
const VALUE = String.raw`(?:[{(]|(?:async|function|class)\b|[\w$]+\s*=>)`;
const ASSIGNED = new RegExp(String.raw`(?<![=!<>+\-*/%&|^?])=\s*(?=${VALUE})`, "g");
const ASSERTED = /\b(?:as|satisfies)\s+([^;{}()\n]{1,300})/g;
const ASSERTED_BEFORE = /<([^<>;{}()=\n]{1,300}(?:<[^;{}()=\n]*>)?)>\s*(?=[{(])/g;
const RESULT = /\)\s*:\s*([^;\n{}]{1,300}?)\s*(?:\{|=>\s*(?=[({]|(?:async|function|class)\b|[\w$]+\s*=>))/g;
const RETURNS_VALUE = new RegExp(String.raw`\breturn\s+${VALUE}|=>\s*\(`);
/** In JavaScript comments annotate. */
const COMMENT = /@(?:type|returns?|satisfies)\s*\{([^\n]{1,300})/g;
const MAX_TYPE = 500;

export function annotatedIn(text: string): string[] {
  const found = new Set<string>();
  const add = (type: string): void => {
    for (const [name] of type.matchAll(NAME)) found.add(name);
  };
  for (const { index } of text.matchAll(ASSIGNED)) add(typeBefore(text, index));
  for (const pattern of [ASSERTED, ASSERTED_BEFORE, COMMENT]) {
    for (const [, type = ""] of text.matchAll(pattern)) add(type);
  }
  if (RETURNS_VALUE.test(text)) for (const [, type = ""] of text.matchAll(RESULT)) add(type);
  return [...found];
}

/** The text between a `:` and the offset; "" where there is none. */
function typeBefore(text: string, offset: number): string {
  let depth = 0;
  for (let at = offset - 1; at >= Math.max(0, offset - MAX_TYPE); at -= 1) {
    const character = text.charAt(at);
    if (")]}".includes(character) || (character === ">" && text.charAt(at - 1) !== "=")) depth += 1;
    else if ("([{<".includes(character)) depth -= 1;
    else if (depth === 0 && character === ":") return text.slice(at + 1, offset);
    if (depth < 0 || (depth === 0 && character === ";")) return "";
  }
  return "";
}
