/** Commands whose answer is that of a tool which only looks, or which the person runs. */
import { fenced } from "../../base/fenced.ts";
import type { ToolResult } from "../../protocol/tool-shapes.ts";
import type { CommandAnswer } from "./command-outcome.ts";
import type { SlashCommand } from "./command.ts";

interface AskedTool extends Pick<SlashCommand, "name" | "takes" | "summary" | "completes"> {
  readonly tool: string;
  /** The tool's parameter that takes the words after the name. */
  readonly parameter: string;
  /** The command does without words. */
  readonly isBare?: true;
}

export function askTool({ tool, parameter, isBare, ...shown }: AskedTool): SlashCommand {
  return {
    ...shown,
    run: async ({ rest, sessionId, signal }, ports) => {
      if (rest === "" && isBare !== true) throw new Error(`/${shown.name} ${shown.takes ?? ""}: say which.`);
      const args = rest === "" ? {} : { [parameter]: rest };
      return toAnswer(await ports.callTool(tool, args, { sessionId, signal }));
    },
  };
}

/** The tool's own words, as they are. */
function toAnswer({ success, content, error = "failed", metadata }: ToolResult): CommandAnswer {
  if (!success) return { answer: error, failed: true };
  const notes = (metadata.notes ?? []).map((note) => `- ${note}`).join("\n");
  return { answer: [fenced("", content).trimStart(), notes].filter((part) => part !== "").join("\n\n") };
}
