/**
 * The part of TypeScript's unstable interface this project stands on, by name. When a new version breaks it, this test
 * says what is gone; when the engine starts to use something new, it says that the list must grow.
 */
import { readdirSync, readFileSync } from "node:fs";
import * as ast from "typescript/unstable/ast";
import * as unstable from "typescript/unstable/async";
import { afterAll, describe, expect, it } from "vitest";
import { compilerVersion } from "../../../../server/src/typescript/compiler-version.ts";
import { openProject } from "../with-typescript.ts";

const engine = new URL("../../../../server/src/typescript/", import.meta.url);
const sources = readdirSync(engine, { encoding: "utf8", recursive: true })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(new URL(name, engine), "utf8"))
  .join("\n");

const API_METHODS = ["updateSnapshot"];
const SNAPSHOT_METHODS = ["dispose", "getDefaultProjectForFile", "getProject", "getProjects"];
const PROGRAM_METHODS = [
  "getConfigFileParsingDiagnostics",
  "getDeclarationDiagnostics",
  "getGlobalDiagnostics",
  "getProgramDiagnostics",
  "getSemanticDiagnostics",
  "getSourceFile",
  "getSourceFileNames",
  "getSuggestionDiagnostics",
  "getSyntacticDiagnostics",
];
const CHECKER_METHODS = [
  "getAliasedSymbol",
  "getBaseConstraintOfType",
  "getBaseTypeOfLiteralType",
  "getBaseTypes",
  "getConstantValue",
  "getContextualType",
  "getDeclaredTypeOfSymbol",
  "getDocumentationCommentOfSymbol",
  "getExportsOfModule",
  "getImmediateAliasedSymbol",
  "getIndexInfosOfType",
  "getJsDocTagsOfSymbol",
  "getMemberInModuleExports",
  "getNonNullableType",
  "getPropertiesOfType",
  "getPropertyOfType",
  "getResolvedSignature",
  "getReturnTypeOfSignature",
  "getShorthandAssignmentValueSymbol",
  "getSignatureFromDeclaration",
  "getSignaturesOfType",
  "getSymbolAtLocation",
  "getSymbolAtPosition",
  "getTypeArguments",
  "getTypeAtLocation",
  "getTypeFromTypeNode",
  "getTypeOfSymbol",
  "isArrayType",
  "isTupleType",
  "isTypeAssignableTo",
  "resolveName",
  "signatureToSignatureDeclaration",
  "typeToString",
];
const LSP_REQUESTS = [
  "textDocument/codeAction",
  "textDocument/definition",
  "textDocument/diagnostic",
  "textDocument/documentSymbol",
  "textDocument/foldingRange",
  "textDocument/hover",
  "textDocument/prepareRename",
  "textDocument/references",
  "textDocument/rename",
  "workspace/symbol",
  "workspace/willRenameFiles",
];
/** Of the process's life; `native-process.test.ts` has them asked. */
const LSP_PROCESS = ["custom/initializeAPISession", "custom/runGC", "exit", "initialize", "initialized", "shutdown"];
const LSP_NOTIFICATIONS = [
  "textDocument/didChange",
  "textDocument/didClose",
  "textDocument/didOpen",
  "workspace/didChangeWatchedFiles",
];
const ASKED_BY_THE_COMPILER = ["workspace/configuration"];
/** What the relay treats in its own way; everything else between editor and compiler passes by without a name. */
const NAMED_BY_THE_RELAY = ["textDocument/publishDiagnostics", "workspace/didChangeConfiguration"];

const project = openProject({
  "tsconfig.json": '{ "compilerOptions": { "types": [] } }',
  "a.ts": "/** One. */\nexport const one = 1;\n",
  "b.ts": 'import { one } from "./a.ts";\nexport default one;\n',
});
afterAll(() => project.dispose());

function used(receiver: string): string[] {
  const calls = sources.matchAll(new RegExp(`\\b${receiver}\\.(\\w+)\\(`, "g"));
  return [...new Set([...calls].map(([, name]) => name ?? ""))].toSorted();
}

describe("the pinned surface of TypeScript", () => {
  it("is one exact version", () => {
    const { devDependencies = {}, dependencies = {} } = JSON.parse(
      readFileSync(new URL("../../../../package.json", import.meta.url), "utf8"),
    ) as { devDependencies?: Record<string, string>; dependencies?: Record<string, string> };
    expect(dependencies["typescript"] ?? devDependencies["typescript"]).toBe(compilerVersion);
  });

  it("names every checker, program, snapshot and API call the engine makes", () => {
    expect(used("checker")).toEqual(CHECKER_METHODS);
    expect(used("program").filter((name) => name.startsWith("get"))).toEqual(PROGRAM_METHODS);
    expect(used("snapshot").filter((name) => name !== "dispose")).toEqual(
      SNAPSHOT_METHODS.filter((name) => name !== "dispose"),
    );
    expect(used("api")).toEqual(API_METHODS);
  });

  it("names every LSP method the engine speaks", () => {
    const found = sources.matchAll(/"((?:textDocument|workspace|custom)\/\w+|initialized?|shutdown|exit)"/g);
    const spoken = new Set([...found].map(([, name]) => name ?? ""));
    const own = [...LSP_REQUESTS, ...LSP_PROCESS, ...LSP_NOTIFICATIONS];
    const pinned = [...own, ...ASKED_BY_THE_COMPILER, ...NAMED_BY_THE_RELAY];
    expect([...spoken].toSorted()).toEqual(pinned.toSorted());
  });

  it.each([
    ["API", unstable.API, API_METHODS],
    ["Snapshot", unstable.Snapshot, SNAPSHOT_METHODS],
    ["Program", unstable.Program, PROGRAM_METHODS],
    ["Checker", unstable.Checker, CHECKER_METHODS],
    ["NodeHandle", unstable.NodeHandle, ["resolve"]],
    ["Emitter", unstable.Emitter, ["printNode"]],
  ])("is there in the installed version: %s", (_name, owner, methods) => {
    const present = Object.getOwnPropertyNames(owner.prototype);
    expect(methods.filter((method) => !present.includes(method))).toEqual([]);
    expect(typeof unstable.API.fromLSPConnection).toBe("function");
  });

  it("has every syntax function that is imported", () => {
    const imports = sources.matchAll(/import \{([^}]*)\} from "typescript\/unstable\/ast"/g);
    const names = [...imports].flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
    const values = names.filter((name) => name !== "" && !name.startsWith("type "));
    expect(values.length).toBeGreaterThan(30);
    expect(values.filter((name) => !(name in ast))).toEqual([]);
  });

  it.each(LSP_REQUESTS)("answers %s", async (method) => {
    const answer = await project.service.query((view) => {
      const textDocument = { uri: project.uri("a.ts") };
      const position = { line: 1, character: 13 };
      const context = { includeDeclaration: true, diagnostics: [] };
      const range = { start: position, end: position };
      const files = [{ oldUri: project.uri("a.ts"), newUri: project.uri("moved/a.ts") }];
      return view.request(method, { textDocument, position, range, context, query: "one", newName: "two", files });
    }, AbortSignal.timeout(30_000));
    expect(answer).toEqual(expect.anything());
  });

  it("serves the checker on the state of the language server", async () => {
    const { documents } = project.service;
    documents.didOpen({
      uri: project.uri("a.ts"),
      languageId: "typescript",
      version: 1,
      text: "export const two = 2;\n",
    });
    const text = await project.service.query(
      async (view) => (await view.source(`${project.root}/a.ts`))?.source.text,
      AbortSignal.timeout(30_000),
    );
    expect(text).toBe("export const two = 2;\n");
  });
});
