/**
 * The completion value of a control statement, as `eval` would give it: the value of the expression statement that ran
 * last inside of the statement. Every such expression becomes an assignment; a statement that may run none begins with
 * undefined.
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
  // After what is inside: the innermost closes first.
  if (isWrapped) edited.appendLeft(node.end, "}");
}

/** What `finally` does changes nothing. */
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
