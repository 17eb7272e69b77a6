/** Whether a form goes on in the next line: a bracket, a template or a comment is open at its end. */
import jsTokens from "js-tokens";

const OPENING: ReadonlySet<string> = new Set(["(", "[", "{"]);
const CLOSING: ReadonlySet<string> = new Set([")", "]", "}"]);

export function isOpenForm(text: string): boolean {
  let depth = 0;
  let isTemplateOpen = false;
  for (const token of jsTokens(text)) {
    if (token.type === "Punctuator" && OPENING.has(token.value)) depth += 1;
    else if (token.type === "Punctuator" && CLOSING.has(token.value)) depth -= 1;
    else if (token.type === "TemplateHead") depth += 1;
    else if (token.type === "TemplateTail") depth -= 1;
    if (token.type === "MultiLineComment" && !token.closed) return true;
    isTemplateOpen = (token.type === "NoSubstitutionTemplate" || token.type === "TemplateTail") && !token.closed;
  }
  return depth > 0 || isTemplateOpen;
}
