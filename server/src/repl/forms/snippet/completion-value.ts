/**
 * The completion value of a control statement, as `eval` would give it: the value of the last expression statement that
 * ran inside of it. Each such expression becomes an assignment; a statement that may run none begins with undefined.
 */
import type MagicString from "magic-string";
import type { Node } from "oxc-parser";

export const COMPLETION = "__agentq$v";

const CONTROL = /^(?:If|For|ForIn|ForOf|While|DoWhile|Switch|Try)Statement$/;

export function hasCompletion({ type }: Node): boolean {
  return CONTROL.test(type) || type === "BlockStatement" || type === "LabeledStatement";
}

export function trackCompletion(edited: MagicString, statement: Node): void {
  track(edited, statement, false);
}

function track(edited: MagicString, node: Node, resets: boolean): void {
  if (node.type === "ExpressionStatement") {
    const expression = node.expression;
    edited.appendRight(node.start, `${COMPLETION} = (`);
    if (expression.end < node.end) edited.overwrite(expression.end, node.end, ");");
    else edited.appendLeft(node.end, ");");
    return;
  }
  const isWrapped = resets && (CONTROL.test(node.type) || node.type === "LabeledStatement");
  if (isWrapped) edited.appendRight(node.start, `{${COMPLETION} = undefined;`);
  for (const inner of statementsOf(node)) track(edited, inner, node.type !== "LabeledStatement");
  // Added after the parts inside, so that the innermost brace comes first.
  if (isWrapped) edited.appendLeft(node.end, "}");
}

/** `finally` is left out: it does not change the value. */
function statementsOf(node: Node): readonly Node[] {
  switch (node.type) {
    case "BlockStatement":
      return node.body;
    case "IfStatement":
      return [node.consequent, ...(node.alternate === null ? [] : [node.alternate])];
    case "SwitchStatement":
      return node.cases.flatMap((each) => each.consequent);
    case "TryStatement":
      return [node.block, ...(node.handler === null ? [] : [node.handler.body])];
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "LabeledStatement":
      return [node.body];
    default:
      return [];
  }
}
