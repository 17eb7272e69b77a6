/** The agent in an editor that knows only standard LSP: what the editor is asked, and what becomes of the answers. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { CodeAction, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { call, reply } from "../../examples/demo/model/script.ts";
import { ServerClient } from "../support/server-client.ts";
import { runsAll } from "../support/extent.ts";
import { serverStage } from "../support/server-stage.ts";

interface Question {
  readonly message: string;
  readonly actions: readonly { readonly title: string }[];
}

const CAPABILITIES = { workspace: { applyEdit: true }, window: { showDocument: { support: true } } };

const stage = serverStage({
  settings: { policy: { ask: ["restart_repl"] } },
  agentq: null,
  capabilities: CAPABILITIES,
  listen: asEditor,
});
let client: ServerClient;
let questions: Question[];
/** The title that the person chooses; null closes the question, undefined cannot ask. */
let answer: (question: Question) => string | null | undefined;
let shown: string[];
let lies: boolean;
let applied: WorkspaceEdit[];

beforeEach(async () => {
  ({ client } = stage);
  [questions, shown, applied, lies] = [[], [], [], false];
  answer = () => null;
  await execute("agentq.newConversation");
});

function asEditor({ connection }: ServerClient): void {
  connection.onRequest("window/showMessageRequest", (question: Question) => {
    questions.push(question);
    // What a key pressed by mistake may choose.
    expect(question.actions[0]?.title).toMatch(/^(?:Later|Deny)$/);
    const title = answer(question);
    if (title === undefined) throw new Error("this editor cannot ask");
    return title === null ? null : { title };
  });
  connection.onRequest("window/showDocument", ({ uri }: { uri: string }) => {
    shown.push(readFileSync(fileURLToPath(uri), "utf8"));
    return { success: true };
  });
  connection.onRequest("window/workDoneProgress/create", () => null);
  connection.onRequest("workspace/applyEdit", ({ edit }: { edit: WorkspaceEdit }) => {
    applied.push(edit);
    if (!lies) for (const change of edit.documentChanges ?? []) applyToDisk(change);
    return { applied: true };
  });
}

/** Another editor, which announces something else. */
async function start(capabilities: object): Promise<void> {
  client = await stage.start({}, { capabilities, listen: asEditor });
}

function applyToDisk(change: NonNullable<WorkspaceEdit["documentChanges"]>[number]): void {
  if ("kind" in change) return;
  const file = fileURLToPath(change.textDocument.uri);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  writeFileSync(file, TextDocument.applyEdits(TextDocument.create("", "", 0, before), change.edits as TextEdit[]));
}

const at = (name: string): string => path.join(stage.folder, name);
const uri = (name: string): string => pathToFileURL(at(name)).href;
const execute = (command: string, given: object = {}): Promise<unknown> =>
  client.connection.sendRequest("workspace/executeCommand", { command, arguments: [given] });
const sentToModel = (): string => JSON.stringify(stage.model.requests.at(-1));

/** Two hunks in one file, one in another. */
function edits(): Record<string, unknown> {
  const lines = readFileSync(at("src/allocate.ts"), "utf8").split("\n");
  const [first = "", last = ""] = [
    lines.find((line) => line.startsWith("import")),
    lines.findLast((line) => line.startsWith("export")),
  ];
  return {
    description: "Notes.",
    edits: [
      { op: "insert_before", path: "src/allocate.ts", original: first, modified: "// one\n" },
      { op: "insert_before", path: "src/allocate.ts", original: last, modified: "// two\n" },
      { op: "create", path: "src/note.ts", modified: "export const note = 3;\n" },
    ],
  };
}

it("opens the answer of a turn as a document, with the tools that ran", async () => {
  stage.steps.push(reply(call("read_file", { path: "src/tax.ts" })), reply("It is **nineteen** percent."));
  await execute("agentq.prompt", { text: "What is the rate?" });
  await expect.poll(() => shown.length).toBe(1);
  expect(shown[0]).toContain("> What is the rate?");
  expect(shown[0]).toContain("- `read_file`: src/tax.ts");
  expect(shown[0]).toContain("It is **nineteen** percent.");
  stage.steps.push(reply("As I said."));
  await execute("agentq.prompt", { text: "Again?" });
  await expect.poll(() => shown.length).toBe(2);
  expect(sentToModel()).toContain("What is the rate?");
  await execute("agentq.newConversation");
  await execute("agentq.prompt", { text: "Who are you?" });
  await expect.poll(() => shown.length).toBe(3);
  expect(sentToModel()).not.toContain("What is the rate?");
});

