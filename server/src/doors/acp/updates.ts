/** Events of a turn as ACP's session updates, live and when a conversation is replayed. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  ClientCapabilities,
  SessionUpdate,
  StopReason,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
} from "@agentclientprotocol/sdk";
import { given } from "../../base/given.ts";
import type { ToolInfo } from "../../protocol/tool-shapes.ts";
import type { TurnEndReason, TurnEvent } from "../../protocol/turn-shapes.ts";
import { showHidden } from "../../workspace/hidden-characters.ts";

type Arguments = Readonly<Record<string, unknown>>;
type Called = Extract<TurnEvent, { readonly kind: "toolCall" }>;
type Answered = Extract<TurnEvent, { readonly kind: "toolResult" }>;

export interface UpdateParts {
  /** Where relative paths begin. */
  readonly folder: string;
  readonly kindOf: (tool: string) => ToolKind;
  readonly capabilities: ClientCapabilities;
}

const TITLE_LENGTH = 100;

export class Updates {
  readonly #parts: UpdateParts;
  readonly #known = new Set<string>();
  /** What was decided about in a call: it stays to be seen beside the call's result. */
  readonly #diffs = new Map<string, ToolCallContent[]>();

  constructor(parts: UpdateParts) {
    this.#parts = parts;
  }

  keepDiff(toolCallId: string, diff: readonly ToolCallContent[]): void {
    this.#diffs.set(toolCallId, [...(this.#diffs.get(toolCallId) ?? []), ...diff]);
  }

  /** A client shows by itself what the person says; in a conversation from before it has to be told. */
  of(event: TurnEvent, isReplayed = false): SessionUpdate[] {
    switch (event.kind) {
      case "turnStarted":
      case "queuedPrompt":
        return isReplayed ? [{ sessionUpdate: "user_message_chunk", content: textBlock(event.text) }] : [];
      case "text":
      case "commandAnswer":
        return [{ sessionUpdate: "agent_message_chunk", content: textBlock(event.text) }];
      case "thinking":
        return [{ sessionUpdate: "agent_thought_chunk", content: textBlock(event.text) }];
      case "toolCall":
        return this.#called(event);
      case "toolResult":
        return this.#answered(event);
      case "usage":
        return usageOf(event);
      case "notice":
        return this.#notice(event.level, event.message);
      case "compacted":
        return this.#notice("info", event.message);
      case "retrying":
        return this.#notice("warning", `${event.reason}: trying again in ${(event.waitMs / 1000).toFixed(1)} s`);
      case "modeChanged":
        return [{ sessionUpdate: "current_mode_update", currentModeId: event.mode }];
      case "compactionUndone":
      case "turnEnded":
        return [];
    }
  }

  #called({ toolCallId, name, state, arguments: args }: Called): SessionUpdate[] {
    if (args === undefined) return [];
    const status = state === "running" || state === "done" ? "in_progress" : "pending";
    if (this.#known.has(toolCallId)) return [{ sessionUpdate: "tool_call_update", toolCallId, status }];
    this.#known.add(toolCallId);
    const { folder, kindOf } = this.#parts;
    const about = { title: titleOf(name, args), name, kind: kindOf(name), rawInput: args };
    return [{ sessionUpdate: "tool_call", toolCallId, status, ...about, locations: locationsIn(args, folder) }];
  }

  #answered({ toolCallId, result: { success, content, error = "" } }: Answered): SessionUpdate[] {
    const words = { type: "content", content: textBlock(fenced(success ? content : error)) } as const;
    const diffs = this.#diffs.get(toolCallId) ?? [];
    this.#diffs.delete(toolCallId);
    const status = success ? "completed" : "failed";
    return [{ sessionUpdate: "tool_call_update", toolCallId, status, content: [...diffs, words] }];
  }

  /** To a client that shows no notices the agent says them. */
  #notice(severity: string, message: string): SessionUpdate[] {
    if (this.#parts.capabilities.session?.notices) return [{ sessionUpdate: "notice", severity, title: message }];
    return [{ sessionUpdate: "agent_message_chunk", content: textBlock(`\n\n*${message}*\n\n`) }];
  }
}

/** How full the context is; nothing where nobody knows how large it is, or the request was not the conversation's own. */
function usageOf(event: Extract<TurnEvent, { readonly kind: "usage" }>): SessionUpdate[] {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, contextWindow, sessionCost } = event;
  if (contextWindow === undefined || event.purpose !== undefined) return [];
  const used = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  const cost = sessionCost === undefined ? undefined : { amount: sessionCost, currency: "USD" };
  return [{ sessionUpdate: "usage_update", used, size: contextWindow, ...given({ cost }) }];
}

export function textBlock(text: string): { type: "text"; text: string } {
  return { type: "text", text };
}

/** Undefined for an end that is an error. */
export function stopReasonOf(reason: TurnEndReason): StopReason | undefined {
  switch (reason) {
    case "endTurn":
    case "stopped":
      return "end_turn";
    case "maxTokens":
      return "max_tokens";
    case "maxRounds":
      return "max_turn_requests";
    case "cancelled":
    case "refusal":
      return reason;
    case "budget":
    case "error":
    case "cut":
      return undefined;
  }
}

export function toolKindOf({ name, safety, categories }: ToolInfo): ToolKind {
  if (categories.includes("execution")) return "execute";
  if (categories.includes("edit")) return "edit";
  if (categories.includes("xref") || name.startsWith("search")) return "search";
  return safety === "safe" ? "read" : "other";
}

export function titleOf(name: string, args: Arguments): string {
  const words = Object.values(args).filter((value) => typeof value === "string" || typeof value === "number");
  const about = showHidden(words.join(", ").replaceAll(/\s+/g, " ")).replaceAll("`", "'");
  const shown = about.length > TITLE_LENGTH ? `${about.slice(0, TITLE_LENGTH)}…` : about;
  return shown === "" ? name : `${name}: ${shown}`;
}

/** The files that a call names, by path or by an address such as `src/cart.ts#Cart`. */
function locationsIn(args: Arguments, folder: string): ToolCallLocation[] {
  const edits: unknown[] = Array.isArray(args["edits"]) ? args["edits"] : [];
  const paths = [args, ...edits].flatMap((each) => {
    const { path, symbol, line } = (each ?? {}) as Arguments;
    const [file, fragment] = typeof symbol === "string" ? symbol.split("#") : [];
    const found = typeof path === "string" ? path : fragment === undefined ? undefined : file;
    if (found === undefined || found === "") return [];
    const absolute = found.startsWith("file:") ? fileURLToPath(found) : resolve(folder, found);
    return [{ path: absolute, ...(typeof line === "number" && line > 0 ? { line } : {}) }];
  });
  return [...new Map(paths.map((each) => [each.path, each])).values()];
}

/** Clients show Markdown: what a tool says is no Markdown. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${showHidden(text)}\n${fence}`;
}
