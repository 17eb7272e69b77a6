/**
 * What is being typed at a place of a form: a member after a dot, a key between quotes, or a name. The receiver is the
 * longest piece of text before the dot that reads as an expression a dot can follow.
 */
import { parseSync } from "oxc-parser";

export type CompletionContext =
  | {
      readonly kind: "member" | "key";
      readonly receiver: string;
      readonly prefix: string;
      /** Offset of the dot, or of `?.`. */
      readonly dot: number;
    }
  | { readonly kind: "name"; readonly prefix: string }
  /** Inside of a string or a comment, or where a new name is being given. */
  | { readonly kind: "none" };

const LOOK_BACK = 2000;
const PREFIX = /[\p{ID_Continue}$\u200c\u200d]*$/u;
const BOUNDARY = /[\p{ID_Continue}$\u200c\u200d]/u;
const NAMING = /\b(?:const|let|var|function\*?|class|enum|interface|type|namespace|import|as)\s+$/;
/** What a dot may follow; anything looser would need parentheses. */
const RECEIVERS = new Set([
  "Identifier",
  "MemberExpression",
  "CallExpression",
  "ChainExpression",
  "NewExpression",
  "ParenthesizedExpression",
  "Literal",
  "ArrayExpression",
  "ObjectExpression",
  "TemplateLiteral",
  "TaggedTemplateExpression",
  "ThisExpression",
  "TSNonNullExpression",
]);

export function completionContext(code: string, offset: number): CompletionContext {
  const before = code.slice(Math.max(0, offset - LOOK_BACK * 4), offset);
  const state = lexicalState(before);
  if (state.kind === "string") return keyContext(before, state.start, offset);
  if (state.kind === "comment") return { kind: "none" };
  const prefix = PREFIX.exec(before)?.[0] ?? "";
  if (/^\d/.test(prefix)) return { kind: "none" };
  const head = before.slice(0, before.length - prefix.length);
  const dot = /(?:\?\.|(?<!\.)\.)\s*$/.exec(head);
  if (dot !== null) {
    const receiver = receiverBefore(head.slice(0, dot.index));
    if (receiver === undefined) return { kind: "none" };
    return { kind: "member", receiver, prefix, dot: offset - before.length + dot.index };
  }
  return NAMING.test(head) || head.endsWith("#") ? { kind: "none" } : { kind: "name", prefix };
}

/** `object["pre`: a key of the object. */
function keyContext(before: string, start: number, offset: number): CompletionContext {
  const open = /(?:\?\.)?\[\s*$/.exec(before.slice(0, start));
  if (open === null) return { kind: "none" };
  const receiver = receiverBefore(before.slice(0, open.index));
  if (receiver === undefined) return { kind: "none" };
  return { kind: "key", receiver, prefix: before.slice(start + 1), dot: offset - before.length + open.index };
}

function receiverBefore(text: string): string | undefined {
  let found: string | undefined;
  const end = text.trimEnd().length;
  for (let start = end - 1; start >= 0 && end - start <= LOOK_BACK; start--) {
    const here = text[start] ?? "";
    if (/\s/.test(here)) continue;
    const inside = BOUNDARY.test(here) && BOUNDARY.test(text[start - 1] ?? "");
    if (!inside && isReceiver(text.slice(start, end))) found = text.slice(start, end);
    // Nothing before the end of a statement belongs to the expression, unless it stands in brackets or quotes.
    if (here === ";" && found !== undefined && !/[)\]}"'`]$/.test(text.slice(0, end))) break;
  }
  return found;
}

function isReceiver(text: string): boolean {
  if (/^\d[\d._]*$/.test(text)) return false;
  const { program, errors } = parseSync("repl.ts", `(${text}\n)`, { preserveParens: true });
  const [statement, ...more] = program.body;
  if (errors.length > 0 || more.length > 0 || statement?.type !== "ExpressionStatement") return false;
  const { expression } = statement;
  return expression.type === "ParenthesizedExpression" && RECEIVERS.has(expression.expression.type);
}

type LexicalState = { readonly kind: "code" | "comment" } | { readonly kind: "string"; readonly start: number };

/** A regular expression with a quote in it is read as a string: then there are no completions behind it on its line. */
function lexicalState(text: string): LexicalState {
  const braces: ("code" | "template")[] = [];
  for (let at = 0; at < text.length; at++) {
    const here = text[at];
    const two = text.slice(at, at + 2);
    if (two === "//") {
      const end = text.indexOf("\n", at);
      if (end === -1) return { kind: "comment" };
      at = end;
    } else if (two === "/*") {
      const end = text.indexOf("*/", at + 2);
      if (end === -1) return { kind: "comment" };
      at = end + 1;
    } else if (here === '"' || here === "'") {
      const end = closing(text, at, here);
      if (end === undefined) return { kind: "string", start: at };
      at = end;
    } else if (here === "`" || (here === "}" && braces.pop() === "template")) {
      const end = templateEnd(text, at);
      if (end === undefined) return { kind: "comment" };
      if (end.opens) braces.push("template");
      at = end.at;
    } else if (here === "{") braces.push("code");
  }
  return { kind: "code" };
}

function closing(text: string, start: number, quote: string): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote || text[at] === "\n") return at;
  }
  return undefined;
}

/** Where the piece of a template that begins at `start` ends: at the backquote, or at a `${`. */
function templateEnd(text: string, start: number): { at: number; opens: boolean } | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "`") return { at, opens: false };
    else if (text.startsWith("${", at)) return { at: at + 1, opens: true };
  }
  return undefined;
}
