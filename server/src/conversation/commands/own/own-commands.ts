/** Slash commands that people write themselves: a Markdown file is a prompt, read anew each time. */
import type { SlashCommand } from "../command.ts";
import { filledIn, readPrompt, type Prompt, type PromptFile } from "./prompt-file.ts";
import type { PromptTrust } from "./prompt-trust.ts";

export interface OwnCommandPorts {
  /** Those of the person first. Contract: never rejects. */
  readonly promptFiles: () => Promise<readonly PromptFile[]>;
  readonly promptTrust: PromptTrust;
}

export interface OwnCommands {
  readonly commands: readonly SlashCommand[];
  /** Files that are no command: a sentence for each, by the name that the command would have. */
  readonly broken: readonly { readonly name: string; readonly why: string }[];
}

const NAME = /^[A-Za-z][\w-]{0,49}$/;
const OF = { person: "yours", repository: "of the project" } as const;

export async function ownCommands(
  { promptFiles, promptTrust }: OwnCommandPorts,
  builtIn: readonly Pick<SlashCommand, "name">[],
): Promise<OwnCommands> {
  const commands: SlashCommand[] = [];
  const broken: { name: string; why: string }[] = [];
  const taken = new Map(builtIn.map(({ name }) => [name, "is the name of a command that is built in"]));
  for (const file of await promptFiles()) {
    if (file.from === "repository" && promptTrust.isOff()) continue;
    const name = file.name.toLowerCase();
    // Who brings many skills along knows that some have a name of ours.
    if (file.isSkill === true && taken.has(name)) continue;
    const prompt = NAME.test(file.name) ? whyTaken(taken.get(name), file) : wrongName(file);
    if ("reason" in prompt) {
      broken.push({ name: file.name, why: `${file.path} ${prompt.reason}.` });
      continue;
    }
    taken.set(name, `is the name of the command in ${file.path}`);
    commands.push(commandOf(file, prompt, promptTrust));
  }
  return { commands, broken };
}

function wrongName({ name }: PromptFile): { readonly reason: string } {
  return { reason: `is no command: ${JSON.stringify(name)} is no name of letters, digits, _ and -` };
}

type Readable = Prompt & { readonly sha256: string };

function whyTaken(taken: string | undefined, { name, content }: PromptFile): Readable | { readonly reason: string } {
  if (taken !== undefined) return { reason: `is no command: /${name} ${taken}` };
  if ("reason" in content) return content;
  const prompt = readPrompt(content.text);
  return "reason" in prompt ? prompt : { ...prompt, sha256: content.sha256 };
}

function commandOf(file: PromptFile, prompt: Readable, trust: PromptTrust): SlashCommand {
  const { name, from, absolute, path } = file;
  const { body, description, takes, sha256 } = prompt;
  return {
    name,
    ...(takes === undefined ? {} : { takes }),
    summary: `${description} (${OF[from]})`,
    run: async ({ rest, sessionId, signal }) => {
      const asked = { absolute, path, sha256, body };
      const why = from === "person" ? undefined : await trust.whyNot(asked, sessionId ?? "", signal);
      if (why !== undefined) return { answer: why, failed: true };
      // The text of a skill may speak of $1, and has no places for words.
      return { prompt: file.isSkill === true ? [body, rest].join("\n\n").trim() : filledIn(prompt, rest) };
    },
  };
}
