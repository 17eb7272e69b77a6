/**
 * The completion value of a control statement, as `eval` would give it: the value of the expression statement that ran
 * last inside of it. Every such statement becomes an assignment; a statement that could leave none begins with undefined.
 */
import type MagicString from "magic-string";
import type { SyntaxNode } from "../source/syntax.ts";

export const COMPLETION = "__agentq$v";

const CONTROL = /^(?:If|For|ForIn|ForOf|While|DoWhile|Switch|Try)Statement$/;

export function hasCompletion({ type }: SyntaxNode): boolean {
  return CONTROL.test(type) || type === "BlockStatement" || type === "LabeledStatement";
}

export function trackCompletion(edited: MagicString, statement: SyntaxNode): void {
  track(edited, statement, false);
}

function track(edited: MagicString, node: SyntaxNode, resets: boolean): void {
  if (node.type === "ExpressionStatement") {
    const expression = node["expression"] as SyntaxNode;
    edited.appendRight(node.start, `${COMPLETION} = (`);
    if (expression.end < node.end) edited.overwrite(expression.end, node.end, ");");
    else edited.appendLeft(node.end, ");");
    return;
  }
  const isWrapped = resets && (CONTROL.test(node.type) || node.type === "LabeledStatement");
  if (isWrapped) edited.appendRight(node.start, `{${COMPLETION} = undefined;`);
  for (const inner of statementsOf(node)) track(edited, inner, node.type !== "LabeledStatement");
  // After what is inside: the innermost closes first.
  if (isWrapped) edited.appendLeft(node.end, "}");
}

/** What `finally` does changes nothing. */
function statementsOf(node: SyntaxNode): readonly SyntaxNode[] {
  switch (node.type) {
    case "BlockStatement":
      return node["body"] as readonly SyntaxNode[];
    case "IfStatement":
      return [node["consequent"], node["alternate"]].filter((part) => part !== null) as SyntaxNode[];
    case "SwitchStatement":
      return (node["cases"] as readonly SyntaxNode[]).flatMap((each) => each["consequent"] as readonly SyntaxNode[]);
    case "TryStatement": {
      const handler = node["handler"] as SyntaxNode | null;
      return [node["block"] as SyntaxNode, ...(handler === null ? [] : [handler["body"] as SyntaxNode])];
    }
    default: {
      const body = node["body"] as SyntaxNode | undefined;
      return /^(?:For|While|DoWhile|Labeled)/.test(node.type) && body !== undefined ? [body] : [];
    }
  }
}
