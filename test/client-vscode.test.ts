/** The chat of the VS Code extension with the built server: an editor that previews edits, applies what is ticked and says nothing. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isBuiltin } from "node:module";
import { rolldown } from "rolldown";
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { Chat } from "../client-vscode/chat.ts";
import { call, reply } from "../examples/demo/model/script.ts";
import { startAgentq, type AgentqClient } from "../server/src/client/agentq-client.ts";
import { bareEnvironment, serverProgram } from "./support/server-client.ts";
import { serverStage } from "./support/server-stage.ts";

/** What the person ticks in a preview, by the title of a hunk, and answers to a question; undefined closes the question. */
class Person {
  ticks: (title: string) => boolean = () => true;
  readonly answers: ((question: string, detail: string) => string | undefined)[] = [];
  readonly asked: string[] = [];
  previews = 0;
  beforePreview: () => Promise<void> = async () => {};
}

const stage = serverStage({ isBare: true });
let client: AgentqClient;
let person: Person;
let chat: Chat;
let document: string;

beforeAll(async () => {
  client = await startAgentq({
    command: [process.execPath, serverProgram, "--stdio"],
    folder: stage.folder,
    environment: bareEnvironment(stage.environment()),
    // Asks as a dangerous call does, on every machine.
    settings: { policy: { ask: ["restart_repl"] } },
    name: "vscode-test",
  });
});

beforeEach(async () => {
  [person, document] = [new Person(), ""];
  const append = (markdown: string): void => void (document += markdown);
  const preview = async (edit: WorkspaceEdit): Promise<void> => {
    person.previews += 1;
    await person.beforePreview();
    const ticked = ticksOf(edit, person.ticks);
    if (ticked.documentChanges?.length !== 0) await client.buffers.apply(ticked);
  };
  const ask = async (question: string, answers: readonly string[]): Promise<string | undefined> => {
    const detail = document.slice(document.lastIndexOf("Asked:"));
    // What a key pressed by mistake may choose.
    expect(answers[0]).toMatch(/^(?:Reject|Deny)$/);
    person.asked.push(`${question}\n${detail}`);
    const answer = person.answers.shift()?.(question, detail);
    if (answer !== undefined) expect(answers).toContain(answer);
    return answer;
  };
  chat = new Chat(client, { append, preview, ask });
});
afterEach(async () => {
  chat.dispose();
  // A document that an editor has as the disk has it is closed.
  client.buffers.editor = { read: async (name) => readFileSync(name, "utf8") };
  for (const name of ["src/tax.ts", "src/sizes.ts"]) await client.buffers.follow(uri(name));
  client.buffers.editor = {};
});
afterAll(() => client.dispose());

/** What VS Code applies of an edit: the changes whose box is ticked. */
function ticksOf({ documentChanges = [], changeAnnotations = {} }: WorkspaceEdit, ticks: (title: string) => boolean) {
  const isTicked = (change: object): boolean =>
    "annotationId" in change && ticks(changeAnnotations[String(change.annotationId)]?.label ?? "");
  expect(Object.values(changeAnnotations).every(({ needsConfirmation }) => needsConfirmation)).toBe(true);
  return {
    documentChanges: documentChanges.flatMap((change): typeof documentChanges => {
      if (!("textDocument" in change)) return isTicked(change) ? [change] : [];
      const edits = change.edits.filter(isTicked);
      return edits.length === 0 ? [] : [{ ...change, edits }];
    }),
  };
}

function textOf(name: string): string {
  return readFileSync(file(name), "utf8");
}

function file(name: string): string {
  return path.join(stage.folder, name);
}

function uri(name: string): string {
  return pathToFileURL(file(name)).href;
}

const insert = (name: string, modified: string): object => ({ op: "insert_at_start", path: name, modified });
function propose(...edits: object[]): void {
  stage.steps.push(reply("I look. ", call("propose_edits", { description: "Says it.", edits })), reply("It is said."));
}

it("streams a turn into the document, under what the person said", async () => {
  stage.steps.push(reply("It books **-9.99 EUR**."));
  await chat.ask({ text: "What does it book?" });
  expect(document).toBe("\n\n## You\n\nWhat does it book?\n\n## Agent\n\nIt books **-9.99 EUR**.\n");
});

it("tells the server which hunks were ticked in the preview, and that the person rejected the other one", async () => {
  await client.buffers.open(uri("src/tax.ts"));
  const [tax, money] = [textOf("src/tax.ts"), textOf("src/money.ts")];
  propose(insert("src/tax.ts", "// Taxes.\n"), insert("src/money.ts", "// Money.\n"));
  person.ticks = (title) => title.includes("tax.ts");
  person.answers.push(() => "Reject");
  await chat.ask({ text: "Say it." });
  expect(textOf("src/tax.ts")).toBe(`// Taxes.\n${tax}`);
  expect(textOf("src/money.ts")).toBe(money);
  expect(person.asked).toEqual([expect.stringMatching(/^Not applied: 1 of 2 hunks[^]*money\.ts[^]*\+ \/\/ Money\./)]);
  expect(stage.sent(-1).messages.at(-1)).toContain("1 of 2 hunks");
  expect(document).toContain("It is said.");
});

