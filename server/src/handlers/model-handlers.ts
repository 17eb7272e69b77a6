/** Requests about models. */
import type { RequestHandlers } from "./requests.ts";
import type { Services } from "../services.ts";

export function modelHandlers({
  modelChoices,
}: Services): Pick<RequestHandlers, "agentq/listModels" | "agentq/chooseModel"> {
  return {
    "agentq/listModels": (params, signal) => modelChoices.list(params, signal),
    "agentq/chooseModel": (params) => modelChoices.choose(params),
  };
}
