/** The places where a module may wait before it is loaded. */
import { parseSync } from "../../base/parser.ts";
import { positionAt } from "./source-position.ts";
import { walk } from "../../base/syntax-walk.ts";

/** The lines with an `await` outside of functions, counted from 1; none when the text does not parse. */
export function topLevelAwaits(path: string, text: string): readonly number[] {
  const { program } = parseSync(path, text);
  const lines = new Set<number>();
  for (const statement of program.body) {
    walk(statement, (node) => {
      if (/Function/.test(node.type)) return false;
      const waits =
        node.type === "AwaitExpression" ||
        (node.type === "ForOfStatement" && node.await) ||
        (node.type === "VariableDeclaration" && node.kind === "await using");
      if (waits) lines.add(positionAt(text, node.start).line + 1);
      return true;
    });
  }
  return [...lines];
}
