/** Recognises by their text forms that are the same in TypeScript and JavaScript: they need no transpiler. */
import { parseSync } from "../../base/parser.ts";
import type { Body } from "./syntax.ts";

/** Characters of types, generics, JSX, decorators and assertions. */
const MARKS = /[:<@!?]/;
/** Words of TypeScript's syntax, and words that a transpiler may change. */
const WORDS =
  /\b(?:abstract|accessor|as|asserts|assert|declare|enum|export|global|implements|import|infer|interface|is|keyof|module|namespace|out|override|private|protected|public|readonly|satisfies|type|unique|using)\b/;

/** Kept because the image and the side compiler parse the same form. */
let latest: { readonly text: string; readonly body: Body | undefined } | undefined;

/**
 * The body of such a form, which must not be changed; undefined for every other form, and for a form that does not
 * parse.
 */
export function parsePlain(text: string): Body | undefined {
  if (MARKS.test(text) || WORDS.test(text)) return undefined;
  if (latest?.text === text) return latest.body;
  const { program, errors } = parseSync("code.js", text, { sourceType: "module" });
  latest = { text, body: errors.length === 0 ? program.body : undefined };
  return latest.body;
}
