/** Several proposals of one reply: the person has all of them before they decide, where they change different files. */
import { beforeEach, describe, expect, it } from "vitest";
import { blocksOf, textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();
let client: ServerClient;

beforeEach(() => void ({ client } = stage));

const write = (path: string, modified: string) =>
  call("propose_file_edit", { path, modified, description: `Write ${path}` });

/** Prompts, and waits for so many proposals. */
async function ask(count: number): Promise<{ readonly turnId: string; readonly proposals: readonly Proposal[] }> {
  const { turnId } = await client.request("agentq/prompt", { text: "Write them" });
  const proposals: Proposal[] = [];
  while (proposals.length < count) {
    proposals.push(await client.nextProposal(proposals.map(({ proposalId }) => proposalId)));
  }
  return { turnId, proposals };
}

async function accept({ proposalId, hunks }: Proposal): Promise<void> {
  const decisions = hunks.map(({ id }) => ({ id, decision: "accept" }) as const);
  const { edit } = await client.request("agentq/decide", { proposalId, hunks: decisions });
  expect(await client.apply(proposalId, edit)).toMatchObject({ verified: true });
}

/** Two proposals, of which the second does not compile without the first. */
async function askForBill(): Promise<{ readonly turnId: string; readonly vat: Proposal; readonly bill: Proposal }> {
  stage.steps.push(
    reply(
      write("src/vat.ts", "export const rate = 7;\n"),
      write("src/bill.ts", 'import { rate } from "./vat.ts";\nexport const bill: number = rate;\n'),
    ),
  );
  const { turnId, proposals } = await ask(2);
  const [vat, bill] = proposals;
  if (vat === undefined || bill === undefined) throw new Error("Two proposals were to come.");
  return { turnId, vat, bill };
}

/** What the model has heard of the calls of its first reply. */
function heard(): string[] {
  const [message] = stage.model.requests[1]?.messages.slice(-1) ?? [];
  if (message === undefined) return [];
  return blocksOf(message).flatMap((block) => (block.type === "tool_result" ? [textOf(block["content"])] : []));
}

const states = (turnId: string, index: number): string[] => {
  const events = client.events(turnId).flatMap((event) => (event.kind === "toolCall" ? [event] : []));
  const ids = [...new Set(events.map(({ toolCallId }) => toolCallId))];
  return events.filter(({ toolCallId }) => toolCallId === ids[index]).map(({ state }) => state);
};

describe("proposals of one reply", () => {
  it("are decided in any order, and answered in that of the reply", async () => {
    stage.steps.push(reply(write("one.md", "one\n"), write("two.md", "two\n"), write("three.md", "three\n")));
    const { turnId, proposals } = await ask(3);
    const [one, two, three] = proposals;
    if (one === undefined || two === undefined || three === undefined) throw new Error("Three proposals were to come.");
    await accept(three);
    const hunks = two.hunks.map(({ id }) => ({ id, decision: "reject", reason: "not this one" }) as const);
    await client.request("agentq/decide", { proposalId: two.proposalId, hunks });
    expect(stage.model.requests).toHaveLength(1);
    await expect.poll(() => states(turnId, 2)).toEqual(["preparing", "running", "waitingApproval", "running"]);
    await accept(one);
    await client.turn(turnId);
    const [first, second, third] = heard();
    expect(first).toMatch(/^APPLIED: [^]*one\.md/);
    expect(second).toMatch(/^NOT APPLIED: [^]*two\.md[^]*"not this one"/);
    expect(third).toMatch(/^APPLIED: [^]*three\.md/);
  });

  it("hear of the compiler what is true behind those before them", async () => {
    const { turnId, vat, bill } = await askForBill();
    await accept(bill);
    await expect.poll(() => states(turnId, 1).at(-1)).toBe("running");
    await accept(vat);
    await client.turn(turnId);
    expect(heard()[1]).toMatch(/^APPLIED: /);
    expect(heard()[1]).toContain("no new error");
  });

  it("are checked again when one before them is applied", async () => {
    const { turnId, vat, bill } = await askForBill();
    const { proposalId } = bill;
    const check = async () => (await client.request("agentq/openProposal", { proposalId })).check;
    await expect.poll(check).toMatchObject({ introduced: [{ message: expect.stringContaining("./vat.ts") }] });
    await accept(vat);
    await expect.poll(check).toMatchObject({ state: "done", introduced: [] });
    await accept(bill);
    await client.turn(turnId);
  });

  it("wait for each other where both change one file", async () => {
    stage.steps.push(reply(write("one.md", "one\n"), write("./one.md", "one and two\n")));
    const { turnId, proposals } = await ask(1);
    const [first] = proposals;
    if (first === undefined) throw new Error("A proposal was to come.");
    await expect.poll(() => states(turnId, 0).at(-1)).toBe("waitingApproval");
    expect(states(turnId, 1)).toEqual(["preparing"]);
    await accept(first);
    await accept(await client.nextProposal([first.proposalId]));
    await client.turn(turnId);
    expect(heard()[1]).toMatch(/^APPLIED: /);
  });

  it.each([
    ["first", 0],
    ["last", 1],
  ])("are withdrawn where the person stops the turn with the %s of them", async (_which, index) => {
    stage.steps.push(reply(write("one.md", "one\n"), write("two.md", "two\n")));
    const { turnId, proposals } = await ask(2);
    const [decided, left] = [proposals[index], proposals[1 - index]];
    if (decided === undefined || left === undefined) throw new Error("Two proposals were to come.");
    const hunks = decided.hunks.map(({ id }) => ({ id, decision: "reject" }) as const);
    await client.request("agentq/decide", { proposalId: decided.proposalId, hunks, then: "stop" });
    const events = await client.turn(turnId);
    expect(events.at(-1)).toMatchObject({ kind: "turnEnded", reason: "stopped" });
    expect(await client.request("agentq/openProposal", { proposalId: left.proposalId })).toMatchObject({
      state: "withdrawn",
    });
    const results = events.flatMap((event) => (event.kind === "toolResult" ? [event.result.content] : []));
    expect(results).toContainEqual(expect.stringContaining("NOT APPLIED: "));
    expect(results).toContainEqual(expect.stringContaining("WITHDRAWN: "));
  });
});
