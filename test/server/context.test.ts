/** What goes along with a prompt: by a list that is kept, and by mentions in the text. */
import { execFileSync } from "node:child_process";
import { writeFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { say, SessionStage } from "../support/session-stage.ts";
import type { ServerClient } from "../support/server-client.ts";

const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let stage: SessionStage;
let client: ServerClient;

beforeAll(async () => {
  stage = new SessionStage();
  const at = (name: string): string => path.join(stage.folder, name);
  mkdirSync(at("pictures"));
  writeFileSync(at("pictures/dot.png"), DOT);
  writeFileSync(at("pictures/no.png"), "This is no picture.");
  writeFileSync(at("note.txt"), "first line\nsecond line\nthird line\n");
  writeFileSync(at(".env"), "TOKEN=quince-and-medlar");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: stage.folder });
  git("init", "-q");
  git("add", "-f", ".");
  git("commit", "-qm", "all");
  writeFileSync(at("note.txt"), "first line\nchanged line\nthird line\n");
  writeFileSync(at(".env"), "TOKEN=quince-and-damson");
  await stage.open();
  client = await stage.start();
});

afterAll(() => stage.dispose());

const uriOf = (name: string): string => pathToFileURL(path.join(stage.folder, name)).href;

async function told(
  text: string,
  more: object = {},
): Promise<{ words: string; events: Awaited<ReturnType<typeof say>>["events"] }> {
  const { turnId } = await client.request("agentq/prompt", { text, ...more });
  const events = await client.turn(turnId);
  return { words: stage.lastWords(), events };
}

function noticesIn(events: Awaited<ReturnType<typeof say>>["events"]): string[] {
  return events.flatMap((event) => (event.kind === "notice" ? event.message : []));
}

describe("a mention", () => {
  it("of a file, lines, a folder, a symbol and a value goes along with what it names, and the events say so", async () => {
    await client.request("agentq/evaluate", { code: "const basket = [1, 2, 3]" });
    const { words, events } = await told("Compare @note.txt:2-3, @pictures/, #billOrder and $basket.");
    expect(words).toContain("note.txt:2-3\n```\nchanged line\nthird line\n```");
    expect(words).toContain("dot.png");
    expect(words).toContain("export function billOrder(");
    expect(words).toContain("REPL value basket\n");
    expect(words).toMatch(/## Request\n\nCompare @note\.txt:2-3, @pictures\/, #billOrder and \$basket\.$/);
    expect(events[0]).toMatchObject({
      kind: "turnStarted",
      attached: ["note.txt:2-3", "pictures/", "symbol billOrder", "REPL value basket"],
    });
    expect(noticesIn(events)).toEqual([]);
  });

  it("is read when the prompt is sent: unsaved text counts", async () => {
    await client.open(path.join(stage.folder, "fresh.ts"), "export const unsaved = 17;\n");
    const { words } = await told("See @fresh.ts");
    expect(words).toContain("fresh.ts (not saved)\n```\nexport const unsaved = 17;");
  });

  it("of the diff shows what is not committed, without files that hold secrets", async () => {
    const { words } = await told("Review @diff please");
    expect(words).toContain("-second line\n+changed line");
    expect(words).toContain("1 changed file is not shown.");
    expect(words).not.toContain("damson");
  });

  it("of a picture is sent to the model as a picture, and is still one after a restart", async () => {
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "What is on @pictures/dot.png?" });
    await client.turn(turnId);
    const block = { type: "image", source: { type: "base64", media_type: "image/png", data: DOT.toString("base64") } };
    expect(stage.model.requests.at(-1)?.messages.at(-1)?.content).toContainEqual(block);
    await stage.close(client);
    client = await stage.start();
    await say(client, "And now?", sessionId);
    expect(stage.model.requests.at(-1)?.messages[0]?.content).toContainEqual(block);
  });

  it.each([
    ["wide.png", 9_000, /a side of 9000 pixels; models take at most 8000/],
    ["nothing.png", 0, /is damaged/],
  ])("of a picture that no model takes is not sent, and the person hears why: %s", async (name, side, why) => {
    const bytes = Buffer.from(DOT);
    bytes.writeUInt32BE(side, 20);
    writeFileSync(path.join(stage.folder, "pictures", name), bytes);
    const { events } = await told(`What is on @pictures/${name}?`);
    expect(noticesIn(events).join("\n")).toMatch(why);
    expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).not.toContain('"image"');
  });

  it("that means nothing is told to the person, and the words are sent as they are", async () => {
    const text = "See @src/nope.ts, #nowhereToBeFound and $neverSet, @.env, @pictures/no.png";
    const { words, events } = await told(text);
    const notices = noticesIn(events).join("\n");
    for (const part of ["@src/nope.ts: there is no such", "#nowhereToBeFound is no symbol", "$neverSet is no value"]) {
      expect(notices).toContain(part);
    }
    expect(notices).toContain("@.env was not read");
    expect(notices).toContain("no PNG");
    expect(words).toContain(text);
    expect(words).not.toContain("quince");
  });

  it("is none in prose", async () => {
    const text = "Ask a@b.org about #12, $HOME and @deprecated in `@note.txt`.";
    const { words, events } = await told(text);
    expect(words.endsWith(text)).toBe(true);
    expect(words).not.toContain("## Context");
    expect(noticesIn(events)).toEqual([]);
  });
});

