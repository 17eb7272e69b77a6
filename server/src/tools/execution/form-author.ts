/** Whose form a tool evaluates: the person may call tools too, and the agent of another program. */
import { given } from "../../base/given.ts";
import type { EvaluateRequest } from "../../repl/image.ts";
import type { ToolContext } from "../tool.ts";

export function authorOf({ caller, host }: Pick<ToolContext, "caller" | "host">): Pick<EvaluateRequest, "by" | "host"> {
  return { by: caller === "person" ? "person" : "agent", ...given({ host }) };
}
