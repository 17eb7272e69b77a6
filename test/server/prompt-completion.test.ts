/** Completion in the documents in which prompts are written, as any LSP client asks for it. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CompletionItemKind, type CompletionList } from "vscode-languageserver-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SessionStage } from "../support/session-stage.ts";
import { ServerClient } from "../support/server-client.ts";

let stage: SessionStage;
let client: ServerClient;
let version = 1;
const uri = "agentq://message/invoices";

beforeAll(async () => {
  stage = new SessionStage();
  mkdirSync(path.join(stage.folder, "my notes"));
  writeFileSync(path.join(stage.folder, "my notes/one.md"), "One.\n");
  writeFileSync(path.join(stage.folder, ".env"), "TOKEN=x");
  await stage.open();
  client = await stage.start();
  await client.connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "agentq-message", version, text: "" },
  });
});

afterAll(() => stage.dispose());

async function complete(text: string): Promise<CompletionList> {
  version += 1;
  await client.connection.sendNotification("textDocument/didChange", {
    textDocument: { uri, version },
    contentChanges: [{ text }],
  });
  const lines = text.split("\n");
  const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  return client.connection.sendRequest("textDocument/completion", { textDocument: { uri }, position });
}

async function labels(text: string): Promise<string[]> {
  return (await complete(text)).items.map(({ label }) => label);
}

describe("completion in a prompt", () => {
  it("offers commands at its very beginning, with what they take", async () => {
    const { items } = await complete("/de");
    expect(items).toMatchObject([
      { label: "/describe", detail: expect.stringMatching(/^SYMBOL /) as string, textEdit: { newText: "/describe" } },
    ]);
    expect(await labels("say /de")).toEqual([]);
  });

  it("offers files and folders after @, nested ones by a part of their name, and no secrets", async () => {
    expect((await labels("look at @src/inv")).slice(0, 2)).toEqual(["@src/invoice.ts"]);
    expect(await labels("@parse")).toEqual(["@src/parse-order.ts"]);
    expect(await labels("@sr")).toContain("@src/");
    expect(await labels("@di")).toContain("@diff");
    expect(await labels("@my")).toContain('@"my notes/one.md"');
    expect(await labels("@.env")).toEqual([]);
    expect(await labels("mail@src")).toEqual([]);
  });

  it("replaces exactly what was typed, in the line where that stands", async () => {
    const { items } = await complete("First line.\nthen @src/tax");
    expect(items[0]?.textEdit).toEqual({
      newText: "@src/tax.ts",
      range: { start: { line: 1, character: 5 }, end: { line: 1, character: 13 } },
    });
  });

  it("offers the compiler's names after #, and to a command that takes a symbol", async () => {
    expect(await labels("what is #billO")).toContain("#src/invoice.ts#billOrder");
    expect(await labels("/describe billO")).toContain("src/invoice.ts#billOrder");
  });

  it("offers no kind behind which editors put the parentheses of a call", async () => {
    const kinds = new Set((await complete("what is #allocate")).items.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set([CompletionItemKind.Reference]));
  });

  it("offers names and handles of the REPL after $", async () => {
    await client.request("agentq/evaluate", { code: "const basket = [1]; basket" });
    expect(await labels("print $bask")).toContain("$basket");
    expect(await labels("print $1")).toEqual(["$1"]);
  });

  it("is none for other documents, and what is written in a prompt is no document of the project's", async () => {
    const other = await client.open(path.join(stage.folder, "src/other.ts"), "@");
    const params = { textDocument: { uri: other }, position: { line: 0, character: 1 } };
    expect(await client.connection.sendRequest("textDocument/completion", params)).toBeNull();
    const { content } = await client.request("agentq/callTool", {
      name: "search_text",
      arguments: { pattern: "print \\$1" },
    });
    expect(content).not.toContain("agentq");
  });
});

describe("a client that takes dynamic registration", () => {
  it("is told of completion in prompts alone", async () => {
    const registered = Promise.withResolvers<unknown>();
    const dynamic = new ServerClient();
    dynamic.connection.onRequest("client/registerCapability", (params) => {
      registered.resolve(params);
      return null;
    });
    const capabilities = { textDocument: { completion: { dynamicRegistration: true } } };
    const answer = await dynamic.initialize([stage.folder], { capabilities });
    expect(answer).not.toHaveProperty("capabilities.completionProvider");
    expect(await registered.promise).toMatchObject({
      registrations: [
        {
          method: "textDocument/completion",
          registerOptions: { documentSelector: [{ language: "agentq-message" }, { scheme: "agentq" }] },
        },
      ],
    });
    await dynamic.close();
  });
});
