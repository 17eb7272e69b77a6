/** Whether a place in a form, which need not be complete, is code, or inside of a string, a comment or plain text. */

export type LexicalState = { readonly kind: "code" | "comment" } | { readonly kind: "string"; readonly start: number };

/** In plain text stand quotes and slashes that open nothing: a form that may have JSX is read as that too. */
export function lexicalState(text: string): LexicalState {
  const plain = stateOf(text, false);
  if (plain.kind === "code" || !/<[\w$>]/.test(text)) return plain;
  const withJsx = stateOf(text, true);
  return withJsx.kind === "code" ? withJsx : plain;
}

/** `tag` stands between `<` and `>`, `text` between a tag and the one that closes it. */
type Mode = "code" | "template" | "tag" | "text";

function stateOf(text: string, isJsx: boolean): LexicalState {
  const modes: Mode[] = ["code"];
  for (let at = 0; at < text.length; at++) {
    const here = text[at];
    const mode = modes.at(-1) ?? "code";
    if (mode === "text") {
      if (text.startsWith("</", at)) {
        const end = text.indexOf(">", at);
        if (end === -1) return { kind: "code" };
        modes.pop();
        at = end;
      } else if (here === "<") modes.push("tag");
      else if (here === "{") modes.push("code");
      continue;
    }
    if (here === '"' || here === "'") {
      const end = closing(text, at, here);
      if (end === undefined) return { kind: "string", start: at };
      at = end;
    } else if (here === "{") modes.push("code");
    else if (mode === "tag") {
      if (text.startsWith("/>", at)) {
        modes.pop();
        at += 1;
      } else if (here === ">" && text[at - 1] !== "=") modes.splice(-1, 1, "text");
    } else if (text.startsWith("//", at)) {
      const end = text.indexOf("\n", at);
      if (end === -1) return { kind: "comment" };
      at = end;
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2);
      if (end === -1) return { kind: "comment" };
      at = end + 1;
    } else if (here === "/" && isExpressionNext(text, at)) at = patternEnd(text, at) ?? at;
    else if (isJsx && here === "<" && /[\w$>]/.test(text[at + 1] ?? "") && isExpressionNext(text, at)) {
      modes.push("tag");
    } else if (here === "`" || (here === "}" && closesTemplate(modes))) {
      const end = templateEnd(text, at);
      if (end === undefined) return { kind: "comment" };
      if (end.opens) modes.push("template", "code");
      at = end.at;
    }
  }
  return { kind: modes.at(-1) === "text" ? "comment" : "code" };
}

/** Leaves the innermost braces; true when they stood in a template. */
function closesTemplate(modes: Mode[]): boolean {
  if (modes.length > 1) modes.pop();
  if (modes.at(-1) !== "template") return false;
  modes.pop();
  return true;
}

/** After an operator, an opening bracket or a keyword comes an operand: there `/` is a pattern and `<` a tag. */
function isExpressionNext(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 200), at).trimEnd();
  return (
    before === "" ||
    /(?:[-+*/%=(,[{}!&|?:;<>~^]|\b(?:return|typeof|case|in|of|await|yield|void|delete|default|else|do))$/.test(before)
  );
}

/** Where the regular expression ends that begins there; undefined when it does not end on its line. */
function patternEnd(text: string, start: number): number | undefined {
  let isInClass = false;
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at++) {
    const here = text[at];
    if (here === "\\") at++;
    else if (here === "[") isInClass = true;
    else if (here === "]") isInClass = false;
    else if (here === "/" && !isInClass) return at;
  }
  return undefined;
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
