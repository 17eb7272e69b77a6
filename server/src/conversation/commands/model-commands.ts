/** `/model` and `/thinking`: what answers in the conversation from its next turn on. */
import { THINKING } from "../../protocol/model-settings.ts";
import type { ModelChoice, ModelInfo, ModelList } from "../../protocol/model-shapes.ts";
import type { SlashCommand } from "./command.ts";
import { plainLine } from "../../workspace/plain-text.ts";
import { given } from "../../base/given.ts";

const modelCommand: SlashCommand = {
  name: "model",
  takes: "[[PROFILE] MODEL]",
  summary: "the models that can answer; with a name, that one answers from the next turn on",
  run: async ({ rest, sessionId, signal }, { models }) => {
    const of = given({ sessionId });
    if (rest === "") return { answer: modelsText(await models.list(of, signal)) };
    const words = rest.split(/\s+/);
    if (words.length > 2) throw new Error("/model [[PROFILE] MODEL]");
    const [profile, model] = words.length === 2 ? words : [undefined, words[0]];
    return { answer: choiceText(await models.choose({ ...of, ...given({ profile, model }) })) };
  },
};

const thinkingCommand: SlashCommand = {
  name: "thinking",
  takes: "[HOW MUCH]",
  summary: `how much the model thinks: ${THINKING.join(", ")}`,
  run: async ({ rest, sessionId }, { models }) => {
    const thinking = THINKING.find((each) => each === rest);
    if (rest !== "" && thinking === undefined) throw new Error(`/thinking takes one of ${THINKING.join(", ")}.`);
    const choice = await models.choose(given({ sessionId, thinking }));
    return { answer: thinking === undefined ? thinkingText(choice) : choiceText(choice) };
  },
};

export const modelCommands: readonly SlashCommand[] = [modelCommand, thinkingCommand];

function choiceText({ model, profile, thinking }: ModelChoice): string {
  return `${plainLine(model, 200)} (profile ${profile}) answers from the next turn on; thinking: ${thinking}.`;
}

function thinkingText({ model, profile, thinking }: ModelChoice): string {
  return `Thinking: ${thinking}, in ${plainLine(model, 200)} (profile ${profile}). \`/thinking HOW MUCH\` changes that: ${THINKING.join(", ")}.`;
}

function modelsText({ items, profiles, choice }: ModelList): string {
  const line = ({ profile, model, maxInputTokens }: ModelInfo): string => {
    const facts = [
      `profile ${profile}`,
      ...(maxInputTokens === undefined ? [] : [`${Math.round(maxInputTokens / 1_000)}k tokens`]),
    ];
    return `- \`${plainLine(model, 200)}\` (${facts.join(", ")})`;
  };
  const problems = profiles.flatMap(({ name, problem }) => (problem === undefined ? [] : [`- ${name}: ${problem}`]));
  const now = `\n${plainLine(choice.model, 200)} (profile ${choice.profile}) answers now; \`/model MODEL\` changes that.`;
  return [...items.map(line), ...problems, now].join("\n");
}
