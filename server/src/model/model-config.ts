/** Which model to talk to, from the environment and the client's initializationOptions; keys never leave this file's callers. */
import type { ModelStatus } from "../protocol/status.ts";

export interface ModelConfig {
  readonly model: string;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly authToken: string | null;
}

const DEFAULT_MODEL = "claude-sonnet-5-5";

/** `options` come from the client: `{model?, baseUrl?}`. A key is read from the environment only. */
export function readModelConfig(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly model?: string; readonly baseUrl?: string },
): ModelConfig {
  const nonEmpty = (value: string | undefined): string | null => (value === undefined || value === "" ? null : value);
  return {
    model: nonEmpty(options.model) ?? nonEmpty(environment["AGENTQ_MODEL"]) ?? DEFAULT_MODEL,
    baseUrl: nonEmpty(options.baseUrl) ?? nonEmpty(environment["ANTHROPIC_BASE_URL"]),
    apiKey: nonEmpty(environment["ANTHROPIC_API_KEY"]),
    authToken: nonEmpty(environment["ANTHROPIC_AUTH_TOKEN"]),
  };
}

export function modelStatus(config: ModelConfig): ModelStatus {
  const ready = config.apiKey !== null || config.authToken !== null || config.baseUrl !== null;
  return {
    ready,
    model: config.model,
    baseUrl: shownUrl(config.baseUrl) ?? "Anthropic",
    ...(ready ? {} : { reason: NO_MODEL }),
  };
}

/** An address without the name and password that may stand in it. */
export function shownUrl(url: string | null): string | undefined {
  if (url === null || !URL.canParse(url)) return url ?? undefined;
  const parsed = new URL(url);
  if (parsed.username === "" && parsed.password === "") return url;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

const NO_MODEL =
  "No model is configured: set ANTHROPIC_API_KEY in the editor's environment, or point ANTHROPIC_BASE_URL at a local " +
  "server that speaks the Messages API; tools, REPL and review work without.";
