/** Profiles of models, where their keys come from, and where keys never go. */
import { expect, it } from "vitest";
import { Keys } from "../../../server/src/model/keys.ts";
import { runKeyCommand } from "../../../server/src/model/key-command.ts";
import { Models } from "../../../server/src/model/models.ts";
import { modelStatus, readProfiles, type ModelSettings } from "../../../server/src/model/profiles.ts";

const environment = { ANTHROPIC_API_KEY: "sk-anthropic", GATE_KEY: "sk-gate" };
const local = { baseUrl: "http://localhost:8080", model: "qwen" };

function profile(settings: ModelSettings, name: string) {
  const found = readProfiles(environment, settings).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no profile ${name}`);
  return found;
}

it("sends Anthropic's key to no profile with an address of its own", async () => {
  const found = profile({ profiles: { local } }, "local");
  expect(await new Keys([found]).of(found).current()).toMatchObject({ apiKey: null, authToken: null });
  expect(modelStatus(found)).toMatchObject({ ready: true, baseUrl: local.baseUrl, model: "qwen" });
});

it("takes a key from the variable that the profile names, and says so where that one is not set", async () => {
  const gate = profile({ profiles: { gate: { ...local, keyVariable: "GATE_KEY" } } }, "gate");
  expect(await new Keys([gate]).of(gate).current()).toMatchObject({ apiKey: "sk-gate", authToken: "sk-gate" });
  const unset = profile({ profiles: { gate: { ...local, keyVariable: "NOT_SET" } } }, "gate");
  expect(unset.problem).toContain("takes its key from NOT_SET, which is not set");
});

it("begins with the profile that the settings choose, and says which there are when it is none", () => {
  expect(readProfiles(environment, { profile: "local", profiles: { local } })[0].name).toBe("local");
  const [first] = readProfiles(environment, { profile: "lokal", profiles: { local } });
  expect(first.problem).toBe("There is no profile lokal in the settings. The profiles are default, local.");
});

it("asks the command for a key once, again after a time, and again when the key was refused", async () => {
  const keys: string[] = [];
  const run = async (): Promise<string> => {
    keys.push(`key-${keys.length}`);
    return keys.at(-1) ?? "";
  };
  let now = 0;
  const found = profile({ keyCommand: ["vault", "read"] }, "default");
  const all = new Keys([found], run);
  const port = all.of(found, () => now);
  const [first] = await Promise.all([port.current(), port.current()]);
  expect(keys).toHaveLength(1);
  now += 6 * 60_000;
  expect((await port.current()).apiKey).toBe("key-1");
  const [third, fourth] = await Promise.all([port.replaced(await port.current()), port.replaced(first)]);
  expect([third?.apiKey, fourth?.apiKey]).toEqual(["key-2", "key-1"]);
  expect(all.known()).toEqual(["key-0", "key-1", "key-2"]);
});

it.each([
  ["fails", ["sh", "-c", "echo sk-secret; echo sk-secret >&2; exit 3"], "ended with 3"],
  ["prints nothing", ["true"], "printed nothing"],
  ["prints a sentence", ["echo", "sk-secret is", "the key"], "printed no key"],
  ["does not exist", ["no-such-program-here"], "cannot be started"],
  ["does not end", ["sleep", "30"], "did not end within 0.2 s"],
])("says without a word of its output that a command %s", async (_title, command, words) => {
  const error = await runKeyCommand(command, 200).catch((reason: unknown) => reason);
  expect(String(error)).toContain(words);
  expect(String(error)).not.toContain("sk-secret");
});

it("gives a command all of the person's environment, and takes its key without the line's end", async () => {
  process.env["AGENTQ_TEST_VAULT"] = "sk-from-vault";
  expect(await runKeyCommand(["sh", "-c", "echo $AGENTQ_TEST_VAULT"])).toBe("sk-from-vault");
  delete process.env["AGENTQ_TEST_VAULT"];
});

it("names a cheaper model beside Anthropic's own, and the chosen model where nobody named one", () => {
  const port = { stream: async function* () {}, models: async () => [], about: async () => undefined };
  const models = new Models(readProfiles(environment, { profiles: { local } }), () => port);
  expect(models.small(models.choice)).toMatchObject({ name: "claude-haiku-5-5", manner: { thinking: "off" } });
  const choice = models.changed(models.choice, { profile: "local", model: "other", temperature: 0 });
  expect(models.small(choice)).toMatchObject({ name: "other" });
});

it("takes a profile's model and manner along, and keeps what a change does not name", () => {
  const port = { stream: async function* () {}, models: async () => [], about: async () => undefined };
  const models = new Models(readProfiles(environment, { profiles: { local } }), () => port);
  const choice = models.changed(models.choice, { profile: "local", thinking: "low", temperature: 0 });
  expect(choice).toEqual({ profile: "local", model: "qwen", thinking: "low", temperature: 0 });
  expect(models.changed(choice, { model: "other" })).toEqual({ ...choice, model: "other" });
  expect(models.changed(choice, { temperature: null })).not.toHaveProperty("temperature");
  expect(() => models.changed(choice, { profile: "lokal" })).toThrow("one of default, local");
});
