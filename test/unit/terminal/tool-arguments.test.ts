/** The arguments of `agentq tool`, as words of a command line. */
import { expect, it } from "vitest";
import type { ToolInfo } from "../../../server/src/protocol/tool-shapes.ts";
import { argumentsOf } from "../../../server/src/terminal/tool.ts";

const tool: ToolInfo = {
  name: "describe_symbol",
  categories: ["introspection"],
  description: "What a symbol is.",
  safety: "safe",
  available: true,
  inputSchema: {
    type: "object",
    properties: { symbol: { type: "string" }, limit: { type: "integer" } },
    additionalProperties: false,
  },
};

it("are texts and JSON, by the types of the parameters", () => {
  expect(argumentsOf(tool, ["symbol=a=b", "limit=1"])).toEqual({ symbol: "a=b", limit: 1 });
});

it.each([
  ["allocate", '"allocate" is not of the form key=value'],
  ["simbol=allocate", 'no parameter "simbol"'],
  ["limit=many", "limit takes JSON of the type integer"],
])("are refused with a reason: %s", (pair, reason) => {
  expect(() => argumentsOf(tool, [pair])).toThrow(reason);
});
