/** Reads a skill: how the person, or a project that they trust, wants something done. */
import { shortened } from "../../base/cut-text.ts";
import { defineTool, ToolFailure, type Tool } from "../tool.ts";

export type SkillText = { readonly text: string } | { readonly reason: string };

export interface Skill {
  readonly name: string;
  /** When the skill is to be read, in one line. */
  readonly about: string;
  readonly text: string;
  /** A file of the skill's folder; `reason` is the end of a sentence. */
  readonly read: (inside: string) => Promise<SkillText>;
}

/** Of each in the description, which goes with every request, and of all. */
const MAX_ABOUT = 300;
const MAX_ALL = 4_000;

export function createUseSkill(known: () => readonly Skill[]): Tool {
  return defineTool({
    name: "use_skill",
    description: () =>
      `How the person wants some things done. Read the one that fits before you begin:\n${listOf(known())}`,
    input: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1 },
        file: { type: "string", minLength: 1, description: "A file that the skill's text names." },
      },
      required: ["name"],
      additionalProperties: false,
    },
    told: { name: { type: "string" }, file: { type: "string", description: "That the skill's text names." } },
    categories: ["filesystem"],
    unavailable: () =>
      known().length === 0 ? "there is no skill, neither of the person's nor a trusted one of the project" : undefined,
    run: async ({ name, file }) => {
      const skill = known().find((each) => each.name === name);
      if (skill === undefined) throw new ToolFailure(`There is no skill ${name}. The skills:\n${listOf(known())}`);
      if (file === undefined) return skill.text;
      const found = await skill.read(file);
      if ("reason" in found) throw new ToolFailure(`NOT READ: ${found.reason}.`);
      return found.text;
    },
  });
}

function listOf(skills: readonly Skill[]): string {
  const lines = skills.map(({ name, about }) => `- ${name}: ${shortened(about, MAX_ABOUT)}`);
  const told: string[] = [];
  let left = MAX_ALL;
  for (const line of lines) if ((left -= line.length) >= 0) told.push(line);
  const more = lines.length - told.length;
  return [...told, ...(more === 0 ? [] : [`- and ${more} more, which the person names`])].join("\n");
}
