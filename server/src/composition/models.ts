/** The part of the composition that knows models. The SDK is loaded with the first request to one. */
import type { SessionPorts } from "../conversation/session.ts";
import { given } from "../base/given.ts";
import { lazy } from "../base/lazy.ts";
import { Keys } from "../model/keys.ts";
import type { ModelPort } from "../model/model-port.ts";
import { Models } from "../model/models.ts";
import { keyRemedy, readProfiles, type Profile } from "../model/profiles.ts";
import type { Settings } from "../settings/settings.ts";
import { proxyOnTheWay } from "../base/web-proxy.ts";

/** Where the SDK asks when nobody names an address. */
const ANTHROPIC = "https://api.anthropic.com";

export interface ComposedModels {
  readonly models: Models;
  readonly modelPorts: Pick<SessionPorts, "model" | "smallModel" | "newChoice">;
  /** Every key that was in use so far. */
  readonly secrets: () => readonly string[];
}

export function composeModels(
  variables: Readonly<Record<string, string | undefined>>,
  settings: Settings,
): ComposedModels {
  const profiles = readProfiles(variables, settings);
  const keys = new Keys(profiles);
  const models = new Models(profiles, (profile) => connect(profile, keys, variables));
  return {
    models,
    modelPorts: {
      newChoice: () => models.choice,
      model: (choice) => models.model(choice),
      smallModel: (choice) => models.small(choice),
    },
    secrets: () => keys.known(),
  };
}

function connect(profile: Profile, keys: Keys, variables: Readonly<Record<string, string | undefined>>): ModelPort {
  const load = lazy(async () => {
    const { createAnthropicModel } = await import("../model/anthropic-model.ts");
    const { baseUrl } = profile;
    const proxy = proxyOnTheWay(variables, baseUrl ?? ANTHROPIC);
    const remedy = { keyRemedy: keyRemedy(profile), ...given({ proxy }) };
    return createAnthropicModel({ baseUrl, keys: keys.of(profile), ...remedy });
  });
  return {
    async *stream(request, signal) {
      yield* (await load()).stream(request, signal);
    },
    models: async (signal) => (await load()).models(signal),
    about: async (model, signal) => (await load()).about(model, signal),
  };
}
