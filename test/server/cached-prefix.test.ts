/** What the provider's cache can keep: of a long conversation each request begins, byte by byte, as the one before ended. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { blocksOf, type RequestBody } from "../../examples/demo/model/request-body.ts";
import { call, reply, think, type Reply } from "../../examples/demo/model/script.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { say, SessionStage } from "../support/session-stage.ts";
import type { ServerClient } from "../support/server-client.ts";

const MARK = { type: "ephemeral", ttl: "1h" };
/** A caching mark looks this many blocks back for what was kept. */
const LOOKED_BACK = 20;

let stage: SessionStage;
beforeEach(async () => {
  stage = new SessionStage();
  await stage.open();
});
afterEach(() => stage.dispose());

/** What a provider's cache compares, in its order: tools, system, and the blocks of the messages. */
function parts(body: RequestBody): string[] {
  const plain = (value: unknown): string =>
    JSON.stringify(value, (name, each: unknown) => (name === "cache_control" ? undefined : each));
  const blocks = body.messages.flatMap((message) => blocksOf(message).map((block) => plain([message.role, block])));
  return [plain(body.tools), plain(body.system), ...blocks];
}

/** The characters of the longest beginning that two requests share, in whole parts. */
function shared(before: readonly string[], after: readonly string[]): number {
  const end = before.findIndex((part, index) => part !== after[index]);
  return before.slice(0, end === -1 ? before.length : end).join("").length;
}

it("re-sends a conversation of thirty requests as it was, over evaluations, edits and restarts", async () => {
  let client = await stage.start();
  let sessionId: string | undefined;
  const seen: string[] = [];
  const turn = async (text: string, ...steps: readonly Reply[]): Promise<void> => {
    stage.steps.push(...steps);
    const { events, ...said } = await say(client, text, sessionId);
    expect(events.at(-1)).toMatchObject({ reason: "endTurn" });
    sessionId = said.sessionId;
  };
  for (let round = 1; stage.model.requests.length < 30; round += 1) {
    await turn(
      `Look, round ${round}.`,
      reply(
        think(`Round ${round}.`),
        call("describe_symbol", { symbol: "taxOn" }),
        call("read_file", { path: "src/tax.ts" }),
      ),
      reply(call("eval_form", { form: `const round${round} = ${round}; round${round}` })),
      reply(`Seen ${round}.`),
    );
    const description = `Round ${round} is noted.`;
    const edit = { op: "insert_at_end", path: "src/tax.ts", modified: `// round ${round}\n` };
    const accepted = accept(client, seen);
    await turn(
      `Change it, round ${round}.`,
      reply(call("propose_edits", { description, edits: [edit] })),
      reply("Changed."),
    );
    await accepted;
    if (round === 2) await client.request("agentq/restartRepl", {});
    if (round === 3) {
      await stage.close(client);
      client = await stage.start();
    }
  }
  const bodies = stage.model.requests;
  const sizes = bodies.slice(1).map((body, index) => {
    const [before, after] = [parts(bodies[index] as RequestBody), parts(body)];
    return { sent: before.join("").length, kept: shared(before, after) };
  });
  const sum = (of: "sent" | "kept"): number => sizes.reduce((total, size) => total + size[of], 0);
  expect(bodies.length).toBeGreaterThanOrEqual(30);
  expect(sum("kept") / sum("sent")).toBeGreaterThanOrEqual(0.98);
  // Tools and prompt are most of a short request: the conversation alone must be kept as well.
  const always = parts(bodies[0] as RequestBody)
    .slice(0, 2)
    .join("").length;
  for (const { sent, kept } of sizes) expect((kept - always) / (sent - always)).toBeGreaterThanOrEqual(0.98);
  for (const body of bodies) expectMarked(body);
}, 240_000);

/** An edit that the person accepts. */
async function accept(client: ServerClient, seen: string[]): Promise<void> {
  const proposal = await client.nextProposal(seen);
  seen.push(proposal.proposalId);
  const { proposalId } = proposal;
  const hunks = proposal.hunks.map(({ id }) => ({ id, decision: "accept" as const }));
  const { edit } = await client.request("agentq/decide", { proposalId, hunks });
  applyOnDisk(edit);
  await client.request("agentq/didApply", { proposalId, documents: [] });
}

/** The tools, the prompt and the last two messages of the person's side end in a mark, which the next request finds. */
function expectMarked(body: RequestBody): void {
  expect(body.tools?.at(-1)?.["cache_control"]).toEqual(MARK);
  expect((body.system as readonly object[]).at(-1)).toMatchObject({ cache_control: MARK });
  const users = body.messages.filter(({ role }) => role === "user").slice(-2);
  for (const user of users) expect(blocksOf(user).at(-1)?.["cache_control"]).toEqual(MARK);
  const marks = JSON.stringify(body).match(/"cache_control"/g)?.length ?? 0;
  expect(marks).toBe(2 + users.length);
  const last = body.messages.slice(body.messages.indexOf(users[0] as RequestBody["messages"][number]) + 1);
  expect(last.flatMap(blocksOf).length).toBeLessThanOrEqual(LOOKED_BACK);
}
