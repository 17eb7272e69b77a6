/** Whose forms those of a tool are: the person may call tools too. */
import type { ToolContext } from "../tool.ts";

export type FormAuthor = "agent" | "person";

export function authorOf(caller: ToolContext["caller"]): FormAuthor {
  return caller === "person" ? "person" : "agent";
}
