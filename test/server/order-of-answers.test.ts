/** What the model reads of answers that were computed before the person, or a program, changed something. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import { type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

let folder: string;
let model: ScriptedModel;
let client: ServerClient;

/** Three answers, and a change that waits for the person. */
const waiting = [
  call("read_file", { path: "src/tax.ts" }),
  call("read_file", { path: "README.md" }),
  call("document_outline", { path: "src/money.ts" }),
  call("propose_edits", {
    description: "x",
    edits: [{ op: "insert_at_end", path: "src/tax.ts", modified: "/* */\n" }],
  }),
];

const stage = serverStage();

beforeEach(() => {
  ({ folder, model, client } = stage);
  writeFileSync(path.join(folder, "README.md"), "# Invoices\n");
  stage.steps.push(reply("", ...waiting));
});

/** Plays the turn; `meanwhile` happens while the last call waits for the person, who then rejects. */
async function results(meanwhile: (uri: string) => unknown): Promise<string[]> {
  const uri = await client.open(path.join(folder, "src/shape.ts"), "export const a = 1;\n");
  const { turnId } = await client.request("agentq/prompt", { text: "go" });
  const { proposalId, hunks } = await client.nextProposal();
  await meanwhile(uri);
  const decisions = hunks.map(({ id }) => ({ id, decision: "reject" as const }));
  await client.request("agentq/decide", { proposalId, hunks: decisions });
  await client.turn(turnId);
  return read();
}

/** The results that the model reads last. */
function read(): string[] {
  const content = model.requests.at(-1)?.messages.at(-1)?.content ?? [];
  const blocks = typeof content === "string" ? [] : content.filter(({ type }) => type === "tool_result");
  return blocks.map((block) => textOf(block["content"]));
}

/** Which of the answers say that they are old, and how. */
async function marks(meanwhile: (uri: string) => unknown): Promise<(string | undefined)[]> {
  return (await results(meanwhile)).map((text) => /^- (Computed .*)$/m.exec(text)?.[1]);
}

function changeText(uri: string, version: number, text: string): Promise<void> {
  const params = { textDocument: { uri, version }, contentChanges: [{ text }] };
  return client.connection.sendNotification("textDocument/didChange", params);
}

describe("answers that wait beside a proposal", () => {
  it("carry no word when nothing else happened, also where the person looked at another file", async () => {
    expect(await marks(() => client.open(path.join(folder, "src/tax.ts"), readTax()))).toEqual(NOTHING);
  });

  it("say what the person typed, where they depend on it", async () => {
    expect(await marks((uri) => changeText(uri, 2, "export const a = 2;\n"))).toEqual([
      undefined,
      undefined,
      "Computed before shape.ts changed: ask again.",
      undefined,
    ]);
  });

  it("say that the person evaluated a form", async () => {
    const old = "Computed before a person's form: ask again.";
    expect(await marks(() => client.request("agentq/evaluate", { code: "1 + 1" }))).toEqual([old, old, old, undefined]);
  });

  it("say what changed on disk: what the compiler follows, and what was read", async () => {
    const write = (name: string) => writeFileSync(path.join(folder, name), "// other\n");
    expect(await marks(() => ["src/money.ts", "README.md"].forEach(write))).toEqual([
      undefined,
      "Computed before README.md changed: ask again.",
      expect.stringMatching(/^Computed before (?:README\.md|money\.ts)(?: and 1 more)? changed: ask again\.$/),
      undefined,
    ]);
  });

  it("carry no word of a decision that was made before they were asked, whose text the person takes away", async () => {
    const before = "export const a = 1;\n";
    const uri = await client.open(path.join(folder, "src/allocate.ts"), before);
    const edits = [{ op: "insert_at_end", path: "src/allocate.ts", modified: "export const b = 2;\n" }];
    const args = { description: "b", edits };
    const earlier = client.request("agentq/callTool", { name: "propose_edits", arguments: args });
    const { proposalId, hunks } = await client.nextProposal();
    const decisions = hunks.map(({ id }) => ({ id, decision: "accept" as const }));
    const { edit } = await client.request("agentq/decide", { proposalId, hunks: decisions });
    await client.apply(proposalId, edit);
    await earlier;
    client.forget();
    const found = await marks(async () => {
      await changeText(uri, 3, before);
      await client.waitFor(({ method, params }) =>
        method === "agentq/proposalChanged" && params.proposalId === proposalId ? true : undefined,
      );
    });
    expect(found).toEqual([undefined, undefined, "Computed before allocate.ts changed: ask again.", undefined]);
  });

  it("take the text that the proposal itself brings for its own", async () => {
    const uri = await client.open(path.join(folder, "src/tax.ts"), readTax());
    const { turnId } = await client.request("agentq/prompt", { text: "go" });
    const { proposalId, hunks } = await client.nextProposal();
    const decisions = hunks.map(({ id }) => ({ id, decision: "accept" as const }));
    const { edit } = await client.request("agentq/decide", { proposalId, hunks: decisions });
    await client.apply(proposalId, edit);
    await client.turn(turnId);
    expect(client.textOf(uri)).toContain("/* */");
    expect(read().filter((text) => text.includes("Computed "))).toEqual([]);
  });
});

const NOTHING = [undefined, undefined, undefined, undefined];

function readTax(): string {
  return readFileSync(path.join(folder, "src/tax.ts"), "utf8");
}