describe("a selection", () => {
  it("is exactly the characters that are selected", async () => {
    const range = { start: { line: 1, character: 2 }, end: { line: 2, character: 5 } };
    const { words } = await told("This?", { context: [{ kind: "selection", uri: uriOf("note.txt"), range }] });
    expect(words).toContain("note.txt:2-3, from character 3, exactly\n```\nanged line\nthird\n```");
  });
});

describe("the list of context", () => {
  it("goes along once, and again when what it names has changed; it outlives the server", async () => {
    const { sessionId } = await say(client, "Hello.");
    const items = [{ kind: "file" as const, uri: uriOf("note.txt") }];
    const added = await client.request("agentq/addContext", { sessionId, items });
    expect(added.added).toMatchObject([{ kind: "file", label: "note.txt" }]);
    expect((await client.request("agentq/addContext", { sessionId, items })).total).toBe(1);
    expect((await told("One.", { sessionId })).words).toContain("changed line");
    expect((await told("Two.", { sessionId })).words).not.toContain("changed line");
    await stage.close(client);
    client = await stage.start();
    const kept = await client.request("agentq/listContext", { sessionId });
    expect(kept.items).toMatchObject([{ label: "note.txt", isSent: true, size: expect.any(Number) as number }]);
    writeFileSync(path.join(stage.folder, "note.txt"), "now this\n");
    expect((await told("Three.", { sessionId })).words).toContain("now this");
    const id = kept.items[0]?.id ?? "";
    expect((await client.request("agentq/removeContext", { sessionId, ids: [id] })).total).toBe(0);
    await expect(client.request("agentq/removeContext", { sessionId, ids: [id] })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("without a conversation is that of the next one, also when it begins with a command", async () => {
    await client.request("agentq/addContext", { items: [{ kind: "text", text: "Damsons are ripe.", label: "news" }] });
    const { sessionId } = await say(client, "/context");
    expect((await client.request("agentq/listContext", {})).total).toBe(0);
    expect((await told("What is ripe?", { sessionId })).words).toContain("news\n```\nDamsons are ripe.");
    expect((await client.request("agentq/clearContext", { sessionId })).total).toBe(0);
  });

  it("takes 50 items of 50,000 characters, with a cut that says so", async () => {
    const { sessionId } = await say(client, "Hello.");
    const text = (index: number) => ({
      kind: "text" as const,
      label: `t${index}`,
      text: `${index}-${"x".repeat(60_000)}`,
    });
    await client.request("agentq/addContext", { sessionId, items: Array.from({ length: 50 }, (_, at) => text(at)) });
    await expect(client.request("agentq/addContext", { sessionId, items: [text(50)] })).rejects.toMatchObject({
      code: -32602,
    });
    const { words } = await told("All.", { sessionId });
    expect(words).toContain("t49 (cut: the first 50000 of 60003 characters)");
  });

  it("keeps no key, and refuses nothing that is only missing now", async () => {
    const { sessionId } = await say(client, "Hello.");
    const items = [{ kind: "file" as const, uri: uriOf("later.txt") }];
    const { added } = await client.request("agentq/addContext", { sessionId, items });
    expect(added).toMatchObject([{ missing: expect.stringContaining("does not exist") as string }]);
    const { events } = await told("Now?", { sessionId });
    expect(noticesIn(events).join()).toContain("later.txt does not exist");
  });

  it("is seen and changed by /context", async () => {
    const { sessionId, events } = await say(client, "/context add @note.txt #billOrder");
    const answer = (all: typeof events): string =>
      all.map((event) => (event.kind === "commandAnswer" ? event.text : "")).join("");
    expect(answer(events)).toMatch(
      /^1\. note\.txt \(file; \d+ characters, with the next prompt\)\n2\. symbol billOrder/,
    );
    expect(answer((await say(client, "/context remove 1", sessionId)).events)).toMatch(/^1\. symbol billOrder/);
    expect(answer((await say(client, "/context add @nope.ts", sessionId)).events)).toContain("no such file");
    expect(textOf(stage.model.requests.at(-1)?.messages.at(-1)?.content)).not.toContain("/context");
  });
});
