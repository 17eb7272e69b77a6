/** Code actions that say something to the agent, as any LSP client asks for them and carries them out. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { CodeAction, Command, Diagnostic, Range } from "vscode-languageserver-protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { AskArguments } from "../../server/src/conversation/code-actions/ask-actions.ts";
import { SessionStage } from "../support/session-stage.ts";
import { ServerClient } from "../support/server-client.ts";
import { richCapabilities } from "./editor-capabilities.ts";
import { LanguageProject } from "./language-features-project.ts";

const TEXT = `import { tax } from "./tax.ts";

/** Prices. */
export function priceOf(net: number): number {
  return net + tax(net); // é🟢
}
`;
const place = (line: number, character: number, end = { line, character }): Range => ({
  start: { line, character },
  end,
});
const wrong: Diagnostic = {
  range: place(4, 9, { line: 4, character: 12 }),
  severity: 1,
  source: "ts",
  code: 2304,
  message: "Cannot find name 'net'.\nDid you mean 'not'?",
};

async function actionsOf(
  client: ServerClient,
  uri: string,
  range: Range,
  context: object = {},
): Promise<readonly (CodeAction & { readonly command?: Command })[]> {
  const params = { textDocument: { uri }, range, context: { diagnostics: [], ...context } };
  return client.connection.sendRequest("textDocument/codeAction", params);
}

const titles = (actions: readonly CodeAction[]): string[] => actions.map(({ title }) => title);
const asked = (action: CodeAction | undefined): AskArguments => action?.command?.arguments?.[0] as AskArguments;

describe("beside a TypeScript server", () => {
  let stage: SessionStage;
  let client: ServerClient;
  let uri: string;
  let advertised: { readonly capabilities: Record<string, unknown> };

  beforeAll(async () => {
    stage = new SessionStage();
    await stage.open();
    client = new ServerClient({ env: stage.environment() });
    advertised = (await client.initialize([stage.folder], { capabilities: richCapabilities })) as typeof advertised;
    uri = pathToFileURL(path.join(stage.folder, "src/price.ts")).href;
    writeFileSync(path.join(stage.folder, "src/price.ts"), "// The disk is older.\n");
    await client.open(path.join(stage.folder, "src/price.ts"), TEXT);
  });

  afterAll(async () => {
    await client.close();
    await stage.dispose();
  });

  async function execute(action: CodeAction | undefined): Promise<string> {
    const { command = "", arguments: args } = action?.command ?? {};
    const { turnId } = await client.connection.sendRequest<{ turnId: string }>("workspace/executeCommand", {
      command,
      arguments: args,
    });
    await client.turn(turnId);
    return stage.lastWords();
  }

  it("are advertised with the command that they name", () => {
    expect(advertised.capabilities).toMatchObject({
      codeActionProvider: { codeActionKinds: expect.arrayContaining(["quickfix", "agentq.explain"]) as string[] },
      executeCommandProvider: { commands: ["agentq.ask"] },
    });
  });

  it("are what can be asked at a place, on a selection, and about diagnostics", async () => {
    expect(titles(await actionsOf(client, uri, place(3, 20)))).toEqual([
      "Agent-Q: explain",
      "Agent-Q: document this",
      "Agent-Q: test this",
      "Agent-Q: review the diff",
    ]);
    expect(titles(await actionsOf(client, uri, place(0, 10)))).toEqual([
      "Agent-Q: explain",
      "Agent-Q: review the diff",
    ]);
    const selection = place(3, 7, { line: 5, character: 1 });
    const all = await actionsOf(client, uri, selection, { diagnostics: [wrong] });
    expect(titles(all).slice(0, 2)).toEqual([
      `Agent-Q: fix "Cannot find name 'net'. Did you mean 'not'?"`,
      "Agent-Q: explain the selection",
    ]);
    expect(all[0]).toMatchObject({ kind: "quickfix", diagnostics: [wrong] });
  });

  it("keep to the kinds that were asked for, and light no bulb by themselves", async () => {
    const of = async (context: object): Promise<string[]> =>
      titles(await actionsOf(client, uri, place(3, 20), context));
    expect(await of({ only: ["source.organizeImports"], diagnostics: [wrong] })).toEqual([]);
    expect(await of({ only: ["refactor", "source"] })).toEqual([]);
    expect(await of({ only: ["quickfix"], diagnostics: [wrong, wrong] })).toEqual(["Agent-Q: fix these 2 diagnostics"]);
    expect(await of({ only: ["agentq.test"] })).toEqual(["Agent-Q: test this"]);
    expect(await of({ only: ["agentq"] })).toHaveLength(4);
    expect(await of({ triggerKind: 2 })).toEqual([]);
    expect(await of({ triggerKind: 2, diagnostics: [wrong] })).toHaveLength(1);
  });

  it("say the declaration around the place, with the buffer's text", async () => {
    const [explain] = await actionsOf(client, uri, place(4, 16));
    const words = await execute(explain);
    expect(words).toContain("Explain `tax` at src/price.ts:5");
    expect(words).toContain("src/price.ts#priceOf — function");
    expect(words).toContain("return net + tax(net);");
  });

  it("say exactly what is selected", async () => {
    const selection = place(4, 9, { line: 4, character: 29 });
    const [explain] = await actionsOf(client, uri, selection);
    expect(asked(explain).context).toMatchObject([{ kind: "selection", range: selection, label: "src/price.ts:5" }]);
    expect(await execute(explain)).toContain("```\nnet + tax(net); // é\n```");
  });

  it("say the diagnostics in their own words, with the lines around them", async () => {
    const [fix] = await actionsOf(client, uri, place(4, 9), { diagnostics: [wrong] });
    const words = await execute(fix);
    expect(words).toContain("src/price.ts:5:10 error ts 2304: Cannot find name 'net'.\n  Did you mean 'not'?");
    expect(words).toContain("export function priceOf(net: number): number {");
    expect(words).toContain("Fix this diagnostic in src/price.ts");
  });

  it("say the diff, or that there is none", async () => {
    const review = (await actionsOf(client, uri, place(3, 20))).at(-1);
    expect(asked(review).context).toEqual([{ kind: "diff", label: "@diff" }]);
    expect(await execute(review)).toContain("git does not answer here");
  });

  it("are none outside of the workspace, in a prompt, and in a file that is not open", async () => {
    await client.open(path.join(stage.state, "other.ts"), TEXT);
    for (const each of [path.join(stage.state, "other.ts"), path.join(stage.folder, "src/tax.ts")]) {
      expect(await actionsOf(client, pathToFileURL(each).href, place(3, 20))).toEqual([]);
    }
  });

  it("are refused with a sentence where a command makes no sense", async () => {
    const send = (command: string, args: unknown[]): Promise<unknown> =>
      client.connection.sendRequest("workspace/executeCommand", { command, arguments: args });
    await expect(send("agentq.ask", [{ words: 1 }])).rejects.toMatchObject({ code: -32602 });
    await expect(send("agentq.ask", [])).rejects.toMatchObject({ code: -32602 });
    await expect(send("other.command", [])).rejects.toThrow(/expected agentq\.ask/);
  });
});

