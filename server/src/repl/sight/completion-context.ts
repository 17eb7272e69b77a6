/**
 * The kind of name that is being typed at a place of a form: a member after a dot, a key between quotes, or a single
 * name. The receiver is the longest text before the dot that parses as an expression that a dot can follow.
 */
import { parseSync } from "../../base/parser.ts";
import { lexicalState } from "./lexical-state.ts";

export type CompletionContext =
  | {
      readonly kind: "member" | "key";
      readonly receiver: string;
      readonly prefix: string;
      /** The offset of the dot, or of `?.`. */
      readonly dot: number;
      /** The receiver is `(await receiver)`: the members are those of the fulfilled value. */
      readonly awaits?: true;
    }
  | { readonly kind: "name"; readonly prefix: string }
  /** A place inside of a string or a comment, or where a new name is being declared. */
  | { readonly kind: "none" };

const LOOK_BACK = 2000;
const PREFIX = /[\p{ID_Continue}$\u200c\u200d]*$/u;
const BOUNDARY = /[\p{ID_Continue}$\u200c\u200d]/u;
const NAMING = /\b(?:const|let|var|function\*?|class|enum|interface|type|namespace|import|as)\s+$/;
/** Expressions that a dot may follow; other expressions would need parentheses. */
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
  "ImportExpression",
  "MetaProperty",
]);
const AWAITED = /^\(\s*await\s+([^]+)\)$/;

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
    return { kind: "member", ...awaited(receiver), prefix, dot: offset - before.length + dot.index };
  }
  return NAMING.test(head) || head.endsWith("#") ? { kind: "none" } : { kind: "name", prefix };
}

/** `object["pre`: a key of the object. */
function keyContext(before: string, start: number, offset: number): CompletionContext {
  const open = /(?:\?\.)?\[\s*$/.exec(before.slice(0, start));
  if (open === null) return { kind: "none" };
  const receiver = receiverBefore(before.slice(0, open.index));
  if (receiver === undefined) return { kind: "none" };
  return {
    kind: "key",
    ...awaited(receiver),
    prefix: before.slice(start + 1),
    dot: offset - before.length + open.index,
  };
}

function awaited(receiver: string): { receiver: string; awaits?: true } {
  const inner = AWAITED.exec(receiver)?.[1];
  return inner === undefined || !isReceiver(inner) ? { receiver } : { receiver: inner, awaits: true };
}

function receiverBefore(text: string): string | undefined {
  let found: string | undefined;
  const end = text.trimEnd().length;
  for (let start = end - 1; start >= 0 && end - start <= LOOK_BACK; start--) {
    const here = text[start] ?? "";
    if (/\s/.test(here)) continue;
    const inside = BOUNDARY.test(here) && BOUNDARY.test(text[start - 1] ?? "");
    if (!inside && isReceiver(text.slice(start, end))) found = text.slice(start, end);
    // An expression does not reach back past the end of a statement, unless it ends with a bracket or quote that may
    // enclose it.
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
  if (expression.type !== "ParenthesizedExpression") return false;
  // In `new a`, a dot at the end belongs to the name of the class.
  if (expression.expression.type === "NewExpression" && !text.endsWith(")")) return false;
  return RECEIVERS.has(expression.expression.type);
}
