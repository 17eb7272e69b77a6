/** The part of the composition that knows models. The SDK is loaded with the first request to one. */
import type { Parts } from "./parts.ts";
import { given } from "../base/given.ts";
import { lazy } from "../base/lazy.ts";
import { Keys } from "../model/keys.ts";
import type { ModelPort } from "../model/model-port.ts";
import { Models } from "../model/models.ts";
import { keyRemedy, readProfiles, type Profile } from "../model/profiles.ts";
import { proxyOnTheWay } from "../base/web-proxy.ts";

/** Where the SDK asks when nobody names an address. */
const ANTHROPIC = "https://api.anthropic.com";

export function composeModels({
  variables,
  setup,
}: Pick<Parts, "variables" | "setup">): Pick<Parts, "models" | "keys"> {
  const profiles = readProfiles(variables, setup.settings);
  const keys = new Keys(profiles);
  return { keys, models: new Models(profiles, (profile) => connect(profile, keys, variables)) };
}

function connect(profile: Profile, keys: Keys, variables: Parts["variables"]): ModelPort {
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
