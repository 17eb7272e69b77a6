/** Recognises forms that mean the same in TypeScript and JavaScript by their text: they need no transpiler. */
import { parseSync } from "oxc-parser";
import type { Body } from "./syntax.ts";

/** What types, generics, JSX, decorators and assertions are written with. */
const MARKS = /[:<@!?]/;
/** Words that begin or join something of TypeScript, or that the transpiler has a say in. */
const WORDS =
  /\b(?:abstract|accessor|as|asserts|assert|declare|enum|export|global|implements|import|infer|interface|is|keyof|module|namespace|out|override|private|protected|public|readonly|satisfies|type|unique|using)\b/;

/** Kept because the image and the compiler beside the image parse the same form. */
let latest: { readonly text: string; readonly body: Body | undefined } | undefined;

/** The body of such a form, to be read only; undefined for every other form, and for one that does not parse. */
export function parsePlain(text: string): Body | undefined {
  if (MARKS.test(text) || WORDS.test(text)) return undefined;
  if (latest?.text === text) return latest.body;
  const { program, errors } = parseSync("code.js", text, { sourceType: "module" });
  latest = { text, body: errors.length === 0 ? program.body : undefined };
  return latest.body;
}
