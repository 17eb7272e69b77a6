/** `languageFeatures: "on"` while things happen: edits, cancellations, a dead compiler, other settings, poor editors. */
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { sections, startBareCompiler } from "../support/bare-compiler.ts";
import { ServerClient } from "../support/server-client.ts";
import { stopProcess } from "../support/stop-process.ts";
import { richCapabilities, richSettings } from "./editor-capabilities.ts";
import { LanguageProject, type Place } from "./language-features-project.ts";

const PATIENCE = { timeout: 40_000, interval: 20 };

interface Asked {
  readonly method: string;
  readonly params: unknown;
}

let project: LanguageProject;
let client: ServerClient;
let asked: Asked[];
let settings: Readonly<Record<string, unknown>>;

beforeEach(() => {
  project = new LanguageProject();
  client = new ServerClient({ isProgram: true });
  asked = [];
  settings = richSettings;
  const answer = (method: string, params: unknown): unknown => {
    asked.push({ method, params });
    return method === "workspace/configuration" ? sections(params, settings) : null;
  };
  client.connection.onRequest(answer);
  client.connection.onRequest("client/registerCapability", (params) => answer("client/registerCapability", params));
});

afterEach(async () => {
  await client.close();
  project.dispose();
});

async function start(capabilities: object = richCapabilities, options: object = { languageFeatures: "on" }) {
  const answer = await client.initialize([project.folder], { capabilities, initializationOptions: options });
  return (answer as { capabilities: Record<string, unknown> }).capabilities;
}

function ask<Answer>(method: string, params: object): Promise<Answer> {
  return client.connection.sendRequest(method, params);
}

async function hover(place: Place): Promise<string> {
  const answer = await ask<{ contents: { value: string } } | null>("textDocument/hover", place);
  return answer?.contents.value ?? "";
}

function change(uri: string, version: number, text: string): void {
  void client.connection.sendNotification("textDocument/didChange", {
    textDocument: { uri, version },
    contentChanges: [{ text }],
  });
}

async function diagnosticsOf(name: string): Promise<string[]> {
  const textDocument = { uri: project.uri(name) };
  const report = await ask<{ items: { message: string }[] }>("textDocument/diagnostic", { textDocument });
  return report.items.map(({ message }) => message);
}

