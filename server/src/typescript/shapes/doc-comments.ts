/** What a declaration's JSDoc says, in short: its first sentence, its parameters, what it returns. */
import {
  getJSDocTags,
  isExpressionStatement,
  isSourceFile,
  isVariableDeclaration,
  SyntaxKind,
  type JSDoc,
  type JSDocComment,
  type JSDocParameterTag,
  type Node,
} from "typescript/unstable/ast";
import { assignedName } from "../names/javascript/assigned-names.ts";

export interface Words {
  readonly documentation: string;
  readonly tags: readonly { readonly name: string; readonly text: string }[];
}

export interface DocComment {
  /** The first sentence or paragraph of the comment; "" without one. */
  readonly summary: string;
  /** By parameter name; `options.depth` for a property of one. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly returns: string;
  /** The reason given, "" for a bare tag, undefined when it is not deprecated. */
  readonly deprecated: string | undefined;
}

export function docComment(declaration: Node): DocComment {
  const parameters = new Map<string, string>();
  let returns = "";
  let deprecated: string | undefined;
  for (const tag of getJSDocTags(declaration)) {
    const text = short(commentText(tag.comment));
    if (tag.kind === SyntaxKind.JSDocParameterTag) {
      const name = (tag as JSDocParameterTag).name.getText();
      if (text !== "" && !parameters.has(name)) parameters.set(name, text);
    } else if (tag.kind === SyntaxKind.JSDocReturnTag) returns ||= text;
    else if (tag.kind === SyntaxKind.JSDocDeprecatedTag) deprecated ??= text;
  }
  return { summary: docSummary(declaration), parameters, returns, deprecated };
}

/** The whole comment that comes before a declaration, and its tags as they are written. */
export function wholeComment(declaration: Node): Words {
  const comment = commentNodes(declaration).at(-1);
  const tags = getJSDocTags(declaration).map((tag) => {
    const subject = tag.kind === SyntaxKind.JSDocParameterTag ? `${(tag as JSDocParameterTag).name.getText()} ` : "";
    return { name: tag.tagName.text, text: `${subject}${commentText(tag.comment).trim()}`.trim() };
  });
  return { documentation: commentText(comment?.comment).trim(), tags };
}

/** The first sentence of the comment that comes before a declaration. */
export function docSummary(declaration: Node): string {
  const comment = commentNodes(declaration).at(-1);
  const [paragraph = ""] = commentText(comment?.comment)
    .trim()
    .split(/\n\s*\n/);
  const text = short(paragraph);
  // A link alone says nothing that is read here.
  if (/^\[[^\]]*\]\([^)]*\)$/.test(text)) return "";
  return /^.*?[.!?](?= [A-Z`"(]|$)/.exec(text)?.[0] ?? text;
}

/** The text with its links as they are written. `getTextOfJSDocComment` of 7.0.2 throws on `{@link Outer#member}`. */
export function commentText(comment: string | readonly JSDocComment[] | undefined): string {
  if (comment === undefined || typeof comment === "string") return comment ?? "";
  const parts = comment.map((part) =>
    part.kind === SyntaxKind.JSDocText ? part.text : part.getText().replace(/\s*\n\s*\*?\s*/g, " "),
  );
  return parts.join("");
}

/** A variable's comment comes before its statement; a function's that is a value, before the variable. */
function commentNodes(declaration: Node): readonly JSDoc[] {
  if (assignedName(declaration) !== undefined) {
    let at = declaration;
    while (at.parent !== undefined && !isExpressionStatement(at)) at = at.parent;
    return (at.jsDoc ?? []) as readonly JSDoc[];
  }
  for (let at: Node | undefined = declaration; at !== undefined && !isSourceFile(at); at = at.parent) {
    if (at.jsDoc !== undefined && at.jsDoc.length > 0) return at.jsDoc as readonly JSDoc[];
    const parent: Node | undefined = at.parent;
    if (parent === undefined) return [];
    const value = (parent as { readonly initializer?: Node }).initializer;
    const goesUp =
      value === at ||
      isVariableDeclaration(at) ||
      at.kind === SyntaxKind.VariableDeclarationList ||
      at.kind === SyntaxKind.ParenthesizedExpression;
    if (!goesUp) return [];
  }
  return [];
}

function short(text: string): string {
  return text
    .replace(/^\s*-\s+/, "")
    .replace(/\s+/g, " ")
    .trim();
}
