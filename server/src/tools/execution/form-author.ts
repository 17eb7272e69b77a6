/** Whose form a tool evaluates: the person may call tools too. */
import type { EvaluateRequest } from "../../repl/image.ts";
import type { ToolContext } from "../tool.ts";

export function authorOf(caller: ToolContext["caller"]): EvaluateRequest["by"] {
  return caller === "person" ? "person" : "agent";
}
