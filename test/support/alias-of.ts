import { createAliases } from "../../server/src/tools/aliases.ts";
import type { Tool } from "../../server/src/tools/tool.ts";

/** Another name of a tool, as a tool. */
export function aliasOf(name: string, tool: Tool): Tool {
  const found = createAliases([tool]).find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} does not lead to ${tool.name}`);
  return found;
}
