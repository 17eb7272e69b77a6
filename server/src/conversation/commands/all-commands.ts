/** The list of slash commands, in the order of `/help`. A new command is one file and one line here. */
import type { SlashCommand } from "./command.ts";
import { compactCommand } from "./compact.ts";
import { contextCommand } from "./context.ts";
import { conversationCommands } from "./conversation-commands.ts";
import { costCommand } from "./cost.ts";
import { helpCommand } from "./help.ts";
import { modelCommands } from "./model-commands.ts";
import { planCommands } from "./plan.ts";
import { toolCommands } from "./tool-commands.ts";
import { toolsCommand } from "./tools.ts";

export const allCommands: readonly SlashCommand[] = [
  ...toolCommands,
  toolsCommand,
  contextCommand,
  compactCommand,
  ...conversationCommands,
  ...planCommands,
  ...modelCommands,
  costCommand,
  helpCommand,
];
