/** Who looks on while tools run. */
import type { ToolCall, ToolResult } from "../../protocol/tool-shapes.ts";
import type { Tool } from "../tool.ts";

/**
 * Contract: `before` sees every run, then `after` one that succeeded or `error` one that failed; `refused` sees a call of
 * a known tool that did not run. A throw is ignored.
 */
export interface ToolHook {
  readonly before?: (call: ToolCall, tool: Tool, caller: HookedCaller) => void;
  readonly after?: (call: ToolCall, tool: Tool, result: ToolResult) => void;
  readonly error?: (call: ToolCall, tool: Tool, error: unknown, result: ToolResult) => void;
  readonly refused?: (call: ToolCall, tool: Tool, why: Refusal, caller: HookedCaller) => void;
}

export interface HookedCaller {
  /** The conversation that the call belongs to. */
  readonly sessionId?: string;
}

export type Refusal = "denied" | "invalid" | "unavailable";
