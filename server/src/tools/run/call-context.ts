/** What a call brings along from its caller, and what its tool gets of that. */
import { given } from "../../base/given.ts";
import type { ToolCall } from "../../protocol/tool-shapes.ts";
import type { Tool, ToolContext } from "../tool.ts";
import type { CallRecord } from "./call-record.ts";

export interface CallContext {
  readonly sessionId?: string;
  readonly caller: "model" | "person";
  readonly signal: AbortSignal;
  /** Why the caller's arguments could not be taken at all, as a sentence: the call is refused with it. */
  readonly unusable?: string;
  /** Called when the call starts to wait for a person. */
  readonly onWaiting?: () => void;
  /** Called when the person has approved the call, which then goes on. */
  readonly onApproved?: () => void;
  /** As `ToolContext.stopped`. */
  readonly stopped?: AbortSignal;
  /** As `ToolContext.untilEarlier`. */
  readonly untilEarlier?: ToolContext["untilEarlier"];
  /** Runs in place of the tool, where another server judges the call, asks the person and sets the deadline. */
  readonly elsewhere?: Tool["run"];
  /** Called with what the call reads for its answer, as `ToolContext.onRead`. */
  readonly onRead?: ToolContext["onRead"];
}

export function toolContext(
  call: ToolCall,
  { caller, sessionId, stopped, onWaiting, untilEarlier, onRead }: CallContext,
  record: CallRecord,
  signal: AbortSignal,
): ToolContext {
  return {
    callId: call.id,
    caller,
    signal,
    ...given({ sessionId, stopped, untilEarlier }),
    onWaiting: () => {
      record.waits();
      onWaiting?.();
    },
    onReviewed: (hunks) => record.reviewed(hunks),
    onRead: (read) => {
      record.reads.set(read.uri, read.sha256);
      onRead?.(read);
    },
  };
}
