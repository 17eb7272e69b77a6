/** Requests about MCP servers. */
import { InvalidParamsError } from "../base/errors.ts";
import type { RequestHandlers } from "./requests.ts";
import type { Services } from "../services.ts";

export function mcpHandlers({ tools }: Services): Pick<RequestHandlers, "agentq/restartMcpServer"> {
  return {
    "agentq/restartMcpServer": async ({ name }) => {
      const { restartMcp } = await tools();
      if (restartMcp !== undefined) return restartMcp(name);
      const expected = "an MCP server that the settings name, and they name none";
      throw new InvalidParamsError([{ path: "/name", expected, received: name }]);
    },
  };
}
