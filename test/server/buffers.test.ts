/** The editor's buffers: what the server asks for, of whom, and what it never reads. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { BufferText, EditorBuffer } from "../../server/src/protocol/buffer-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

let texts: Map<string, { buffer: EditorBuffer; lines: string[] }>;
let reads: string[];

const stage = serverStage({
  project: { "a.ts": "export const a = 1;\n", "src/allocate.ts": "" },
  agentq: { version: 1, proposals: true, approvals: true, buffers: true },
});
let client: ServerClient;
let root: string;

beforeEach(() => {
  [client, root, texts, reads] = [stage.client, stage.folder, new Map(), []];
  client.connection.onRequest("agentq/listBuffers", () => ({
    buffers: [...texts.values()].map((each) => each.buffer),
  }));
  client.connection.onRequest("agentq/readBuffer", ({ id, start, end }: { id: string; start: number; end: number }) => {
    reads.push(id);
    const found = texts.get(id);
    const some = found?.lines.slice(start, end) ?? [];
    return { buffer: found?.buffer, version: 7, lines: some } as BufferText;
  });
});

function buffer(name: string, lines: string[], more: Partial<EditorBuffer> = {}): void {
  const id = more.id ?? name;
  texts.set(id, { buffer: { id, name, kind: "fundamental", lines: lines.length, ...more }, lines });
}

const file = (path: string): Partial<EditorBuffer> => ({ uri: pathToFileURL(path).href });

async function call(name: string, args: object = {}): Promise<ToolResult> {
  return client.request("agentq/callTool", { name, arguments: args as Record<string, unknown> });
}

const answerOf = ({ content, error }: ToolResult): string => content || (error ?? "");

interface Asked {
  readonly arguments: object;
  readonly why: string;
}

/** Answers the next question after `seen` others, and tells what was asked. */
async function decide(seen: number, decision: "approved" | "denied", remember?: "workspace"): Promise<Asked> {
  const asked = await client.waitFor((message) => {
    const all = client.received.filter(({ method }) => method === "agentq/approval");
    return message.method === "agentq/approval" && message === all[seen] ? message.params : undefined;
  });
  await client.request("agentq/answerApproval", {
    approvalId: asked.approvalId,
    decision,
    ...(remember === undefined ? {} : { remember }),
  });
  return asked;
}

const questions = (): number => client.received.filter(({ method }) => method === "agentq/approval").length;

