/** Wrong settings: one sentence for each. That the person is told of them is in test/server/settings.test.ts. */
import { expect, it } from "vitest";
import { readSettings } from "../../../server/src/settings/settings.ts";

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
])("has a sentence about %s", (_title, options, message) => {
  expect(readSettings(options).problems).toEqual([message]);
});

it("does not repeat the value of a setting that does not exist, which may be a key", () => {
  const { problems } = readSettings({ apiKey: "sk-secret" });
  expect(problems).toHaveLength(1);
  expect(problems.join()).not.toContain("sk-secret");
});

it.each([
  ["without settings", {}],
  ["with settings that are all right", { model: "m", repl: { network: "open", heapLimitMb: 512, command: ["env"] } }],
  ["with what editors write for a setting that is not set", { model: null, tools: [], repl: [] }],
  ["with the compiler's own settings", { languageFeatures: "on", userPreferences: { quotePreference: "single" } }],
])("has nothing to say %s", (_title, options) => {
  expect(readSettings(options).problems).toEqual([]);
});

it.each([{}, { languageFeatures: "off" }, { languageFeatures: true }])(
  "has the language features off for %j",
  (options) => {
    expect(readSettings(options).settings.languageFeatures ?? "off").toBe("off");
  },
);
