/** The parameters of the requests about MCP servers, as `methods.ts` has those of all. */
export const mcpRequestParams = {
  "agentq/restartMcpServer": {
    type: "object",
    properties: { name: { type: "string" } },
    required: ["name"],
    additionalProperties: false,
  },
} as const;
