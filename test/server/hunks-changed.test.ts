/** News of a proposal for a client that keeps what it was told: the hunks that changed alone, over real stdio. */
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { ServerClient } from "../support/server-client.ts";

const fixture = fileURLToPath(new URL("../fixtures/edits-project", import.meta.url));

let folder: string;
let client: ServerClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-hunks-changed-")));
  cpSync(fixture, folder, { recursive: true });
  client = new ServerClient();
  await client.initialize([folder], {
    agentq: { version: 1, proposals: true, approvals: true, hunkChanges: true },
  });
});

afterEach(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a client knows that keeps what it was told. */
function known(): Proposal | undefined {
  let proposal: Proposal | undefined;
  for (const { method, params } of client.received) {
    if (method === "agentq/proposal" || method === "agentq/proposalChanged") proposal = params;
    if (method !== "agentq/hunksChanged" || proposal === undefined) continue;
    const now = new Map(params.hunks.map((hunk) => [hunk.id, hunk]));
    proposal = { ...proposal, ...params, hunks: proposal.hunks.map((hunk) => now.get(hunk.id) ?? hunk) };
  }
  return proposal;
}

/** Waits until the client knows the proposal as the server has it, but for the edit, of which no news come. */
async function untilKnown(proposalId: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { edit: _newest, ...newest } = await client.request("agentq/openProposal", { proposalId });
      const { edit: _first, ...told } = known() ?? {};
      expect(told).toEqual(newest);
    },
    { timeout: 40_000, interval: 50 },
  );
}

it("tells the decided hunk alone, and all of the proposal where a hunk was cut", async () => {
  writeFileSync(
    path.join(folder, "src/letters.ts"),
    "export const a = 1;\n\nexport const b = 1;\nexport const c = 1;\n",
  );
  const called = client.request("agentq/callTool", {
    name: "propose_file_edit",
    arguments: {
      path: "src/letters.ts",
      modified: "export const a = 2;\n\nexport const b = 2;\nexport const c = 2;\n",
      description: "Twos.",
    },
  });
  const { proposalId } = await client.nextProposal();
  await untilKnown(proposalId);
  const before = client.received.length;
  await client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "reject" }] });
  const { hunks } = await client.waitFor(({ method, params }) =>
    method === "agentq/hunksChanged" && params.hunks.length > 0 ? params : undefined,
  );
  expect(hunks).toMatchObject([{ id: "h1", state: "rejected" }]);
  await untilKnown(proposalId);
  expect(client.received.slice(before).map(({ method }) => method)).not.toContain("agentq/proposalChanged");
  const { hunkIds } = await client.request("agentq/splitHunk", { proposalId, hunkId: "h2" });
  await untilKnown(proposalId);
  expect(known()?.hunks.map(({ id }) => id)).toEqual(["h1", ...hunkIds]);
  const rest = hunkIds.map((id) => ({ id, decision: "reject" as const }));
  await client.request("agentq/decide", { proposalId, hunks: rest });
  await called;
  await expect.poll(() => known()?.state).toBe("rejected");
});
