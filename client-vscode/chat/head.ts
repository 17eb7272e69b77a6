/** The line about the conversation: what goes on, who answers, how full the context is, what that costs, and why nothing can be asked. */
import { given } from "../../server/src/base/given.ts";
import type { Status } from "../../server/src/protocol/status.ts";
import type { ConversationState } from "./conversation-state.ts";
import type { Banner, Head } from "./page-messages.ts";

export type ServerState = "runs" | "starts" | "is gone";

export function headOf(shown: ConversationState, status: Status | undefined, server: ServerState): Head {
  const { turn, cost, context } = shown;
  const state = turn === undefined ? "idle" : shown.isWaiting() ? "waiting" : "working";
  return {
    state,
    isPlanning: shown.mode === "plan",
    ...given({
      since: turn?.since,
      model: shown.model ?? status?.model.model,
      context,
      cost: cost === undefined || cost === 0 ? undefined : `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`,
      banner: bannerOf(status, server),
    }),
  };
}

function bannerOf(status: Status | undefined, server: ServerState): Banner | undefined {
  if (server === "starts") return { text: "Agent-Q's server starts …", buttons: [] };
  if (server === "is gone")
    return {
      text: "Agent-Q's server does not run.",
      buttons: [
        { label: "Start", command: "agentq.start" },
        { label: "Get Started", command: "agentq.walkthrough" },
        { label: "Show the Log", command: "agentq.showLog" },
      ],
    };
  if (status === undefined || status.model.ready) return undefined;
  return {
    text: status.model.reason ?? "No model is configured.",
    buttons: [
      { label: "Set the Key", command: "agentq.setKey" },
      { label: "Open Settings", command: "agentq.openSettings" },
    ],
  };
}
