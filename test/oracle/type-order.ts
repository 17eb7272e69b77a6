/** A signature with everything whose order means nothing put in one order. */
import ts from "@typescript/typescript6";

/** Parts of unions and intersections and properties sorted; `| undefined` of what is optional left out. */
export function inOrder(signature: string): string {
  const [, kind = "", type = ""] = /^(call|construct) ([^]*)$/.exec(signature) ?? [];
  const text = `type Signature = ${kind === "construct" ? "new " : ""}${type};`;
  const source = ts.createSourceFile("signature.ts", text, ts.ScriptTarget.Latest, true);
  return `${kind} ${textOf(source, source)}`;
}

function textOf(node: ts.Node, source: ts.SourceFile): string {
  if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node)) {
    const parts = node.types.filter((part) => !isNeedless(part)).map((part) => textOf(part, source));
    return parts.toSorted().join(ts.isUnionTypeNode(node) ? " | " : " & ");
  }
  if (ts.isTypeLiteralNode(node)) {
    const members = node.members.map((member) => textOf(member, source).replace(/\s*[;,]$/, ""));
    return `{ ${members.toSorted().join("; ")} }`;
  }
  if (ts.isParenthesizedTypeNode(node)) return textOf(node.type, source);
  const children = node.getChildren(source);
  return children.length === 0 ? node.getText(source) : children.map((child) => textOf(child, source)).join(" ");
}

function isNeedless(part: ts.TypeNode): boolean {
  if (part.kind !== ts.SyntaxKind.UndefinedKeyword) return false;
  const holder = part.parent.parent as { readonly questionToken?: ts.Node };
  return holder.questionToken !== undefined;
}
