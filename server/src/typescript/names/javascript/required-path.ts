/** The file that a relative path in `require("./a")` names. The compiler tells it only where a variable holds the module. */
import { dirname, join, resolve } from "node:path";
import { isStringLiteral, type Node } from "typescript/unstable/ast";

const ENDINGS = ["", ".js", ".cjs", ".jsx"];

export function isPathOf(path: Node, file: string): boolean {
  if (!isStringLiteral(path) || !path.text.startsWith(".")) return false;
  const named = resolve(dirname(path.getSourceFile().fileName), path.text);
  return ENDINGS.some((ending) => named + ending === file) || join(named, "index.js") === file;
}