/** The process of the compiler that the server runs. */
function compilerPid(): number {
  const lines = execFileSync("ps", ["-Ao", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const processes = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []);
  const family = new Set([String(client.child.pid)]);
  for (const [, pid = "", parent = ""] of processes) if (family.has(parent)) family.add(pid);
  const found = processes.find(([, pid = "", , args = ""]) => family.has(pid) && args.includes("--lsp"));
  return Number(found?.[1]);
}

function askedFor(method: string): unknown[] {
  return asked.filter((request) => request.method === method).map(({ params }) => params);
}

describe("while the text changes", () => {
  it("answers every request from the text sent before it, for the editor and for the tools, in 100 rounds", async () => {
    await start();
    const uri = await client.open(project.file("src/main.ts"), "export const value = 0;\n");
    const place = { textDocument: { uri }, position: { line: 0, character: 14 } };
    const hovers: Promise<string>[] = [];
    const calls: Promise<string>[] = [];
    for (let round = 1; round <= 100; round += 1) {
      change(uri, round + 1, `export const value = ${round};\n`);
      const answer = hover(place);
      hovers.push(answer);
      const call = { name: "describe_symbol", arguments: { symbol: "src/main.ts#value" } };
      if (round % 10 === 0) calls.push(client.request("agentq/callTool", call).then(({ content }) => content));
      // Every third edit goes out while what was asked before is still under way.
      if (round % 3 !== 0) expect(await answer).toContain(`value: ${round}\n`);
    }
    const seen = (await Promise.all(hovers)).map((text) => Number(/value: (\d+)/.exec(text)?.[1]));
    // The compiler takes its text when it gets to the request: it may be newer than the request, never older.
    expect(seen.filter((value, index) => !(value > index))).toEqual([]);
    expect(calls).toHaveLength(10);
    const described = (await Promise.all(calls)).map((text) => Number(/value: (\d+)/.exec(text)?.[1]));
    for (const [index, value] of described.entries()) expect(value).toBeGreaterThanOrEqual((index + 1) * 10);
  });

  it("relays for documents that are not on disk", async () => {
    await start();
    const textDocument = { uri: "untitled:Untitled-1", languageId: "typescript", version: 1, text: "let a: 5 = 6;\n" };
    await client.connection.sendNotification("textDocument/didOpen", { textDocument });
    const report = await ask<{ items: object[] }>("textDocument/diagnostic", { textDocument });
    expect(report.items).toMatchObject([{ code: 2322 }]);
  });
});

describe("cancellation", () => {
  it("answers a cancelled request at once, and ignores what is unknown or too late", async () => {
    await start();
    await client.open(project.file("src/main.ts"), project.text("src/main.ts"));
    const place = project.at("src/main.ts", "totalArea(both", 2);
    await hover(place);
    const pid = compilerPid();
    await stopProcess(pid);
    const id = 9_000;
    const answers = new Promise<string>((resolve) => {
      client.child.stdout.on("data", (chunk: Buffer) => {
        const text = chunk.toString();
        if (text.includes(`"id":${id},`)) resolve(text);
      });
    });
    const send = (message: object): void => {
      const body = JSON.stringify({ jsonrpc: "2.0", ...message });
      client.child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    };
    send({ id, method: "textDocument/references", params: { ...place, context: { includeDeclaration: true } } });
    send({ method: "$/cancelRequest", params: { id } });
    expect(await answers).toContain(`"id":${id},"error":{"code":-32800`);
    process.kill(pid, "SIGCONT");
    send({ method: "$/cancelRequest", params: { id } });
    send({ method: "$/cancelRequest", params: { id: "never seen" } });
    expect(await hover(place)).toContain("totalArea");
  });
});

describe("a compiler that dies", () => {
  it("is asked again on the next process, with the open text, the registrations and no stale diagnostics", async () => {
    project.write("tsconfig.json", '{ "compilerOptions": { "module": "nodenext", "types": [], "nonsense": true } }\n');
    await start();
    const uri = await client.open(project.file("src/main.ts"), "export const unsaved = 1;\n");
    const place = { textDocument: { uri }, position: { line: 0, character: 15 } };
    await hover(place);
    const published = () =>
      client.received.flatMap(({ method, params }) =>
        (method as string) === "textDocument/publishDiagnostics"
          ? [(params as unknown as { diagnostics: object[] }).diagnostics.length]
          : [],
      );
    await vi.waitUntil(() => published().some((count) => count > 0), PATIENCE);
    await vi.waitUntil(() => askedFor("client/registerCapability").length > 1, PATIENCE);
    const before = asked.length;
    const shown = published().length;
    const pid = compilerPid();
    await stopProcess(pid);
    const inFlight = hover(place);
    process.kill(pid, "SIGKILL");
    expect(await inFlight).toContain("unsaved");
    expect(compilerPid()).not.toBe(pid);
    await vi.waitUntil(() => published().length > shown + 1, PATIENCE);
    expect(published().slice(shown)).toEqual([0, 1]);
    await vi.waitUntil(() => asked.slice(before).filter(isRegistration).length > 1, PATIENCE);
    const later = asked.slice(before).map(({ method }) => method);
    expect(later[0]).toBe("client/unregisterCapability");
    expect(later).toEqual(expect.arrayContaining(["workspace/configuration", "workspace/diagnostic/refresh"]));
    const tool = await client.request("agentq/callTool", {
      name: "describe_symbol",
      arguments: { symbol: "src/main.ts#unsaved" },
    });
    expect(tool.content).toContain("unsaved: 1");
  });

  itAtLength("makes a request wait while it restarts, and cancel that wait", async () => {
    await start();
    await client.open(project.file("src/main.ts"), project.text("src/main.ts"));
    const place = project.at("src/main.ts", "totalArea(both", 2);
    for (let death = 0; death < 3; death += 1) {
      await hover(place);
      process.kill(compilerPid(), "SIGKILL");
      expect(await hover(place)).toContain("totalArea");
    }
  });
});

function isRegistration({ method }: Asked): boolean {
  return method === "client/registerCapability";
}

describe("settings", () => {
  const hints = () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 20, character: 0 } };
    return ask<object[] | null>("textDocument/inlayHint", { textDocument: { uri: project.uri("src/main.ts") }, range });
  };

  it("asks the editor for its settings, and again when they change", async () => {
    settings = {};
    await start();
    await client.open(project.file("src/main.ts"), project.text("src/main.ts"));
    expect(await hints()).toEqual(null);
    settings = richSettings;
    await client.connection.sendNotification("workspace/didChangeConfiguration", { settings: null });
    // A tool that takes a snapshot meanwhile must not swallow the new settings.
    change(project.uri("src/main.ts"), 2, `${project.text("src/main.ts")}\n`);
    const call = { name: "describe_symbol", arguments: { symbol: "totalArea" } };
    await client.request("agentq/callTool", call);
    await vi.waitUntil(async () => ((await hints()) ?? []).length > 0, PATIENCE);
    await client.connection.sendNotification("workspace/didChangeConfiguration", { settings: { typescript: {} } });
    await client.request("agentq/callTool", call);
    expect(await hints()).toEqual(null);
    process.kill(compilerPid(), "SIGKILL");
    expect(await hints()).not.toEqual(null);
  });
});