describe("the buffers of the editor", () => {
  it("are told by their names, without those of other files", async () => {
    buffer("a.ts", ["const a = 1;"], {
      ...file(join(root, "a.ts")),
      kind: "typescript",
      modified: true,
      isVisible: true,
    });
    buffer("*compilation*", ["one", "two"], { kind: "compilation", isCurrent: true });
    buffer("passwords.txt", ["hunter2"], file("/home/somebody/passwords.txt"));
    buffer(".env", ["TOKEN=1"], file(join(root, ".env")));
    buffer("/home/somebody/notes", ["x"], {});
    buffer("host.txt", ["x"], { uri: "remote:/ssh:host:/etc/hosts" });
    expect(answerOf(await call("list_buffers"))).toBe(
      [
        "  a.ts (typescript, unsaved changes, 1 line); on screen",
        "No files of the workspace; the person is asked before one is read:",
        "  *compilation* (compilation, 2 lines); the person is here",
        "4 buffers of files outside of the workspace or under a name that secrets have: never read.",
      ].join("\n"),
    );
    expect(reads).toEqual([]);
  });

  it("of the workspace's files are read unasked, as the editor has them", async () => {
    buffer("a.ts<2>", ["first", "second"], { ...file(join(root, "a.ts")), kind: "typescript", modified: true });
    expect(answerOf(await call("read_buffer", { buffer: "a.ts" }))).toBe(
      "a.ts (typescript, version 7, unsaved changes, 2 lines)\n1  first\n2  second",
    );
    expect(answerOf(await call("search_in_buffer", { pattern: "seco", buffer: "a.ts" }))).toBe(
      "1 line of a.ts:\n2  second",
    );
    expect(questions()).toBe(0);
  });

  it("that bear the name of a file which is nowhere are read when the person agrees", async () => {
    buffer("[dap-repl]", ["secret"], file(join(root, "[dap-repl]")));
    buffer("src", ["secret"], file(root));
    buffer(join(root, "a.ts"), ["a scratch"], { id: "scratch" });
    buffer("new.ts", ["export const fresh = 1;"], file(join(root, "new.ts")));
    await client.open(join(root, "new.ts"), "export const fresh = 1;\n");
    expect(answerOf(await call("read_buffer", { buffer: "new.ts" }))).toContain("1  export const fresh");
    expect(questions()).toBe(0);
    for (const [seen, name] of ["[dap-repl]", "src", "scratch"].entries()) {
      const denied = call("read_buffer", { buffer: name });
      await decide(seen, "denied");
      expect((await denied).success).toBe(false);
    }
    // An answer that the opening overtakes is worked out again.
    expect(new Set(reads)).toEqual(new Set(["new.ts"]));
  });

  it("that the person is in is meant by an empty name too", async () => {
    buffer("a.ts", ["first"], { ...file(join(root, "a.ts")), kind: "typescript", isCurrent: true });
    expect(answerOf(await call("read_buffer", { buffer: "" }))).toContain("1  first");
  });

  it("of other files, and under names that secrets have, are never read, whoever asks", async () => {
    buffer("passwords.txt", ["hunter2"], { ...file("/home/somebody/passwords.txt"), isCurrent: true });
    buffer(".env", ["TOKEN=hunter2"], file(join(root, ".env")));
    buffer("magit: .ssh/id_rsa", ["hunter2"]);
    for (const name of [undefined, "passwords.txt", ".env", "magit: .ssh/id_rsa"]) {
      const args = name === undefined ? {} : { buffer: name };
      const answers = [await call("read_buffer", args), await call("search_in_buffer", { ...args, pattern: "h" })];
      for (const answer of answers) expect(answer.error).toContain("it is never read");
    }
    expect(reads).toEqual([]);
    expect(questions()).toBe(0);
  });

  it("are asked about for no pattern that is broken, which nobody could search for", async () => {
    buffer("*compilation*", ["error in a.ts"], { isCurrent: true });
    const { error } = await call("search_in_buffer", { pattern: "(", regex: true });
    expect(error).toContain("Invalid regular expression");
    expect(questions()).toBe(0);
  });

  it("that are no files are read when the person agrees, who is asked about exactly that buffer", async () => {
    buffer("*compilation*", ["error in a.ts"], { isCurrent: true });
    buffer("*shell*", ["secret"]);
    const reading = call("read_buffer");
    const asked = await decide(0, "approved");
    expect(asked.arguments).toEqual({ buffer: "*compilation*" });
    expect(asked.why).toBe(
      "The buffer is no file of the workspace, so it may hold anything: read_buffer runs only when you approve it.",
    );
    expect(answerOf(await reading)).toContain("1  error in a.ts");
    const denied = call("read_buffer", { buffer: "*shell*" });
    await decide(1, "denied");
    expect(answerOf(await denied)).toContain("NOT RUN: the person did not approve this call.");
    expect(reads).toEqual(["*compilation*"]);
  });

  it("read is the one that the person was asked about, though they went to another meanwhile", async () => {
    buffer("*one*", ["first"], { isCurrent: true });
    buffer("*two*", ["second"]);
    const reading = call("read_buffer");
    await client.waitFor(({ method }) => (method === "agentq/approval" ? true : undefined));
    buffer("*one*", ["first"]);
    buffer("*two*", ["second"], { isCurrent: true });
    await decide(0, "approved");
    expect(answerOf(await reading)).toContain("first");
  });

  it("is not read when another text has come under its name", async () => {
    buffer("*scratch*", ["notes"]);
    const reading = call("read_buffer", { buffer: "*scratch*" });
    await client.waitFor(({ method }) => (method === "agentq/approval" ? true : undefined));
    buffer("*scratch*", ["hunter2"], file("/home/somebody/passwords.txt"));
    await decide(0, "approved");
    const answer = answerOf(await reading);
    expect(answer).toBe("*scratch* has become another buffer; list the buffers again.");
  });

  it("is not asked about again where the person said so, whichever lines are read", async () => {
    buffer("*compilation*", ["one", "two"], { isCurrent: true });
    buffer("*shell*", ["three"]);
    const reading = call("read_buffer");
    await decide(0, "approved", "workspace");
    await reading;
    expect(answerOf(await call("read_buffer", { start: 2 }))).toContain("2  two");
    expect(questions()).toBe(1);
    // The buffer that the person is in is another one now.
    buffer("*compilation*", ["one", "two"]);
    buffer("*shell*", ["three"], { isCurrent: true });
    const other = call("read_buffer");
    await decide(1, "denied");
    expect(answerOf(await other)).toContain("NOT RUN");
  });

  it("is shown at its end when it grows there, and says how to read the rest", async () => {
    buffer(
      "*log*",
      Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}`),
    );
    const reading = call("read_buffer", { buffer: "*log*" });
    await decide(0, "approved", "workspace");
    const lines = answerOf(await reading).split("\n");
    expect(lines[1]).toBe(" 801  line 801");
    expect(lines.at(-1)).toBe("1000  line 1000");
    expect(answerOf(await call("read_buffer", { buffer: "*log*", start: 1 }))).toContain(
      "… lines 401-1000 not shown; call again with start: 401.",
    );
    expect(answerOf(await call("read_buffer", { buffer: "*log*", start: 2_000 }))).toContain("has 1000 lines");
  });

  it("is searched for a text or a regular expression, which ends in time", async () => {
    buffer("a.ts", ["aaa (b)", "c", `${"a".repeat(40)}!`, "(b)"], file(join(root, "a.ts")));
    const search = async (args: object): Promise<string> =>
      answerOf(await call("search_in_buffer", { buffer: "a.ts", ...args }));
    expect(await search({ pattern: "(b)" })).toBe("2 lines of a.ts:\n1  aaa (b)\n… 1 more; all_matches shows them.");
    expect(await search({ pattern: "(b)", all_matches: true })).toBe("2 lines of a.ts:\n1  aaa (b)\n4  (b)");
    expect(await search({ pattern: "^c$", regex: true })).toBe("1 line of a.ts:\n2  c");
    expect(await search({ pattern: "nowhere" })).toBe("0 lines of a.ts");
    expect(await search({ pattern: "(b", regex: true })).toContain("Invalid regular expression");
    expect(await search({ pattern: "^(a+)+$", regex: true })).toContain("takes too long");
  });

  it("says which buffer may be meant, or that there is none", async () => {
    buffer("src/allocate.ts", ["x"], file(join(root, "src/allocate.ts")));
    buffer("*Messages*", ["x"]);
    expect(answerOf(await call("read_buffer", { buffer: "allocate" }))).toContain("src/allocate.ts (");
    expect(answerOf(await call("read_buffer", { buffer: "*Mesages*" }))).toBe(
      "No buffer is called *Mesages*. Did you mean *Messages*?",
    );
    expect(answerOf(await call("read_buffer", { buffer: "zzzzzzzz" }))).toBe(
      "No buffer is called zzzzzzzz. Buffers: src/allocate.ts, *Messages*.",
    );
    expect(answerOf(await call("read_buffer"))).toContain("The person is in no buffer that can be told.");
  });

  it("are not offered by an editor that does not tell of them", async () => {
    client = new ServerClient();
    await client.initialize([root]);
    const { items } = await client.request("agentq/listTools", { categories: ["buffer"] });
    const names = items.filter(({ available }) => !available).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["list_buffers", "read_buffer", "search_in_buffer"]);
    expect(answerOf(await call("list_buffers"))).toContain("did not announce that it tells of its buffers");
    await client.close();
  });

  it("survives an editor whose answer makes no sense", async () => {
    client.connection.onRequest("agentq/listBuffers", () => ({ buffers: [{ id: 1 }] }));
    expect(answerOf(await call("list_buffers"))).toContain("The editor's answer to agentq/listBuffers makes no sense");
    client.connection.onRequest("agentq/listBuffers", () => {
      throw new Error("no");
    });
    expect(answerOf(await call("read_buffer"))).toContain("The editor did not answer: ");
  });
});
