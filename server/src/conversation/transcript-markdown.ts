/** A conversation as Markdown that somebody can read who was not there. Pure. */
import type { SessionInfo, TranscriptItem } from "../protocol/session-shapes.ts";
import type { ToolResult } from "../protocol/tool-shapes.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import { plural } from "../base/plural.ts";

const ENDS: Readonly<Record<string, string>> = {
  cancelled: "The person cancelled the turn.",
  stopped: "The person stopped the turn.",
  maxTokens: "The reply reached its length limit.",
  maxRounds: "The turn used all of its model requests.",
  refusal: "The model refused to answer.",
  error: "The turn failed.",
  cut: "The turn was cut off.",
};

/** The head of the page; `partMarkdown` writes what follows. */
export function headMarkdown({ name, createdAt, usedAt, turns }: SessionInfo): string {
  const number = plural(turns, "message");
  const days = [createdAt, usedAt].map((at) => at.slice(0, 10));
  const when = days[0] === days[1] ? `on ${days[0]}` : `from ${days[0]} to ${days[1]}`;
  return `# ${name.replaceAll(/\s+/g, " ")}\n\nA conversation with Agent-Q, a coding agent, ${when}: ${number} of the person's, and what the agent did.\n`;
}

export function partMarkdown(items: readonly TranscriptItem[]): string {
  const called: Called = new Map();
  return items.map(({ event, at }) => eventMarkdown(event, at, called)).join("");
}

/** Calls without a result so far, by their ids. */
type Called = Map<string, { readonly name: string; readonly args: string }>;

function eventMarkdown(event: TurnEvent, at: string, called: Called): string {
  switch (event.kind) {
    case "turnStarted":
      return `\n## Person, ${at.slice(0, 16).replace("T", " ")} UTC\n\n${quoted(event.text)}\n\n### Agent-Q\n`;
    case "queuedPrompt":
      return `\n### Person, meanwhile\n\n${quoted(event.text)}\n\n### Agent-Q\n`;
    case "text":
    case "commandAnswer":
      return `\n${event.text.trim()}\n`;
    case "thinking":
      return folded("Thinking", event.text.trim());
    case "toolCall":
      // A call is told with its result, or at the end of the turn when none came.
      if (event.arguments !== undefined && event.state !== "done") {
        called.set(event.toolCallId, { name: event.name, args: JSON.stringify(event.arguments, null, 2) });
      }
      return "";
    case "toolResult": {
      const args = called.get(event.toolCallId)?.args ?? "{}";
      called.delete(event.toolCallId);
      return folded(
        titleOf(event.name, event.result),
        `${argumentsOf(args)}Answer:\n\n${fenced(answerOf(event.result))}`,
      );
    }
    case "retrying":
      return `\n*The reply was cut (${event.reason}) and asked for again.*\n`;
    case "notice":
      return `\n*${event.message.trim()}*\n`;
    case "turnEnded":
      return endMarkdown(event, called);
    case "compacted":
      return `\n*${event.message}*\n${event.summary === undefined ? "" : folded("The summary", event.summary)}`;
    case "compactionUndone":
      return "\n*The last compaction was taken back.*\n";
    case "modeChanged":
    case "usage":
      return "";
  }
}

function endMarkdown({ reason, message }: Extract<TurnEvent, { kind: "turnEnded" }>, called: Called): string {
  const words = [ENDS[reason], message].filter((each) => each !== undefined);
  const open = [...called.values()].map(({ name, args }) =>
    folded(`Tool ${name}, which came to no end`, argumentsOf(args).trimEnd()),
  );
  return `${open.join("")}${words.length === 0 ? "" : `\n*${words.join(" ")}*\n`}`;
}

function titleOf(name: string, { success }: ToolResult): string {
  return success ? `Tool ${name}` : `Tool ${name}, which failed`;
}

function argumentsOf(args: string): string {
  return args === "{}" ? "" : `Arguments:\n\n${fenced(args, "json")}\n\n`;
}

function answerOf({ success, content, error = "failed" }: ToolResult): string {
  return success ? content : error;
}

function quoted(text: string): string {
  return text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

function folded(title: string, body: string): string {
  return `\n<details>\n<summary>${title}</summary>\n${body === "" ? "" : `\n${body}\n`}\n</details>\n`;
}

/** The fence is longer than any in the text. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}
