/** What tools answered in a request to the scripted model. */
import { blocksOf, textOf, type RequestBody } from "../../examples/demo/model/request-body.ts";

/** The results of all calls so far, as the model reads them. */
export function modelWords(request: RequestBody | undefined): string {
  const results = (request?.messages ?? []).flatMap(blocksOf).filter(({ type }) => type === "tool_result");
  return results.map((block) => textOf(block["content"])).join("\n");
}
