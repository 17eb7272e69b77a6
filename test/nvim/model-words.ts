/** What the model was told, read from the requests that the scripted model recorded. */
import { blocksOf, textOf, type RequestBody } from "../../examples/demo/model/request-body.ts";

/** The results of a tool that the latest request carries, in their order. */
export function toolResults(requests: readonly RequestBody[], tool: string): string[] {
  const blocks = (requests.at(-1)?.messages ?? []).flatMap(blocksOf);
  const ids = new Set(blocks.filter((block) => block["name"] === tool).map((block) => block["id"]));
  const results = blocks.filter((block) => block.type === "tool_result" && ids.has(block["tool_use_id"]));
  return results.map((block) => textOf(block["content"]));
}

/** The latest result of a tool that any request carries; "" when there is none. */
export function lastToolResult(requests: readonly RequestBody[], tool: string): string {
  return toolResults(requests, tool).at(-1) ?? "";
}