it("shows the tools of a turn as progress, and an answer as a message where no document can be opened", async () => {
  const progress: string[] = [];
  await start({ workspace: { applyEdit: true }, window: { workDoneProgress: true } });
  client.connection.onNotification("$/progress", ({ value }: { value: { title?: string; message?: string } }) => {
    progress.push(`${value.title ?? ""}${value.message ?? ""}`);
  });
  const said = (words: string): Promise<string> =>
    client.waitFor(({ method, params }) => {
      const { message = "" } = params as { message?: string };
      return (method as string) === "window/showMessage" && message.includes(words) ? message : undefined;
    });
  stage.steps.push(reply(call("read_file", { path: "src/tax.ts" })), reply("It is **nineteen** percent."));
  await execute("agentq.prompt", { text: "What is the rate?" });
  expect(await said("> What is the rate?")).toContain("It is **nineteen** percent.");
  stage.steps.push(reply(`${"word ".repeat(2_000)}and the end.`));
  await execute("agentq.prompt", { text: "At length?" });
  const [, file = ""] = / … All of it stands in (.+)$/.exec(await said("> At length?")) ?? [];
  expect(readFileSync(file, "utf8")).toContain("and the end.");
  expect(shown).toEqual([]);
  expect(progress.some((each) => each.includes("read_file"))).toBe(true);
});

it("asks about each hunk, applies what was accepted file by file, and tells the model what was kept", async () => {
  stage.steps.push(reply(call("propose_edits", edits())), reply("Done."));
  answer = ({ message }) => (message.includes("+ // two") ? "Reject" : "Accept");
  await execute("agentq.prompt", { text: "Add notes." });
  await expect.poll(() => shown.length).toBe(2);
  expect(shown[0]).toContain("+++ b/src/allocate.ts");
  expect(questions.map(({ message }) => message.split("\n")[0])).toEqual([
    expect.stringMatching(/^Hunk 1 of 3 · src\/allocate\.ts:\d+$/),
    expect.stringMatching(/^Hunk 2 of 3 · src\/allocate\.ts:\d+$/),
    expect.stringMatching(/^Hunk 3 of 3 · src\/note\.ts/),
  ]);
  expect(applied.length).toBe(2);
  const text = readFileSync(at("src/allocate.ts"), "utf8");
  expect([text.includes("// one"), text.includes("// two")]).toEqual([true, false]);
  expect(readFileSync(at("src/note.ts"), "utf8")).toBe("export const note = 3;\n");
  expect(sentToModel()).toContain("2 of 3 hunks");
});

/** Of what these editors announce, by their sources of 2024 to 2026, that which the server asks about. */
const ANNOUNCED = {
  Helix: {
    workspace: { applyEdit: true, workspaceEdit: { documentChanges: true, failureHandling: "abort" } },
    window: { workDoneProgress: true },
    general: { positionEncodings: ["utf-8", "utf-32", "utf-16"] },
  },
  "Sublime Text": {
    workspace: { applyEdit: true, workspaceEdit: { documentChanges: true, failureHandling: "abort" } },
    window: {
      workDoneProgress: true,
      showDocument: { support: true },
      showMessage: { messageActionItem: { additionalPropertiesSupport: true } },
    },
  },
  "VS Code": {
    workspace: { applyEdit: true, workspaceEdit: { documentChanges: true, changeAnnotationSupport: {} } },
    window: {
      workDoneProgress: true,
      showDocument: { support: true },
      showMessage: { messageActionItem: { additionalPropertiesSupport: true } },
    },
    general: { positionEncodings: ["utf-16"] },
  },
};

it.each(Object.entries(ANNOUNCED).filter(([name]) => runsAll || name !== "Sublime Text"))(
  "brings a review to its end in an editor that announces what %s does",
  async (_name, announced) => {
    await start(announced);
    expect(client.capabilities).toMatchObject({ positionEncoding: "utf-16" });
    stage.steps.push(reply(call("propose_edits", edits())), reply("Done."));
    answer = () => "Accept all";
    await execute("agentq.prompt", { text: "Add notes." });
    await expect.poll(() => stage.model.requests.length).toBe(2);
    expect(readFileSync(at("src/allocate.ts"), "utf8")).toContain("// one");
    expect(readFileSync(at("src/note.ts"), "utf8")).toBe("export const note = 3;\n");
    expect(sentToModel()).toMatch(/applied/i);
  },
);

