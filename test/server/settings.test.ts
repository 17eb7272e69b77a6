/** Wrong settings are told to the person, one sentence each, and their defaults hold. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ServerClient } from "../support/server-client.ts";

let folder: string;
let client: ServerClient;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-settings-")));
  client = new ServerClient({ env: { AGENTQ_MODEL: "model-of-the-environment" } });
});

afterEach(async () => {
  await client.close();
  rmSync(folder, { recursive: true });
});

const start = (initializationOptions: unknown): Promise<unknown> =>
  client.initialize([folder], { initializationOptions: initializationOptions as object });

const warnings = (): string[] =>
  client.received.flatMap(({ method, params }) => {
    const { message } = params as unknown as { readonly message: string };
    return (method as string) === "window/showMessage" ? [message] : [];
  });

/** Every message of the start is there once the server has answered a request. */
async function toldAbout(initializationOptions: unknown): Promise<string[]> {
  await start(initializationOptions);
  await client.request("agentq/status", {});
  return warnings();
}

it.each([
  [
    "a misspelt value",
    { repl: { confinement: "conifned" } },
    'The setting repl.confinement: expected one of "confined", "open", "openWithoutAsking", received "conifned". Did you mean "confined"? The REPL runs confined.',
  ],
  [
    "a number written as text",
    { repl: { heapLimitMb: "512" } },
    'The setting repl.heapLimitMb: expected number, received "512". The heap has Node\'s own limit.',
  ],
  [
    "a misspelt name",
    { repl: { confinment: "open" } },
    "There is no setting repl.confinment, so it sets nothing. Did you mean repl.confinement?",
  ],
  [
    "a setting in the wrong place",
    { confinement: "open" },
    "There is no setting confinement, so it sets nothing. Did you mean repl.confinement?",
  ],
  [
    "a name that resembles none",
    { colour: "red" },
    "There is no setting colour, so it sets nothing. The settings are model, baseUrl, smallModel, keyVariable, keyCommand, thinking, thinkingBudget, temperature, maxTokens, contextWindow, prices, profile, profiles, languageFeatures, instructions, tools, offeredTools, repl, proposals, commands, mcpServers, sessions, budget, policy.",
  ],
  [
    "a word for a proposal's tests that there is not",
    { proposals: { tests: "relatd" } },
    'The setting proposals.tests: expected one of "off", "related", received "relatd". Did you mean "related"? The tests of a proposal run only when somebody asks for them.',
  ],
  [
    "whether proposals are kept, in no word",
    { proposals: { keep: false } },
    'The setting proposals.keep: expected one of "on", "off", received false. Proposals are kept on the disk.',
  ],
  [
    "a host that is an address of a page",
    { commands: { hosts: ["https://example.com"] } },
    expect.stringMatching(/^The setting commands\.hosts\.0: .* You are asked about every host that a command names\.$/),
  ],
  [
    "whether conversations are kept, in no word",
    { sessions: { keep: false } },
    'The setting sessions.keep: expected one of "on", "off", received false. Conversations are kept on the disk.',
  ],
  [
    "how full a context may become, as a share",
    { sessions: { compactAt: 8 } },
    "The setting sessions.compactAt: expected >= 10, received 8. A conversation is compacted when it fills 80 % of the context window.",
  ],
  [
    "a set of tools that there is not",
    { offeredTools: "al" },
    'The setting offeredTools: expected one of "core", "all", received "al". Did you mean "all"? The model is offered the core of the tools.',
  ],
  [
    "instructions that are no word",
    { instructions: "always" },
    'The setting instructions: expected one of "ask", "on", "off", received "always". You are asked before the agent follows AGENTS.md or CLAUDE.md.',
  ],
  [
    "language features that are no word",
    { languageFeatures: true },
    'The setting languageFeatures: expected one of "off", "on", received true. The language features are off.',
  ],
  [
    "a command in one text",
    { repl: { command: "docker exec dev" } },
    'The setting repl.command: expected array, received "docker exec dev". The REPL runs on this machine.',
  ],
  [
    "rules of the policy that are no list",
    { policy: { deny: "restart_repl" } },
    'The setting policy.deny: expected array, received "restart_repl". Until that is mended you are asked about every call that is not safe.',
  ],
  [
    "a misspelt kind of rule",
    { policy: { denny: ["restart_repl"] } },
    "There is no setting policy.denny, so it sets nothing. Did you mean policy.deny? Until that is mended you are asked about every call that is not safe.",
  ],
  ["settings that are no object", "open", 'The settings: expected object, received "open". None of them is used.'],
])("tells the person of %s", async (_title, options, message) => {
  expect(await toldAbout(options)).toEqual([message]);
});

it("reports each wrong setting, takes its default and keeps the right ones", async () => {
  const told = await toldAbout({
    model: 5,
    baseUrl: "http://127.0.0.1:9",
    repl: { network: "all", confinement: "open" },
  });
  expect(told).toEqual([
    "The setting model: expected string, received 5. AGENTQ_MODEL or the default model is used.",
    'The setting repl.network: expected one of "none", "open", received "all". The confined REPL has no network.',
  ]);
  const status = await client.request("agentq/status", {});
  expect(status.model).toMatchObject({ model: "model-of-the-environment", baseUrl: "http://127.0.0.1:9" });
  expect(status.repl).toMatchObject({ confinement: "open", consent: "needed" });
});

it("does not repeat the value of a setting that does not exist, which may be a key", async () => {
  const told = await toldAbout({ apiKey: "sk-secret" });
  expect(told).toHaveLength(1);
  expect(told.join()).not.toContain("sk-secret");
});

it.each([
  ["without settings", {}],
  ["with settings that are all right", { model: "m", repl: { network: "open", heapLimitMb: 512, command: ["env"] } }],
  ["with what editors write for a setting that is not set", { model: null, tools: [], repl: [] }],
  ["with the compiler's own settings", { languageFeatures: "on", userPreferences: { quotePreference: "single" } }],
])("says nothing %s", async (_title, options) => {
  expect(await toldAbout(options)).toEqual([]);
});
