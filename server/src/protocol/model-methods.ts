/** The parameters of the requests about models, as `methods.ts` has those of all. */
import { THINKING } from "./model-settings.ts";

export const modelRequestParams = {
  "agentq/listModels": {
    type: "object",
    properties: { sessionId: { type: "string" } },
    additionalProperties: false,
  },
  "agentq/chooseModel": {
    type: "object",
    properties: {
      sessionId: { type: "string", description: "The choice is for new conversations when absent." },
      profile: { type: "string" },
      model: { type: "string", minLength: 1, maxLength: 200 },
      thinking: { enum: THINKING },
      temperature: { type: ["number", "null"], minimum: 0, maximum: 2, description: "null: the model's own." },
    },
    additionalProperties: false,
  },
} as const;