it.each([
  ["messages alone, as Kate does", { showMessage: { messageActionItem: { additionalPropertiesSupport: true } } }],
  ["progress alone, as Kate 22.12 does", {}],
])("answers by messages, and proposes no edits, in an editor that announces %s", async (_title, more) => {
  await start({ workspace: { workspaceFolders: true }, window: { workDoneProgress: true, ...more } });
  stage.steps.push(reply("It is **nineteen** percent."));
  await execute("agentq.prompt", { text: "What is the rate?" });
  await client.waitFor(({ method, params }) => {
    const { message = "" } = params as { message?: string };
    return ((method as string) === "window/showMessage" && message.includes("nineteen")) || undefined;
  });
  const offered = stage.model.requests.at(-1)?.tools?.map(({ name }) => name);
  expect(offered).toContain("search_text");
  expect(offered).not.toContain("propose_edits");
});

describe("Kate, which tells no name", () => {
  const said = async (words: string): Promise<string> =>
    client.waitFor(({ method, params }) => {
      const { message = "" } = params as { message?: string };
      return (method as string) === "window/showMessage" && message.includes(words) ? message : undefined;
    });
  const actionsAt = async (from: number, to: number, diagnostics: object[]): Promise<CodeAction[]> => {
    const range = { start: { line: from, character: 0 }, end: { line: to, character: 0 } };
    const params = { textDocument: { uri: uri("src/tax.ts") }, range, context: { diagnostics } };
    return client.connection.sendRequest<CodeAction[]>("textDocument/codeAction", params);
  };

  beforeEach(async () => {
    await start({
      window: { workDoneProgress: true },
      textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } } },
    });
    await client.open(at("src/tax.ts"), "const rate = 1;\nexport function tax(a: number) {\n  return a * rate;\n}\n");
  });

  it("reads each message as HTML, and so is sent every sign as itself", async () => {
    stage.steps.push(reply('A `Map<string, Money[]>` & <img src="file:///etc/hosts"> of\n\n    four blanks'));
    await execute("agentq.prompt", { text: "What?" });
    const message = await said("A `Map&lt;");
    expect(message).toContain('A `Map&lt;string, Money[]>` &amp; &lt;img src="file:///etc/hosts"> of\n\u00A0\n');
    expect(message).toContain("\n\u00A0\u00A0\u00A0\u00A0four blanks");
    await execute("agentq.evaluate", { code: "'<b>'" });
    expect(await said("&lt;b>")).not.toContain("<");
  });

  it("carries out all that a Quick Fix is offered, and so is offered one fix", async () => {
    const problem = { range: { start: { line: 2, character: 9 }, end: { line: 2, character: 10 } }, message: "No." };
    const fixes = await actionsAt(0, 4, [problem]);
    expect(fixes.map(({ title, kind }) => [kind, title])).toEqual([["quickfix", 'Agent-Q: fix "No."']]);
    expect((await actionsAt(0, 4, [])).length).toBeGreaterThan(3);
  });

  it("sends the whole line where nothing is selected, and asks about what is declared there", async () => {
    const [explain, ...others] = await actionsAt(1, 2, []);
    const asked = JSON.stringify(explain);
    expect(asked).toContain("Explain `tax` at src/tax.ts:2");
    expect(asked).toContain('"symbol":"src/tax.ts:2"');
    // No edit can be proposed there.
    expect(JSON.stringify(others)).toContain("and show what is to be changed.");
    expect(JSON.stringify(others)).not.toContain("propose");
  });
});

it("asks nobody who is typing", async () => {
  const file = at("src/typed.ts");
  await client.open(file, "");
  stage.steps.push(reply(call("restart_repl", {})), reply("Done."));
  let asked = 0;
  answer = () => {
    asked = Date.now();
    return "Deny";
  };
  const prompted = execute("agentq.prompt", { text: "Restart." });
  let typed = 0;
  for (let count = 0; count < 12; count += 1) {
    await client.change(pathToFileURL(file).href, "x".repeat(count));
    typed = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await prompted;
  await expect.poll(() => asked).toBeGreaterThan(0);
  expect(asked - typed).toBeGreaterThan(1_500);
});

it("shows no line that is too wide, and in the last one what a yes does", async () => {
  const wide = `export const wide = [${"1, ".repeat(60)}];\n`;
  const modified = wide + "export const more = 1;\n".repeat(40);
  stage.steps.push(
    reply(call("propose_edits", { description: "Much.", edits: [{ op: "create", path: "src/wide.ts", modified }] })),
    reply(call("run_command", { command: `echo ${"word ".repeat(200)}`, hosts: ["example.com"] })),
    reply("Done."),
  );
  answer = ({ message }) => (message.startsWith("Hunk") ? "Accept" : "Deny");
  await execute("agentq.prompt", { text: "Do much." });
  await expect.poll(() => questions.length).toBe(2);
  for (const { message } of questions) {
    const lines = message.split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(54);
    expect(lines.length).toBeLessThan(24);
  }
  expect(questions[0]?.message).toMatch(
    /\n… \d+ more lines, in the document that was opened\n(?:[^]*\n)?Create the file src\/wide\.ts\?$/,
  );
  expect(shown.some((text) => text.includes("word word word") && text.includes("example.com"))).toBe(true);
  // In Vim the new buffer has a line already.
  expect(applied[0]?.documentChanges?.at(-1)).toMatchObject({
    edits: [{ range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } } }],
  });
  expect(readFileSync(at("src/wide.ts"), "utf8")).toBe(modified);
});

