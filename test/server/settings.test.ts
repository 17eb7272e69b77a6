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

it("says nothing of settings that are all right", async () => {
  expect(await toldAbout({ model: "m", repl: { network: "open", heapLimitMb: 512, command: ["env"] } })).toEqual([]);
});
