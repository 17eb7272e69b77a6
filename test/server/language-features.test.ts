/** `languageFeatures: "on"`: the server is the editor's TypeScript server too, and as good a one as the compiler itself. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { sections, startBareCompiler, type BareCompiler } from "../support/bare-compiler.ts";
import { ServerClient } from "../support/server-client.ts";
import { richCapabilities, richSettings } from "./editor-capabilities.ts";
import { LanguageProject } from "./language-features-project.ts";

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

type Ask = (method: string, params: unknown) => Promise<unknown>;

const wholeFile = { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } };
const options = { tabSize: 2, insertSpaces: true };

let project: LanguageProject;
let client: ServerClient;
let bare: BareCompiler;
let advertised: Record<string, unknown>;

beforeAll(async () => {
  project = new LanguageProject();
  client = new ServerClient();
  client.connection.onRequest((method, params) =>
    method === "workspace/configuration" ? sections(params, richSettings) : null,
  );
  const answer = await client.initialize([project.folder], {
    // To a client that can show nothing the server offers no code actions of its own (plain-editor.test.ts).
    agentq: null,
    capabilities: {
      ...richCapabilities,
      workspace: { ...richCapabilities.workspace, applyEdit: false },
      window: {},
      // As lsp-mode 10 says that it cannot do something.
      textDocument: { ...richCapabilities.textDocument, inlineCompletion: null },
    },
    initializationOptions: { languageFeatures: "on" },
  });
  advertised = (answer as { capabilities: Record<string, unknown> }).capabilities;
  const general = { positionEncodings: ["utf-16"] };
  bare = await startBareCompiler(project.folder, { ...richCapabilities, general }, richSettings);
  const lines = Array.from({ length: 2_000 }, (_, index) => `export const größe${index} = "🟢";\n`);
  project.write("src/large.ts", lines.join(""));
  for (const name of ["src/main.ts", "src/shapes.ts", "src/lonely.ts", "src/view.tsx", "src/large.ts"]) {
    await client.open(project.file(name), project.text(name));
    const languageId = name.endsWith("x") ? "typescriptreact" : "typescript";
    await bare.connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri: project.uri(name), languageId, version: 1, text: project.text(name) },
    });
  }
  // Settings that come late on a busy machine are told to the compiler when they come.
  const textDocument = { uri: project.uri("src/shapes.ts") };
  await vi.waitUntil(() => client.connection.sendRequest("textDocument/codeLens", { textDocument }), {
    timeout: 40_000,
  });
});

afterAll(async () => {
  bare.dispose();
  await client.close();
  project.dispose();
});

/** Both answers; a list whose order the compiler leaves to chance is sorted. */
async function sideBySide(ask: (send: Ask) => Promise<unknown>): Promise<{ ours: Answer; theirs: Answer }> {
  const answerOf = async (send: Ask): Promise<Answer> => {
    try {
      return { result: inOneOrder(await ask(send)) };
    } catch (error) {
      return { error: { code: (error as { code: number }).code } };
    }
  };
  const ours = await answerOf((method, params) => client.connection.sendRequest(method, params));
  const theirs = await answerOf((method, params) => bare.connection.sendRequest(method, params));
  return { ours, theirs };
}

