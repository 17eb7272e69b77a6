import { expect, it } from "vitest";
import { asData } from "../../../server/src/doors/mcp/as-data.ts";
import type { ToolResult } from "../../../server/src/protocol/tool-shapes.ts";

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
const [inside, outside] = ["file:///shop/src/cart.ts", "file:///home/me/diary.ts"];
const mayTell = (uri: string): boolean => uri.startsWith("file:///shop/");

function result(more: Partial<ToolResult>): ToolResult {
  const metadata = { executionTimeMs: 1, safetyLevel: "safe", complete: true } as const;
  return { id: "1", success: true, content: "text", metadata, ...more };
}

it("tells no place and no error of a file that no model may hear of, and that something is left out", () => {
  const places = [inside, outside].map((uri) => ({ uri, range, text: "total()" }));
  expect(asData("who_calls", result({ places }), mayTell)).toEqual({ complete: false, places: [places[0]] });
  const diagnostics = [
    { uri: outside, range, severity: "error" as const, message: "no" },
    { severity: "error" as const, message: "of the project" },
  ];
  const told = { complete: false, diagnostics: [diagnostics[1]] };
  expect(asData("get_diagnostics", result({ diagnostics }), mayTell)).toEqual(told);
  expect(asData("who_calls", result({ places: places.slice(0, 1) }), mayTell)).toMatchObject({ complete: true });
});

it("has nothing of a call that failed, and of a tool without a schema", () => {
  expect(asData("who_calls", { ...result({}), success: false }, mayTell)).toBeUndefined();
  expect(asData("toString", result({}), mayTell)).toBeUndefined();
});
