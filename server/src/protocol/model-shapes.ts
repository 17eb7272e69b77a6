/** The shapes of models and of the choice between them, as they travel in `agentq/*` messages. */
import type { Thinking } from "./model-settings.ts";

/** What answers: a conversation's own choice, or that of new conversations. */
export interface ModelChoice {
  readonly profile: string;
  readonly model: string;
  readonly thinking: Thinking;
  /** Absent: the model's own. */
  readonly temperature?: number;
}

/** A model that can be chosen. What its server does not say is absent. */
export interface ModelInfo {
  readonly profile: string;
  /** For `agentq/chooseModel`. */
  readonly model: string;
  /** For people. */
  readonly name: string;
  /** The longest reply, in tokens. */
  readonly maxTokens?: number;
  /** The context window, in tokens. */
  readonly maxInputTokens?: number;
  /** How the model can be asked to think; empty where it cannot. */
  readonly thinking?: readonly ("adaptive" | "budget" | "off")[];
}

export interface ModelList {
  /** The chosen profile's first. A profile whose server has no list is there with the models that the settings name. */
  readonly items: readonly ModelInfo[];
  readonly profiles: readonly { readonly name: string; readonly baseUrl: string; readonly problem?: string }[];
  /** Of the conversation that was named, else of new ones. */
  readonly choice: ModelChoice;
}