function inOneOrder(answer: unknown): unknown {
  if (Array.isArray(answer)) {
    return answer.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  const changes = (answer as { documentChanges?: unknown[] } | null)?.documentChanges;
  return changes === undefined ? answer : { documentChanges: inOneOrder(changes) };
}

/** Asks for a list, and then about its first entry. */
function thenResolve(list: string, params: () => object, resolve: string, pick: (list: unknown) => unknown) {
  return async (send: Ask): Promise<unknown> => send(resolve, pick(await send(list, params())));
}

const first = (list: unknown): unknown => (list as unknown[])[0];
const inMain = () => ({ textDocument: { uri: project.uri("src/main.ts") } });
const callee = () => project.at("src/main.ts", "totalArea(both", 2);
const simple = (method: string, params: () => object) => (send: Ask) => send(method, params());

const FEATURES: Readonly<Record<string, (send: Ask) => Promise<unknown>>> = {
  hover: simple("textDocument/hover", callee),
  "hover behind an emoji": simple("textDocument/hover", () => project.at("src/main.ts", "again = circle", 1)),
  completion: simple("textDocument/completion", () => project.at("src/main.ts", "area.toFixed", 5)),
  "completion item resolve": thenResolve(
    "textDocument/completion",
    () => project.at("src/main.ts", "area.toFixed", 5),
    "completionItem/resolve",
    (list) => (list as { items: { label: string }[] }).items.find(({ label }) => label === "toFixed"),
  ),
  "signature help": simple("textDocument/signatureHelp", () => project.at("src/main.ts", "(both, 1", 1)),
  definition: simple("textDocument/definition", callee),
  "type definition": simple("textDocument/typeDefinition", () => project.at("src/main.ts", "circle = new", 1)),
  implementation: simple("textDocument/implementation", () => project.at("src/shapes.ts", "interface Shape", 11)),
  references: simple("textDocument/references", () => ({
    ...project.at("src/shapes.ts", "class Circle", 7),
    context: { includeDeclaration: true },
  })),
  "document highlight": simple("textDocument/documentHighlight", () => project.at("src/main.ts", "circle = new", 1)),
  "document symbols": simple("textDocument/documentSymbol", inMain),
  "document symbols of a large file": simple("textDocument/documentSymbol", () => ({
    textDocument: { uri: project.uri("src/large.ts") },
  })),
  "workspace symbols": simple("workspace/symbol", () => ({ query: "totalArea" })),
  "prepare rename": simple("textDocument/prepareRename", callee),
  rename: simple("textDocument/rename", () => ({ ...callee(), newName: "sumOfAreas" })),
  "pulled diagnostics": simple("textDocument/diagnostic", inMain),
  "code actions": simple("textDocument/codeAction", () => {
    const { position, textDocument } = project.at("src/lonely.ts", "Shape", 0);
    const range = { start: position, end: { ...position, character: position.character + 5 } };
    const diagnostics = [{ range, severity: 1, code: 2304, source: "ts", message: "Cannot find name 'Shape'." }];
    return { textDocument, range, context: { diagnostics, only: ["quickfix"] } };
  }),
  "organize imports": simple("textDocument/codeAction", () => ({
    ...inMain(),
    range: wholeFile,
    context: { diagnostics: [], only: ["source.organizeImports"] },
  })),
  formatting: simple("textDocument/formatting", () => ({ ...inMain(), options })),
  "range formatting": simple("textDocument/rangeFormatting", () => ({ ...inMain(), range: wholeFile, options })),
  "on type formatting": simple("textDocument/onTypeFormatting", () => ({
    ...project.at("src/main.ts", "area.toFixed(2);", 16),
    ch: ";",
    options,
  })),
  "semantic tokens": simple("textDocument/semanticTokens/full", inMain),
  "semantic tokens of a range": simple("textDocument/semanticTokens/range", () => ({ ...inMain(), range: wholeFile })),
  "inlay hints": simple("textDocument/inlayHint", () => ({ ...inMain(), range: wholeFile })),
  "prepare call hierarchy": simple("textDocument/prepareCallHierarchy", callee),
  "incoming calls": thenResolve("textDocument/prepareCallHierarchy", callee, "callHierarchy/incomingCalls", (list) => ({
    item: first(list),
  })),
  "outgoing calls": thenResolve(
    "textDocument/prepareCallHierarchy",
    () => project.at("src/main.ts", "report()", 1),
    "callHierarchy/outgoingCalls",
    (list) => ({ item: first(list) }),
  ),
  "folding ranges": simple("textDocument/foldingRange", inMain),
  "selection ranges": simple("textDocument/selectionRange", () => ({ ...inMain(), positions: [callee().position] })),
  "linked editing": simple("textDocument/linkedEditingRange", () => project.at("src/view.tsx", "<section", 3)),
  "code lenses": simple("textDocument/codeLens", () => ({ textDocument: { uri: project.uri("src/shapes.ts") } })),
  "code lens resolve": thenResolve(
    "textDocument/codeLens",
    () => ({ textDocument: { uri: project.uri("src/shapes.ts") } }),
    "codeLens/resolve",
    first,
  ),
  "edits before a file is renamed": simple("workspace/willRenameFiles", () => ({
    files: [{ oldUri: project.uri("src/shapes.ts"), newUri: project.uri("src/forms.ts") }],
  })),
  "the compiler's own source definition": simple("custom/textDocument/sourceDefinition", callee),
};

describe("language features", () => {
  it("advertises what the compiler serves, and its own", () => {
    const served = { ...bare.capabilities };
    for (const name of ["textDocumentSync", "workspace", "experimental"]) delete served[name];
    expect(advertised).toMatchObject(served);
    expect(advertised).toMatchObject({
      positionEncoding: "utf-16",
      textDocumentSync: { openClose: true, change: 2 },
      workspace: { fileOperations: { willRename: {} }, workspaceFolders: { supported: true } },
      experimental: { agentq: { version: 1 }, customSourceDefinitionProvider: true },
    });
    expect(Object.keys(advertised).toSorted()).toEqual(Object.keys(bare.capabilities).toSorted());
  });

  it.each(Object.entries(FEATURES))("answers %s as the compiler itself does", async (_name, ask) => {
    const { ours, theirs } = await sideBySide(ask);
    expect(ours).toEqual(theirs);
    expect(ours.result ?? []).not.toEqual([]);
  });

  it.each([
    "textDocument/declaration",
    "typeHierarchy/supertypes",
    "workspace/diagnostic",
    "custom/initializeAPISession",
  ])("does not serve %s, as LSP says it", async (method) => {
    await expect(client.connection.sendRequest(method, callee())).rejects.toMatchObject({ code: -32601 });
  });
});
