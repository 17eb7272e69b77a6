import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({
  project: new URL("../fixtures/repl-project", import.meta.url),
  settings: { repl: { confinement: "openWithoutAsking" } },
});
let folder: string;
let client: ServerClient;
const file = (name: string): string => path.join(folder, name);
const uri = (name: string): string => pathToFileURL(file(name)).href;

beforeEach(() => void ({ folder, client } = stage));

describe("an evaluation in the open mode that writes the workspace", () => {
  it("is shown on the wire and taken back by a request", async () => {
    const before = readFileSync(file("src/money.ts"), "utf8");
    const code = `import { writeFileSync } from "node:fs"; writeFileSync("src/money.ts", "gone"); writeFileSync("new.txt", "x"); 1`;
    const { evalId, changes, notes } = await client.request("agentq/evaluate", { code });
    expect(changes).toEqual([
      { uri: uri("new.txt"), kind: "created", canRevert: true },
      { uri: uri("src/money.ts"), kind: "modified", canRevert: true },
    ]);
    expect(notes.map(({ message }) => message).join("\n")).toContain("src/money.ts (modified)");
    const told = await client.waitFor(({ method, params }) =>
      method === "agentq/evaluationChanges" ? params : undefined,
    );
    expect(told).toMatchObject({ evalId, by: "person", changes });

    const kept = await client.request("agentq/keepEvaluationChanges", { evalId, uris: [uri("new.txt")] });
    expect(kept).toEqual({ done: [uri("new.txt")], failed: [] });
    const reverted = await client.request("agentq/revertEvaluationChanges", { evalId });
    expect(reverted).toEqual({ done: [uri("src/money.ts")], failed: [] });
    expect(readFileSync(file("src/money.ts"), "utf8")).toBe(before);
    expect(existsSync(file("new.txt"))).toBe(true);

    await expect(client.request("agentq/revertEvaluationChanges", { evalId })).rejects.toMatchObject({
      code: -32602,
      data: { path: "/evalId", received: evalId },
    });
  });

  it("is not blamed for what the editor saves meanwhile", async () => {
    const text = `${readFileSync(file("src/money.ts"), "utf8")}\n// the person's own line\n`;
    await client.open(file("src/money.ts"), text);
    await client.request("agentq/evaluate", { code: "1" });
    const code = `import { existsSync, writeFileSync } from "node:fs"; writeFileSync("started.txt", "");
      while (!existsSync("saved.txt")) await new Promise((resolve) => setTimeout(resolve, 5)); 2`;
    const running = client.request("agentq/evaluate", { code });
    while (!existsSync(file("started.txt"))) await new Promise((resolve) => setTimeout(resolve, 5));
    writeFileSync(file("src/money.ts"), text);
    await client.connection.sendNotification("textDocument/didSave", { textDocument: { uri: uri("src/money.ts") } });
    await client.request("agentq/status", {});
    writeFileSync(file("saved.txt"), "");
    const { changes } = await running;
    expect(changes?.map((change) => path.basename(change.uri))).toEqual(["saved.txt", "started.txt"]);
  });

  it("says in its status that it is open, and that the person chose it", async () => {
    const { repl } = await client.request("agentq/status", {});
    expect(repl.confinement).toBe("open");
    expect(repl.confinementDetail).toMatch(/^Open by choice: /);
  });
});
