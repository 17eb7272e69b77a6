/** Whether a place in a form is code, or inside of a string, a comment or plain text. The form need not be complete. */
import jsTokens from "js-tokens";

export type LexicalState = { readonly kind: "code" | "comment" } | { readonly kind: "string"; readonly start: number };

/** Quotes and slashes in the plain text of JSX have no meaning, so a form that may have JSX is also read as JSX. */
export function lexicalState(text: string): LexicalState {
  const plain = endOf(text, false);
  if (plain.kind === "code" || !/<[\w$>]/.test(text)) return plain;
  const withJsx = endOf(text, true);
  return withJsx.kind === "code" ? withJsx : plain;
}

/** The kind of the last token, and whether it is still open. */
function endOf(text: string, jsx: boolean): LexicalState {
  // A backslash at the end begins an escape that belongs to the token before it.
  const whole = text.replace(/\\$/, "");
  const last = [...(jsx ? jsTokens(whole, { jsx }) : jsTokens(whole))].at(-1);
  switch (last?.type) {
    case "StringLiteral":
    case "JSXString":
      return last.closed ? { kind: "code" } : { kind: "string", start: whole.length - last.value.length };
    case "NoSubstitutionTemplate":
    case "TemplateTail":
    case "MultiLineComment":
      return { kind: last.closed ? "code" : "comment" };
    case "SingleLineComment":
    case "HashbangComment":
    case "JSXText":
      return { kind: "comment" };
    default:
      return { kind: "code" };
  }
}
