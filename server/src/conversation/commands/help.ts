/** `/help`: the commands, and what can be mentioned. */
import { nearestNames } from "../../base/spelling.ts";
import type { SlashCommand } from "./command.ts";

export const helpCommand: SlashCommand = {
  name: "help",
  takes: "[COMMAND]",
  summary: "this list",
  run: async ({ rest }, ports) => {
    const commands = await ports.allCommands();
    const wanted = rest.replace(/^\//, "");
    const shown = wanted === "" ? commands : commands.filter(({ name }) => name === wanted);
    if (shown.length === 0) throw new Error(unknownCommand(wanted, commands));
    const lines = shown.map(
      ({ name, takes, summary }) => `- \`/${takes === undefined ? name : `${name} ${takes}`}\` ${summary}`,
    );
    if (wanted !== "") return { answer: lines.join("\n") };
    const broken = (await ports.brokenPrompts()).map((why) => `- ${why}`);
    return { answer: [...lines, "", MENTIONS, ...(broken.length === 0 ? [] : ["", ...broken])].join("\n") };
  },
};

const MENTIONS =
  "No model reads a command or its answer. In any other prompt `@src/file.ts`, `@src/file.ts:12-20`, `@folder/`, `@diff`, `@buffer:NAME`, `#Symbol` and `$7` go along with what they name.";

/** A sentence with the nearest name. */
export function unknownCommand(name: string, commands: readonly { readonly name: string }[]): string {
  const [near] = nearestNames(
    name,
    commands.map((each) => each.name),
    1,
  );
  const hint = near === undefined ? "/help lists them." : `Did you mean /${near}? /help lists all.`;
  return `There is no command /${name}. ${hint} To say it to the agent, begin with another word.`;
}
