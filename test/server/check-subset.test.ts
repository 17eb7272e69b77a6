/** What the compiler says about parts of a proposal, over real stdio and with the real compiler. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import type { Check, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const CANCELLED = -32800;
const UNKNOWN_PROPOSAL = -33003;
const ALREADY_DECIDED = -33004;

const stage = serverStage({ project: new URL("../fixtures/edits-project", import.meta.url) });
let folder: string;
let client: ServerClient;

beforeEach(() => void ({ folder, client } = stage));

const onDisk = (file: string): string => readFileSync(path.join(folder, file), "utf8");
const open = (file: string): Promise<string> => client.open(path.join(folder, file), onDisk(file));

/** A proposal that waits, once the compiler has judged all of it. The call is left to wait for the person. */
async function propose(
  name: string,
  args: Record<string, unknown>,
): Promise<{ proposal: Proposal; answer: Promise<string> }> {
  const called = client.request("agentq/callTool", { name, arguments: args });
  const answer = called.then(({ content }) => content);
  // A call that still waits ends with the server.
  answer.catch(() => undefined);
  const announced = await client.nextProposal();
  const proposal = await client.waitFor(({ method, params }) => {
    const isIt = method === "agentq/proposal" || method === "agentq/proposalChanged";
    return isIt && params.proposalId === announced.proposalId && params.check.state === "done" ? params : undefined;
  });
  return { proposal, answer };
}

const rename = (): ReturnType<typeof propose> => propose("rename_symbol", { symbol: "rateOf", new_name: "rateFor" });

function accept(proposal: Proposal, which: (text: string) => boolean): HunkDecision[] {
  return proposal.hunks.flatMap(({ id, oldText }) => (which(oldText) ? { id, decision: "accept" as const } : []));
}

const check = ({ proposalId }: Proposal, hunks: HunkDecision[]): Promise<Check> =>
  client.request("agentq/checkSubset", { proposalId, hunks });

function errorsOf({ introduced }: Check): string[] {
  return introduced.map(({ uri = "", range, code, message }) => {
    return `${uri.split("/").at(-1)}:${(range?.start.line ?? 0) + 1} ${code}: ${message}`;
  });
}

const isUseInInvoice = (text: string): boolean => text.includes('const rate = rateOf("full")');

