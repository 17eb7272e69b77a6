/** The real server under random parameters and random files: every request is answered, and no wrong byte is written. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc, { type Arbitrary } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TextDocumentEdit, TextEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { requestParams, type RequestMethod } from "../../server/src/protocol/methods.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { fuzz } from "../support/fuzz.ts";

let folder: string;
let client: ServerClient;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-fuzz-")));
  mkdirSync(path.join(folder, "src"));
  writeFileSync(path.join(folder, "package.json"), "{}");
  client = new ServerClient({ isProgram: true });
  await client.initialize([folder]);
});

afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const words = [
  "",
  "h1",
  "src",
  "../..",
  "file:///etc/passwd",
  "\0",
  "\ud83d",
  "__proto__",
  "a".repeat(10_000),
  "1 + 1",
  "\u202E",
  "(",
  "\r\n",
];
const anything = fc.oneof(
  fc.constantFrom<unknown>(...words, null, -1, 0, 1.5, 2 ** 53, true, [], {}),
  fc.jsonValue({ maxDepth: 4 }),
);

/** Mostly what the schema asks for, sometimes anything. */
function likeIt(schema: Schema): Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anything });
}

function fitting(schema: Schema): Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.properties !== undefined) {
    const known = Object.entries(schema.properties).map(([name, each]) => [name, likeIt(each)] as const);
    return fc
      .tuple(fc.record(Object.fromEntries(known), { requiredKeys: [] }), fc.boolean(), anything)
      .map(([given, isMore, more]) => (isMore && typeof more === "object" ? { ...more, ...given } : given));
  }
  if (schema.items !== undefined) return fc.array(likeIt(schema.items), { maxLength: 3 });
  if (schema.type === "integer" || schema.type === "number") return fc.integer({ min: -1, max: 50 });
  if (schema.type === "boolean") return fc.boolean();
  return fc.constantFrom(...words);
}

const methods = Object.keys(requestParams) as RequestMethod[];
const request = fc
  .constantFrom(...methods)
  .chain((method) => fc.tuple(fc.constant(method), likeIt(requestParams[method] as Schema)));
/** Wrong parameters, refusals of our own, a cancelled request; an internal error is a bug. */
const isRefusal = (code: number): boolean => code === -32602 || code === -32800 || (code <= -33001 && code >= -33008);

describe("the server", () => {
  it("answers every request, whatever its parameters are, and none with an internal error", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (requests) => {
        const codes = await Promise.all(
          requests.map(([method, params]) =>
            client.connection.sendRequest<unknown>(method, params).then(
              () => 0,
              ({ code, message }: { code: number; message: string }) => (isRefusal(code) ? 0 : `${code} ${message}`),
            ),
          ),
        );
        expect(codes).toEqual(requests.map(() => 0));
      }),
      fuzz(10),
    );
    expect(await client.request("agentq/listProposals", {})).toEqual({ items: [], total: 0 });
    expect(client.stderr).toBe("");
  });

  it("writes into a file exactly what was accepted, or refuses and leaves it as it is", async () => {
    const line = fc.constantFrom("one", "two", "", "déjà vu 😀", "x\u2028y", "\0", "\ud83d");
    const ending = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r");
    const content = fc.array(fc.tuple(line, ending), { maxLength: 12 }).map((lines) => lines.flat().join(""));
    const encoding = fc.constantFrom("utf8", "utf8", "utf8", "mark", "latin1", "utf16le");
    let count = 0;
    await fc.assert(
      fc.asyncProperty(content, content, encoding, async (before, after, how) => {
        const name = `src/f${(count += 1)}.txt`;
        const file = path.join(folder, name);
        const bytes = Buffer.from(`${how === "mark" ? "\uFEFF" : ""}${before}`, how === "mark" ? "utf8" : how);
        writeFileSync(file, bytes);
        const proposals = client.received.length;
        const running = client.request("agentq/callTool", {
          name: "propose_file_edit",
          arguments: { path: name, modified: after, description: "d" },
        });
        const proposal = await Promise.race([running, nextAfter(proposals)]);
        if ("success" in proposal) {
          expect(proposal).toMatchObject({ success: false, error: expect.stringMatching(/\w/) });
          expect(readFileSync(file).equals(bytes)).toBe(true);
          return;
        }
        const isMarked = bytes.subarray(0, 3).equals(Buffer.from("\uFEFF"));
        const { edit } = await client.request("agentq/decide", {
          proposalId: proposal.proposalId,
          hunks: proposal.hunks.map(({ id }) => ({ id, decision: "accept" as const })),
        });
        const edits = ((edit?.documentChanges ?? []) as TextDocumentEdit[]).flatMap((each) => each.edits as TextEdit[]);
        const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        const applied = TextDocument.applyEdits(TextDocument.create("", "", 1, text), edits);
        writeFileSync(file, `${isMarked ? "\uFEFF" : ""}${applied}`);
        const told = await client.request("agentq/didApply", { proposalId: proposal.proposalId, documents: [] });
        expect(told).toEqual({ verified: true, mismatched: [] });
        expect(await running).toMatchObject({ success: true, content: expect.stringContaining("saved to disk") });
        expect(applied.replaceAll("\r\n", "\n")).toBe(after.toWellFormed().replaceAll("\r\n", "\n"));
      }),
      fuzz(20),
    );
  });
});

function nextAfter(index: number): Promise<Proposal> {
  return client.waitFor((message) =>
    message.method === "agentq/proposal" && client.received.indexOf(message) >= index ? message.params : undefined,
  );
}
