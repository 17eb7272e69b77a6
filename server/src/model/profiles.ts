/** Which models there are to talk to: profiles of a name, an address and a key's place, from the settings and the environment. */
import { given } from "../base/given.ts";
import type { ProfileSettings } from "../protocol/model-settings.ts";
import type { ModelStatus } from "../protocol/status.ts";
import type { Variables } from "../base/variables.ts";

/** Where a profile's key comes from. A key leaves this file and `keys.ts` for the model's server alone. */
export type KeySource =
  | {
      readonly kind: "given";
      readonly apiKey: string | null;
      readonly authToken: string | null;
      /** The variable of the environment. */
      readonly from: string;
    }
  | { readonly kind: "command"; readonly command: readonly string[] };

export interface Profile extends Omit<ProfileSettings, "keyVariable" | "keyCommand" | "baseUrl"> {
  readonly name: string;
  readonly model: string;
  /** The cheaper one, for names and summaries. */
  readonly smallModel: string;
  /** null for Anthropic's own servers. */
  readonly baseUrl: string | null;
  readonly key: KeySource;
  /** Why nothing can be asked of it, and what to do. */
  readonly problem?: string;
}

/** Contract: at least one, the one that is chosen where nobody chooses. */
export type Profiles = readonly [Profile, ...Profile[]];

export interface ModelSettings extends ProfileSettings {
  readonly profile?: string;
  readonly profiles?: Readonly<Record<string, ProfileSettings>>;
}

/** The profile that the settings outside of all profiles make. */
export const DEFAULT_PROFILE = "default";
const DEFAULT_MODEL = "claude-sonnet-5-5";
const DEFAULT_SMALL_MODEL = "claude-haiku-5-5";

/** The chosen profile first. */
export function readProfiles(variables: Variables, settings: ModelSettings): Profiles {
  const { profile: wanted = DEFAULT_PROFILE, profiles: named = {}, ...own } = settings;
  const first = toProfile(DEFAULT_PROFILE, { ...own, ...named[DEFAULT_PROFILE] }, variables);
  const rest = Object.entries(named)
    .filter(([name]) => name !== DEFAULT_PROFILE)
    .map(([name, each]) => toProfile(name, each, variables));
  const all = [first, ...rest];
  const chosen = all.find(({ name }) => name === wanted);
  if (chosen !== undefined) return [chosen, ...all.filter((each) => each !== chosen)];
  const names = all.map(({ name }) => name).join(", ");
  return [{ ...first, problem: `There is no profile ${wanted} in the settings. The profiles are ${names}.` }, ...rest];
}

function toProfile(name: string, settings: ProfileSettings, variables: Variables): Profile {
  const { keyVariable, keyCommand: _command, ...rest } = settings;
  const isDefault = name === DEFAULT_PROFILE;
  const baseUrl = nonEmpty(settings.baseUrl) ?? (isDefault ? nonEmpty(variables["ANTHROPIC_BASE_URL"]) : null);
  const model = nonEmpty(settings.model) ?? (isDefault ? nonEmpty(variables["AGENTQ_MODEL"]) : null) ?? DEFAULT_MODEL;
  const key = keySource({ ...settings, baseUrl: baseUrl ?? "" }, isDefault, variables);
  return {
    ...rest,
    name,
    model,
    smallModel: settings.smallModel ?? (baseUrl === null ? DEFAULT_SMALL_MODEL : model),
    baseUrl,
    key,
    ...given({ problem: problemOf(name, { keyVariable, baseUrl, key }) }),
  };
}

/**
 * The key of the environment goes to Anthropic and to the address that the environment names, to no profile's own
 * server.
 */
function keySource(
  { keyVariable, keyCommand, baseUrl }: ProfileSettings,
  isDefault: boolean,
  variables: Variables,
): KeySource {
  if (keyCommand !== undefined) return { kind: "command", command: keyCommand };
  if (keyVariable !== undefined) {
    return { kind: "given", ...sorted(nonEmpty(variables[keyVariable]), baseUrl ?? ""), from: keyVariable };
  }
  if (!isDefault && baseUrl !== "") return { kind: "given", apiKey: null, authToken: null, from: "keyVariable" };
  return {
    kind: "given",
    from: "ANTHROPIC_API_KEY",
    apiKey: nonEmpty(variables["ANTHROPIC_API_KEY"]),
    authToken: nonEmpty(variables["ANTHROPIC_AUTH_TOKEN"]),
  };
}

/** Anthropic takes a key in one header; of other servers some read the one and some the other. */
export function sorted(key: string | null, baseUrl: string): { apiKey: string | null; authToken: string | null } {
  return { apiKey: key, authToken: baseUrl === "" ? null : key };
}

function problemOf(
  name: string,
  { keyVariable, baseUrl, key }: Pick<Profile, "baseUrl" | "key"> & { readonly keyVariable: string | undefined },
): string | undefined {
  if (baseUrl !== null && !/^https?:\/\//.test(baseUrl)) {
    return `The address ${shownUrl(baseUrl)} of the profile ${name} is none: it begins with http:// or https://.`;
  }
  if (key.kind === "command" || key.apiKey !== null || key.authToken !== null) return undefined;
  if (keyVariable !== undefined) {
    return `The profile ${name} takes its key from ${keyVariable}, which is not set in the editor's environment.`;
  }
  return baseUrl === null ? NO_MODEL : undefined;
}

export function modelStatus(profile: Profile): ModelStatus {
  const { name, model, baseUrl, problem } = profile;
  return {
    ready: problem === undefined,
    model,
    baseUrl: shownUrl(baseUrl) ?? "Anthropic",
    profile: name,
    ...(problem === undefined ? {} : { reason: problem }),
  };
}

/** What to do about a key that the server does not take. */
export function keyRemedy({ name, key }: Pick<Profile, "name" | "key">): string {
  if (key.kind === "command")
    return `Look at what ${key.command[0]} prints, which is the keyCommand of the profile ${name}.`;
  if (key.from === "keyVariable") return `Name the variable with the key in keyVariable of the profile ${name}.`;
  return `Set ${key.from} to a valid key and restart the server.`;
}

/** An address without the name and password that it may hold. */
export function shownUrl(url: string | null): string | undefined {
  if (url === null || !URL.canParse(url)) return url ?? undefined;
  const parsed = new URL(url);
  if (parsed.username === "" && parsed.password === "") return url;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

function nonEmpty(value: string | undefined): string | null {
  return value === undefined || value === "" ? null : value;
}

const NO_MODEL =
  "No model is configured: set ANTHROPIC_API_KEY in the editor's environment, or point ANTHROPIC_BASE_URL at a local " +
  "server that speaks the Messages API; tools, REPL and review work without.";