describe("the check of a part of a proposal", () => {
  it("tells the errors of what was rejected, in files that use what changed too", async () => {
    const { proposal } = await rename();
    expect(errorsOf(proposal.check)).toEqual([]);
    expect(
      errorsOf(
        await check(
          proposal,
          accept(proposal, () => true),
        ),
      ),
    ).toEqual([]);
    expect(
      errorsOf(
        await check(
          proposal,
          accept(proposal, (text) => !isUseInInvoice(text)),
        ),
      ),
    ).toEqual(["invoice.ts:23 TS2552: Cannot find name 'rateOf'. Did you mean 'rate'?"]);
    expect(await check(proposal, [])).toEqual({ state: "done", introduced: [], resolved: [] });
  });

  it("judges the documents as they are now: hunks that were applied, and what the person has typed", async () => {
    await open("src/invoice.ts");
    const { proposal, answer } = await rename();
    const first = accept(proposal, isUseInInvoice);
    const { edit } = await client.request("agentq/decide", { proposalId: proposal.proposalId, hunks: first });
    await client.apply(proposal.proposalId, edit);
    expect(errorsOf(await check(proposal, []))).toEqual(["invoice.ts:23 TS2304: Cannot find name 'rateFor'."]);
    const others = accept(proposal, (text) => !isUseInInvoice(text));
    expect(errorsOf(await check(proposal, others))).toEqual([]);
    await client.request("agentq/decide", {
      proposalId: proposal.proposalId,
      hunks: others.map(({ id }) => ({ id, decision: "reject" })),
    });
    expect(await answer).toMatch(
      /BROKEN: the compiler reports 1 new error .*\n {2}src\/invoice\.ts:23:18 error TS2304/,
    );
  });

  it("does not take what the person has typed for the proposal's, before and after a hunk was applied", async () => {
    const uri = await open("src/invoice.ts");
    const { proposal, answer } = await rename();
    const type = (text: string): Promise<number> => client.change(uri, `${client.textOf(uri)}${text}`);
    await type('export const typed: number = "no";\n');
    const all = accept(proposal, () => true);
    expect(errorsOf(await check(proposal, []))).toEqual([]);
    expect(errorsOf(await check(proposal, all))).toEqual([]);
    const first = accept(proposal, isUseInInvoice);
    const { edit } = await client.request("agentq/decide", { proposalId: proposal.proposalId, hunks: first });
    await client.apply(proposal.proposalId, edit);
    await type('export const more: number = "no";\n');
    const others = accept(proposal, (text) => !isUseInInvoice(text));
    expect(errorsOf(await check(proposal, others))).toEqual([]);
    expect(errorsOf(await check(proposal, []))).toEqual(["invoice.ts:23 TS2304: Cannot find name 'rateFor'."]);
    await client.request("agentq/decide", {
      proposalId: proposal.proposalId,
      hunks: others.map(({ id }) => ({ id, decision: "reject" })),
    });
    expect(await answer).toMatch(
      /BROKEN: the compiler reports 1 new error .*\n {2}src\/invoice\.ts:23:18 error TS2304/,
    );
  });

  it("tells the errors that go, with the text the person wrote themselves", async () => {
    writeFileSync(
      path.join(folder, "src/wrong.ts"),
      'export const a: number = "a";\n\n\nexport const b: number = "b";\n',
    );
    const { proposal } = await propose("propose_file_edit", {
      path: "src/wrong.ts",
      modified: "export const a: number = 1;\n\n\nexport const b: number = 2;\n",
      description: "Numbers.",
    });
    expect(proposal.hunks).toHaveLength(2);
    const one = await check(proposal, [{ id: "h1", decision: "accept" }]);
    expect([one.introduced.length, one.resolved.length]).toEqual([0, 1]);
    const edited = await check(proposal, [{ id: "h1", decision: "edit", newText: "export const a: number = true;\n" }]);
    expect(errorsOf(edited)).toEqual(["wrong.ts:1 TS2322: Type 'boolean' is not assignable to type 'number'."]);
    expect(edited.resolved).toHaveLength(1);
  });

  it("tells what a new file is missed for", async () => {
    const called = propose("propose_file_edit", {
      path: "src/late.ts",
      modified: 'import { rateOf } from "./rates.ts";\n\nexport const late: string = rateOf();\n',
      description: "Late.",
    });
    const { proposal } = await called;
    const wrong = "late.ts:3 TS2322: Type 'number' is not assignable to type 'string'.";
    expect(errorsOf(proposal.check)).toEqual([wrong]);
    expect(errorsOf(await check(proposal, []))).toEqual([]);
    expect(
      errorsOf(
        await check(
          proposal,
          accept(proposal, () => true),
        ),
      ),
    ).toEqual([wrong]);
  });

  it("is cancelled by the client, and by a newer question about the same proposal", async () => {
    const { proposal } = await rename();
    const hunks = accept(proposal, (text) => !isUseInInvoice(text));
    const cancel = new CancellationTokenSource();
    const params = { proposalId: proposal.proposalId, hunks };
    const first = client.connection.sendRequest("agentq/checkSubset", params, cancel.token);
    cancel.cancel();
    await expect(first).rejects.toMatchObject({ code: CANCELLED });
    const older = [check(proposal, hunks), check(proposal, [])];
    const outdated = Promise.all(older.map((each) => expect(each).rejects.toMatchObject({ code: CANCELLED })));
    expect(errorsOf(await check(proposal, hunks))).toHaveLength(1);
    await outdated;
  });

  it("refuses a proposal and a hunk that are not there, and hunks that are decided", async () => {
    const { proposal } = await rename();
    await expect(check({ ...proposal, proposalId: "none" }, [])).rejects.toMatchObject({ code: UNKNOWN_PROPOSAL });
    await expect(check(proposal, [{ id: "h99", decision: "accept" }])).rejects.toMatchObject({
      code: UNKNOWN_PROPOSAL,
      message: expect.stringContaining('has no hunk "h99"') as string,
    });
    const all = proposal.hunks.map(({ id }): HunkDecision => ({ id, decision: "reject" }));
    await client.request("agentq/decide", { proposalId: proposal.proposalId, hunks: all });
    await expect(check(proposal, [])).rejects.toMatchObject({ code: ALREADY_DECIDED });
  });

  it("finds the hunks that others require, and tells them", async () => {
    writeFileSync(
      path.join(folder, "src/pair.ts"),
      "export const one = 1;\n\n\nexport const two = one;\n\n\nexport const three = 3;\n",
    );
    const called = propose("propose_file_edit", {
      path: "src/pair.ts",
      modified: "export const first = 1;\n\n\nexport const two = first;\n\n\nexport const three = 4;\n",
      description: "A better name.",
    });
    const { proposal } = await called;
    const known = await client.waitFor(({ method, params }) =>
      method === "agentq/proposalChanged" &&
      params.proposalId === proposal.proposalId &&
      params.hunks.some(({ requires }) => requires !== undefined)
        ? params
        : undefined,
    );
    expect(known.hunks.map(({ requires }) => requires)).toEqual([["h2"], ["h1"], undefined]);
  });
});