describe("as the TypeScript server", () => {
  let client: ServerClient;
  let project: LanguageProject;

  afterEach(async () => {
    await client.close();
    project.dispose();
  });

  it("stand behind the compiler's own, which are resolved as ever", async () => {
    project = new LanguageProject();
    client = new ServerClient();
    client.connection.onRequest("workspace/configuration", () => null);
    const { capabilities } = (await client.initialize([project.folder], {
      capabilities: richCapabilities,
      initializationOptions: { languageFeatures: "on" },
    })) as { readonly capabilities: { readonly codeActionProvider: { readonly codeActionKinds: string[] } } };
    expect(capabilities.codeActionProvider.codeActionKinds).toEqual(
      expect.arrayContaining(["source.organizeImports", "quickfix", "agentq.explain"]),
    );
    await client.open(project.file("src/lonely.ts"), project.text("src/lonely.ts"));
    const { position } = project.at("src/lonely.ts", "Shape");
    const range = { start: position, end: { ...position, character: position.character + 5 } };
    const missing = { range, severity: 1 as const, code: 2304, source: "ts", message: "Cannot find name 'Shape'." };
    const all = await actionsOf(client, project.uri("src/lonely.ts"), range, { diagnostics: [missing] });
    expect(titles(all)[0]).toMatch(/import/i);
    expect(titles(all)).toContain(`Agent-Q: fix "Cannot find name 'Shape'."`);
    const ours = all.find(({ title }) => title === "Agent-Q: explain the selection");
    expect(await client.connection.sendRequest("codeAction/resolve", ours)).toEqual(ours);
    const imports = await actionsOf(client, project.uri("src/lonely.ts"), range, { only: ["source.organizeImports"] });
    expect(titles(imports).filter((title) => title.startsWith("Agent-Q"))).toEqual([]);
  });
});

it("offers none to an editor that shows no conversation", async () => {
  const project = new LanguageProject();
  const client = new ServerClient();
  const { capabilities } = (await client.initialize([project.folder], { agentq: null })) as {
    readonly capabilities: object;
  };
  expect(Object.keys(capabilities)).not.toContain("codeActionProvider");
  expect(Object.keys(capabilities)).not.toContain("executeCommandProvider");
  await client.close();
  project.dispose();
});
