/** How other agents are started on one prompt, with a model on the loopback address and an empty home. */
import { writeFileSync } from "node:fs";
import path from "node:path";

export interface AgentCommand {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

export interface AgentTask {
  /** Where `installAgents` put them. */
  readonly agents: string;
  readonly url: string;
  readonly folder: string;
  readonly prompt: string;
}

const KEY = "sk-test-not-a-key";

export function claudeCode({ agents, url, prompt }: AgentTask): AgentCommand {
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1" };
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url, ...quiet };
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
  return { command: [path.join(agents, "node_modules", name), "-p", prompt], env };
}

/** Writes its settings into the folder. */
export function opencode({ agents, url, folder, prompt }: AgentTask): AgentCommand {
  const model = { name: "test", limit: { context: 200_000, output: 8_000 }, tool_call: true };
  const anthropic = { options: { baseURL: `${url}/v1`, apiKey: KEY }, models: { "claude-test": model } };
  const chosen = { model: "anthropic/claude-test", small_model: "anthropic/claude-test" };
  const settings = { autoupdate: false, share: "disabled", ...chosen, provider: { anthropic } };
  writeFileSync(path.join(folder, "opencode.json"), JSON.stringify(settings));
  const name = `opencode-${process.platform}-${process.arch}/bin/opencode`;
  const env = { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
  return { command: [path.join(agents, "node_modules", name), "run", prompt], env };
}
