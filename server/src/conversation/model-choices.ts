/** Which model answers: chosen for one conversation, with which the choice is kept, or for all new ones. */
import type { ChoiceChange, Models } from "../model/models.ts";
import type { RequestParams } from "../protocol/methods.ts";
import type { ModelChoice, ModelList } from "../protocol/model-shapes.ts";
import type { Sessions } from "./sessions.ts";

interface ChoicePorts {
  readonly models: Models;
  readonly sessions: Sessions;
  /** New conversations have another model. */
  readonly onChange: () => void;
}

export class ModelChoices {
  readonly #ports: ChoicePorts;

  constructor(ports: ChoicePorts) {
    this.#ports = ports;
  }

  async list({ sessionId }: RequestParams<"agentq/listModels">, signal: AbortSignal): Promise<ModelList> {
    return this.#ports.models.list(await this.#choice(sessionId, {}), signal);
  }

  /** A change of nothing answers what is chosen. */
  async choose({ sessionId, ...change }: RequestParams<"agentq/chooseModel">): Promise<ModelChoice> {
    return this.#choice(sessionId, change);
  }

  async #choice(sessionId: string | undefined, change: ChoiceChange): Promise<ModelChoice> {
    const { models, sessions, onChange } = this.#ports;
    const isSame = Object.keys(change).length === 0;
    if (sessionId !== undefined) {
      return sessions.chooseModel(sessionId, (choice) => (isSame ? choice : models.changed(choice, change)));
    }
    if (isSame) return models.choice;
    const choice = models.choose(change);
    onChange();
    return choice;
  }
}
