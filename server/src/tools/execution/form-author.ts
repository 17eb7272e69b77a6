/** Whose forms those of a tool are: the person may call tools too. */
import type { EvaluateRequest } from "../../repl/image.ts";
import type { ToolContext } from "../tool.ts";

export type FormAuthor = EvaluateRequest["by"];

export function authorOf(caller: ToolContext["caller"]): FormAuthor {
  return caller === "person" ? "person" : "agent";
}
