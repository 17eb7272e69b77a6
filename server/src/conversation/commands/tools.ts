/** `/tools`: what the agent can call, by how safe it is. */
import type { SafetyLevel } from "../../protocol/shapes.ts";
import type { SlashCommand } from "./command.ts";

const LEVELS: Readonly<Record<SafetyLevel, string>> = {
  safe: "Only look",
  cautious: "Run something, or propose edits",
  dangerous: "Ask you each time",
};

export const toolsCommand: SlashCommand = {
  name: "tools",
  summary: "the tools of the agent, by how safe they are",
  run: async (_call, ports) => {
    const tools = (await ports.listTools()).filter(({ isOffered }) => isOffered !== false);
    const parts = Object.entries(LEVELS).map(([level, words]) => {
      const names = tools
        .filter(({ safety }) => safety === level)
        .map(({ name, available }) => `\`${name}\`${available ? "" : " (not available)"}`);
      return names.length === 0 ? undefined : `**${words}**: ${names.join(", ")}`;
    });
    return { answer: parts.filter((part) => part !== undefined).join("\n\n") };
  },
};