it("tells one ticked hunk of a file from its neighbours, which stay as they were", async () => {
  const name = "src/sizes.ts";
  writeFileSync(file(name), "export const a = 1;\n\nexport const b = 2;\n\nexport const c = 3;\n");
  await client.buffers.open(uri(name));
  const tenfold = ["a = 1", "b = 2", "c = 3"].map((text) => ({
    op: "replace",
    path: name,
    original: text,
    modified: `${text}0`,
  }));
  propose(...tenfold);
  person.ticks = (title) => title === `${name}:3`;
  person.answers.push(() => "Reject");
  await chat.ask({ text: "More." });
  expect(textOf(name)).toBe("export const a = 1;\n\nexport const b = 20;\n\nexport const c = 3;\n");
  expect(person.asked).toEqual([
    expect.stringMatching(/^Not applied: 2 of 3 hunks[^]*\+ export const a = 10;[^]*c = 30;/),
  ]);
  expect(stage.sent(-1).messages.at(-1)).toContain("1 of 3 hunks");
});

it("asks nothing where everything was ticked, a new file too", async () => {
  propose(insert("src/tax.ts", "// Taxes.\n"), { op: "create", path: "src/new.ts", modified: "export const n = 1;\n" });
  await chat.ask({ text: "Say it." });
  expect(person.asked).toEqual([]);
  expect(textOf("src/new.ts")).toBe("export const n = 1;\n");
  expect(stage.sent(-1).messages.at(-1)).toContain("APPLIED: all 2 of 2 hunks.");
  propose({ op: "create", path: "src/other.ts", modified: "export const other = 1;\n" });
  await chat.ask({ text: "And another." });
  expect(stage.sent(-1).messages.at(-1)).toContain("APPLIED: all 1 of 1 hunks.");
  expect(person.asked).toEqual([]);
});

it("takes a preview that was closed for no answer, and shows the preview again when the person says so", async () => {
  const tax = textOf("src/tax.ts");
  propose(insert("src/tax.ts", "// Taxes.\n"));
  person.ticks = () => false;
  person.answers.push(() => undefined);
  const turn = chat.ask({ text: "Say it." });
  await expect.poll(() => document).toContain("Answer What Waits");
  expect(stage.model.requests).toHaveLength(1);
  person.ticks = () => true;
  chat.answer();
  await turn;
  expect(person.previews).toBe(2);
  expect(textOf("src/tax.ts")).toBe(`// Taxes.\n${tax}`);
});

it("says that a hunk is in conflict where the person typed at its place during the preview, and applies nothing there", async () => {
  const name = "src/sizes.ts";
  writeFileSync(file(name), "export const a = 1;\n");
  await client.buffers.open(uri(name));
  stage.steps.push(
    reply(
      call("propose_edits", {
        description: "More.",
        edits: [{ op: "replace", path: name, original: "a = 1", modified: "a = 10" }],
      }),
    ),
    reply("I see."),
  );
  const typed = { range: { start: { line: 0, character: 17 }, end: { line: 0, character: 18 } }, newText: "7" };
  person.beforePreview = async () => {
    const textDocument = { uri: uri(name), version: null };
    await client.buffers.apply({ documentChanges: [{ textDocument, edits: [typed] }] });
  };
  person.ticks = () => false;
  person.answers.push(() => "Reject");
  await chat.ask({ text: "More." });
  expect(textOf(name)).toBe("export const a = 7;\n");
  expect(person.asked).toEqual([expect.stringContaining("Not applied: 1 of 1 hunks")]);
  expect(stage.sent(-1).messages.at(-1)).toContain("the document changed at that place");
});

it("asks about a deletion, which no preview shows", async () => {
  mkdirSync(file("notes"));
  writeFileSync(file("notes/old.ts"), "export const old = 1;\n");
  propose({ op: "delete", path: "notes/old.ts" });
  person.answers.push(() => "Accept");
  await chat.ask({ text: "Tidy." });
  expect(person.previews).toBe(0);
  expect(person.asked).toEqual([expect.stringContaining("delete notes/old.ts")]);
  expect(() => readFileSync(file("notes/old.ts"))).toThrow("ENOENT");
});

it.each([
  ["Approve", "approved"],
  ["Deny", "denied"],
])("shows all of a dangerous call's arguments, and answers %s", async (answer, decision) => {
  stage.steps.push(reply(call("restart_repl", {})), reply("Well."));
  person.answers.push(() => answer);
  await chat.ask({ text: "Anew." });
  expect(document).toContain("May the agent call restart_repl?");
  const { items } = await client.request("agentq/auditLog", {});
  expect(items.findLast(({ tool }) => tool === "restart_repl")).toMatchObject({ decision });
});

it("cancels a turn that waits for an answer, and the question with it", async () => {
  stage.steps.push(reply(call("restart_repl", {})), reply("Well."));
  const turn = chat.ask({ text: "Anew." });
  await expect.poll(() => document).toContain("Answer What Waits");
  await chat.cancel();
  await turn;
  expect(document).toContain("The turn has ended: cancelled");
  expect(stage.model.requests).toHaveLength(1);
});

it("evaluates a form into the document", async () => {
  await chat.evaluate("6 * 7", uri("src/tax.ts"));
  expect(document).toMatch(/6 \* 7[^]*42/);
});

it("opens no modal box, which would take a key that is meant for the code", () => {
  const folder = fileURLToPath(new URL("../client-vscode", import.meta.url));
  const sources = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  expect(sources).toContain("extension.ts");
  for (const name of sources) expect(readFileSync(path.join(folder, name), "utf8"), name).not.toMatch(/\bmodal\s*:/);
});

it("is bundled into one file that needs nothing but VS Code and Node", async () => {
  const input = fileURLToPath(new URL("../client-vscode/extension.ts", import.meta.url));
  const bundle = await rolldown({ input, platform: "node", external: ["vscode"] });
  const { output } = await bundle.generate({ format: "cjs" });
  await bundle.close();
  expect(output).toHaveLength(1);
  expect(output[0].imports.filter((name) => !isBuiltin(name))).toEqual(["vscode"]);
});