describe("the disk", () => {
  it("hears of files from an editor that watches them", async () => {
    await start();
    await client.open(project.file("src/main.ts"), 'import { late } from "./late.js";\nexport const x = late;\n');
    expect(await diagnosticsOf("src/main.ts")).toEqual([expect.stringContaining("./late.js")]);
    project.write("src/late.ts", "export const late = 1;\n");
    const changes = [{ uri: project.uri("src/late.ts"), type: 1 }];
    await client.connection.sendNotification("workspace/didChangeWatchedFiles", { changes });
    expect(await diagnosticsOf("src/main.ts")).toEqual([]);
  });

  it("looks by itself for an editor that does not", async () => {
    const { didChangeWatchedFiles: _gone, ...workspace } = richCapabilities.workspace;
    await start({ ...richCapabilities, workspace });
    await client.open(project.file("src/main.ts"), 'import { late } from "./late.js";\nexport const x = late;\n');
    expect(await diagnosticsOf("src/main.ts")).toEqual([expect.stringContaining("./late.js")]);
    project.write("src/late.ts", "export const late = 1;\n");
    await vi.waitUntil(async () => (await diagnosticsOf("src/main.ts")).length === 0, PATIENCE);
  });
});

describe("an editor that can do little", () => {
  it("is asked nothing it cannot answer, and gets the shapes it reads, while the tools get theirs", async () => {
    await start({});
    const bare = await startBareCompiler(project.folder, {}, {});
    const textDocument = { uri: project.uri("src/shapes.ts") };
    const symbols = await ask<object[]>("textDocument/documentSymbol", { textDocument });
    expect(symbols).toEqual(await bare.connection.sendRequest("textDocument/documentSymbol", { textDocument }));
    bare.dispose();
    const place = project.at("src/shapes.ts", "totalArea", 2);
    const { contents } = await ask<{ contents: unknown }>("textDocument/hover", place);
    expect(contents).toEqual({
      kind: "plaintext",
      value: "function totalArea(shapes: readonly Shape[], scale: number): number\nThe area of all of them together.",
    });
    const tool = await client.request("agentq/callTool", { name: "describe_symbol", arguments: { symbol: "Circle" } });
    expect(tool.content).toContain("area(): number");
    expect(asked).toEqual([]);
  });
});

describe("an editor that does not ask for diagnostics", () => {
  const publishedFor = (name: string): object[][] =>
    client.received.flatMap(({ method, params }) => {
      const { uri, diagnostics } = params as unknown as { uri: string; diagnostics: object[] };
      return (method as string) === "textDocument/publishDiagnostics" && uri === project.uri(name) ? [diagnostics] : [];
    });

  it("is sent diagnostics, also where a change elsewhere moved them, and none after a file was closed", async () => {
    await start({});
    await client.open(project.file("src/main.ts"), project.text("src/main.ts"));
    const uri = await client.open(project.file("src/shapes.ts"), project.text("src/shapes.ts"));
    await vi.waitUntil(() => publishedFor("src/main.ts").at(-1)?.length === 2, PATIENCE);
    expect(publishedFor("src/main.ts").at(-1)).toMatchObject([{ code: 2322 }, { code: 2304 }]);
    change(uri, 2, project.text("src/shapes.ts").replace("totalArea", "sumOfAreas"));
    await vi.waitUntil(() => publishedFor("src/main.ts").at(-1)?.length === 3, PATIENCE);
    const textDocument = { uri: project.uri("src/main.ts") };
    await client.connection.sendNotification("textDocument/didClose", { textDocument });
    await vi.waitUntil(() => publishedFor("src/main.ts").at(-1)?.length === 0, PATIENCE);
  });
});

describe("with language features off", () => {
  // That they are off by default, and where the setting is wrong, is in test/unit/settings/settings.test.ts.
  it.each([{ languageFeatures: true }])("advertises and relays nothing of the compiler for %o", async (options) => {
    const capabilities = await start(richCapabilities, options);
    expect(capabilities["completionProvider"]).toEqual({ triggerCharacters: ["@", "#", "$", "/"] });
    expect(Object.keys(capabilities).toSorted()).toEqual([
      "codeActionProvider",
      "completionProvider",
      "executeCommandProvider",
      "experimental",
      "positionEncoding",
      "textDocumentSync",
      "workspace",
    ]);
    await client.open(project.file("src/main.ts"), project.text("src/main.ts"));
    await expect(hover(project.at("src/main.ts", "totalArea"))).rejects.toMatchObject({ code: -32601 });
    await client.request("agentq/callTool", { name: "describe_symbol", arguments: { symbol: "totalArea" } });
    const registered = askedFor("client/registerCapability") as { registrations: { method: string }[] }[];
    const methods = registered.map(({ registrations }) => registrations.map(({ method }) => method));
    expect(methods).toEqual([["workspace/didChangeWatchedFiles"]]);
    expect(askedFor("workspace/configuration")).toEqual([]);
  });
});