it("takes the words of a command line for what the command is about", async () => {
  stage.steps.push(reply("Because."));
  await client.connection.sendRequest("workspace/executeCommand", {
    command: "agentq.ask",
    arguments: ["why", "is", "it", "so"],
  });
  await expect.poll(() => shown.at(-1) ?? "").toContain("> why is it so");
});

it("believes no editor that says that it applied an edit, and asks anew", async () => {
  lies = true;
  stage.steps.push(reply(call("propose_edits", edits())), reply("Done."));
  answer = () => (applied.length === 0 ? "Accept all" : "Reject all");
  await execute("agentq.prompt", { text: "Add notes." });
  await expect.poll(() => shown.at(-1) ?? "", { timeout: 30_000 }).toContain("> Add notes.");
  expect(applied.length).toBe(2);
  expect(questions.length).toBe(2);
  expect(sentToModel()).toMatch(/rejected/i);
  expect(readFileSync(at("src/allocate.ts"), "utf8")).not.toContain("// one");
});

it("lets the person put a review off, and asks again on a command that a code action offers", async () => {
  stage.steps.push(reply(call("propose_edits", edits())), reply("Done."));
  answer = () => "Later";
  await execute("agentq.prompt", { text: "Add notes." });
  await expect.poll(() => questions.length).toBe(3);
  const text = readFileSync(at("src/tax.ts"), "utf8");
  await client.open(at("src/tax.ts"), text);
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const params = { textDocument: { uri: uri("src/tax.ts") }, range, context: { diagnostics: [] } };
  const actions = await client.connection.sendRequest<CodeAction[]>("textDocument/codeAction", params);
  const waiting = actions.map(({ command, title }) => (typeof command === "object" ? command.title : title));
  expect(waiting).toContain("Agent-Q: answer what waits (1)");
  answer = () => "Accept all";
  await execute("agentq.answer");
  await expect.poll(() => existsSync(at("src/note.ts"))).toBe(true);
  await expect.poll(() => shown.at(-1) ?? "").toContain("> Add notes.");
});

it("tells the model that an editor could not ask, and changes nothing", async () => {
  const hash = (): string =>
    createHash("sha256")
      .update(readFileSync(at("src/allocate.ts")))
      .digest("hex");
  const before = hash();
  stage.steps.push(reply(call("propose_edits", edits())), reply("Done."));
  answer = () => undefined;
  await execute("agentq.prompt", { text: "Add notes." });
  await expect.poll(() => shown.at(-1) ?? "").toContain("> Add notes.");
  expect(sentToModel()).toContain("The editor could not ask the person.");
  expect(hash()).toBe(before);
});

it("asks before a dangerous call, with all that it would do", async () => {
  stage.steps.push(reply(call("restart_repl", { replay: ["all"] })), reply("Done."));
  answer = ({ message }) => (message.startsWith("May the agent call restart_repl?") ? "Deny" : "Allow");
  await execute("agentq.prompt", { text: "Restart." });
  await expect.poll(() => shown.length).toBe(1);
  expect(questions[0]?.message).toContain('replay: ["all"]');
  expect(sentToModel()).toContain("NOT RUN");
});

it("evaluates, runs tests and renames without the model", async () => {
  const said = (): string[] =>
    client.received.flatMap(({ method, params }) =>
      (method as string) === "window/showMessage" ? [(params as unknown as { message: string }).message] : [],
    );
  await execute("agentq.evaluate", { code: "1 + 1" });
  await expect.poll(said).toContain("2 : number");
  answer = () => "Accept all";
  await execute("agentq.rename", { symbol: "allocate", new_name: "divide" });
  expect(readFileSync(at("src/allocate.ts"), "utf8")).toContain("function divide(");
  await expect(execute("agentq.evaluate", {})).rejects.toThrow(/\/arguments\/0/);
  await expect(execute("agentq.nothing")).rejects.toThrow(/agentq\.prompt/);
  expect(stage.model.requests).toEqual([]);
});

it("is offered commands where something can be shown, and nothing where nothing can", async () => {
  expect(client.capabilities).toMatchObject({
    executeCommandProvider: { commands: expect.arrayContaining(["agentq.ask", "agentq.answer"]) as string[] },
  });
  await start({});
  expect(client.capabilities).not.toHaveProperty("executeCommandProvider");
});
