/** The models of all profiles, and which of them answers. Each server's client is made when it is first needed. */
import { given } from "../base/given.ts";
import { AgentqError, errorText, InvalidParamsError } from "../base/errors.ts";
import type { ModelChoice, ModelInfo, ModelList } from "../protocol/model-shapes.ts";
import type { ModelStatus } from "../protocol/status.ts";
import type { Manner, ModelEntry, ModelPort } from "./model-port.ts";
import { pricesOf, type ModelPrices } from "./prices.ts";
import { modelStatus, shownUrl, type Profile, type Profiles } from "./profiles.ts";

/** A model that can be asked. */
export interface Model {
  readonly port: ModelPort;
  readonly name: string;
  readonly manner: Manner;
  /** The longest reply that the person's settings allow; undefined for the model's own. */
  readonly maxTokens: number | undefined;
  /** The context that the person's settings give it, in tokens. */
  readonly contextWindow?: number;
  /** The server's address, as it is shown, or Anthropic. */
  readonly place: string;
  /** Undefined where nobody knows them. */
  readonly prices: ModelPrices | undefined;
}

export interface Unavailable {
  readonly unavailable: string;
}

export interface ChoiceChange {
  readonly profile?: string;
  readonly model?: string;
  readonly thinking?: ModelChoice["thinking"];
  readonly temperature?: number | null;
}

export class Models {
  readonly #profiles: Profiles;
  readonly #connect: (profile: Profile) => ModelPort;
  readonly #ports = new Map<string, ModelPort>();
  #choice: ModelChoice;

  constructor(profiles: Profiles, connect: (profile: Profile) => ModelPort) {
    this.#profiles = profiles;
    this.#connect = connect;
    this.#choice = choiceOf(profiles[0]);
  }

  /** What new conversations begin with. */
  get choice(): ModelChoice {
    return this.#choice;
  }

  status(): ModelStatus {
    const { model, thinking } = this.#choice;
    return { ...modelStatus(this.#profile(this.#choice)), model, thinking };
  }

  model(choice: ModelChoice = this.#choice): Model | Unavailable {
    const profile = this.#profile(choice);
    if (profile.problem !== undefined) return { unavailable: profile.problem };
    const { thinkingBudget, maxTokens, contextWindow } = profile;
    const { thinking, temperature } = choice;
    const manner = { thinking, ...given({ thinkingBudget, temperature }) };
    return { ...this.#at(profile, choice.model), manner, maxTokens, ...given({ contextWindow }) };
  }

  /** The cheaper model beside a chosen one, for names and summaries: it does not think. */
  small(choice: ModelChoice = this.#choice): Model | Unavailable {
    const profile = this.#profile(choice);
    if (profile.problem !== undefined) return { unavailable: profile.problem };
    // Where the settings name no cheaper one, the model that was chosen is one that is there.
    const name = profile.smallModel === profile.model ? choice.model : profile.smallModel;
    return { ...this.#at(profile, name), manner: { thinking: "off" }, maxTokens: profile.maxTokens };
  }

  /** The choice after a change. A profile brings its own model and manner along. */
  changed(choice: ModelChoice, change: ChoiceChange): ModelChoice {
    const { profile: name = choice.profile, model, thinking, temperature } = change;
    const profile = this.#profiles.find((each) => each.name === name);
    if (profile === undefined) {
      const names = this.#profiles.map((each) => each.name).join(", ");
      throw new InvalidParamsError([{ path: "/profile", expected: `one of ${names}`, received: name }]);
    }
    if (profile.problem !== undefined) throw new AgentqError("modelUnavailable", profile.problem);
    const base = name === choice.profile ? choice : choiceOf(profile);
    const { temperature: before, ...rest } = { ...base, ...given({ model, thinking }) };
    const own = temperature === undefined ? before : (temperature ?? undefined);
    return { ...rest, ...given({ temperature: own }) };
  }

  /** For new conversations. */
  choose(change: ChoiceChange): ModelChoice {
    this.#choice = this.changed(this.#choice, change);
    return this.#choice;
  }

  /** All profiles are asked at once. A server without a list is told of beside the models that the settings name. */
  async list(choice: ModelChoice, signal: AbortSignal): Promise<ModelList> {
    const own = this.#profile(choice);
    const profiles = [own, ...this.#profiles.filter((each) => each !== own)];
    const listed = await Promise.all(profiles.map((profile) => this.#listed(profile, signal)));
    return {
      items: listed.flatMap(({ items }) => items),
      profiles: profiles.map((profile, index) => ({
        name: profile.name,
        baseUrl: shownUrl(profile.baseUrl) ?? "Anthropic",
        ...given({ problem: listed[index]?.problem }),
      })),
      choice,
    };
  }

  async #listed(
    profile: Profile,
    signal: AbortSignal,
  ): Promise<{ readonly items: readonly ModelInfo[]; readonly problem: string | undefined }> {
    const { name, model, smallModel, problem } = profile;
    if (problem !== undefined) return { items: [], problem };
    try {
      const entries = await this.#port(profile).models(signal);
      return { items: entries.map((entry) => toInfo(name, entry)), problem: undefined };
    } catch (error) {
      signal.throwIfAborted();
      const named = [...new Set([model, smallModel])].map((id) => toInfo(name, { id, name: id }));
      return { items: named, problem: errorText(error) };
    }
  }

  /** A profile that the settings have lost since a conversation chose it has the first one in its place. */
  #profile({ profile }: ModelChoice): Profile {
    return this.#profiles.find(({ name }) => name === profile) ?? this.#profiles[0];
  }

  #at(profile: Profile, name: string): Pick<Model, "port" | "name" | "place" | "prices"> {
    const place = shownUrl(profile.baseUrl) ?? "Anthropic";
    return { port: this.#port(profile), name, place, prices: pricesOf(name, profile) };
  }

  #port(profile: Profile): ModelPort {
    const known = this.#ports.get(profile.name);
    if (known !== undefined) return known;
    const port = this.#connect(profile);
    this.#ports.set(profile.name, port);
    return port;
  }
}

function choiceOf({ name, model, thinking = "auto", temperature }: Profile): ModelChoice {
  return { profile: name, model, thinking, ...given({ temperature }) };
}

function toInfo(profile: string, { id, name, maxTokens, maxInputTokens, thinking }: ModelEntry): ModelInfo {
  return { profile, model: id, name, ...given({ maxTokens, maxInputTokens, thinking }) };
}
