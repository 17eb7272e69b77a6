/** Random proposals one after the other, with a person's own edits in between: a rewind takes back exactly the proposals. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { listTurns, rewind } from "../../server/src/conversation/rewind.ts";
import { ProposalStore } from "../../server/src/proposals/proposal-store.ts";
import type { Edit } from "../../server/src/tools/edit-schema.ts";
import { Documents } from "../../server/src/workspace/documents.ts";
import { WorkspacePaths } from "../../server/src/workspace/workspace-paths.ts";
import { applyOnDisk, calls, onDisk, planned, root, tree, useFolder, write } from "./random-files.ts";

useFolder();

class Conversation {
  readonly documents = new Documents();
  readonly paths = new WorkspacePaths([root]);
  readonly store = new ProposalStore({
    documents: this.documents,
    whyMoved: (uri) => this.paths.whyMoved(uri),
    onProposal: () => undefined,
    onChanged: () => undefined,
  });
  readonly turns: { id: string; text: string; at: string; sessionId: string }[] = [];

  /** Proposes the edits in a turn of their own, and takes the decisions; false where the edits make no sense. */
  async turn(edits: readonly Edit[], decisions: readonly ("accept" | "reject")[]): Promise<boolean> {
    const documents = await planned(edits, this.documents, this.paths);
    if (documents === undefined) return false;
    const turn = { id: randomUUID(), text: "Do it.", at: new Date().toISOString() };
    this.turns.push({ ...turn, sessionId: "s" });
    const id = randomUUID();
    const request = { title: "t", why: "w", documents, sessionId: "s", turn };
    void this.store.propose(request, new AbortController().signal, id);
    await this.decide(id, decisions);
    return true;
  }

  async decide(proposalId: string, decisions: readonly ("accept" | "reject")[] = []): Promise<void> {
    const hunks = this.store.open(proposalId).hunks.map(({ id }, index) => {
      return { id, decision: decisions[index % decisions.length] ?? ("accept" as const) };
    });
    applyOnDisk((await this.store.review(proposalId).decide({ hunks })).edit);
    await this.store.review(proposalId).didApply();
    const left = this.store.open(proposalId).hunks.filter(({ state }) => state === "pending" || state === "conflict");
    const rejections = left.map(({ id }) => ({ id, decision: "reject" as const }));
    if (left.length > 0) await this.store.review(proposalId).decide({ hunks: rejections });
  }

  async rewind(turnId?: string): Promise<readonly unknown[]> {
    const sessions = { turns: () => this.turns };
    const params = { sessionId: "s", ...(turnId === undefined ? {} : { turnId }) };
    const { proposalId, left } = await rewind(sessions, this.store, params);
    if (proposalId !== undefined) await this.decide(proposalId);
    return left;
  }
}

const MINE = "// mine\n";
const decisions = fc.array(fc.constantFrom<"accept" | "reject">("accept", "accept", "reject"), { minLength: 1 });
const turns = fc.array(fc.tuple(calls, decisions, fc.boolean()), { minLength: 1, maxLength: 4 });

/** The person writes a line above a file that is as it was, and that no proposal has moved; answers its name. */
function writtenAbove(wanted: ReadonlyMap<string, string>, edits: readonly Edit[]): string | undefined {
  const moved = edits.flatMap((edit) => (edit.op === "move" ? [edit.path, edit.to] : []));
  const isMoved = (file: string): boolean => moved.some((place) => `${file}/`.startsWith(`${place}/`));
  const [found] = [...onDisk()].find(([file, text]) => wanted.get(file) === text && !isMoved(file)) ?? [];
  if (found !== undefined) write(new Map([...onDisk(), [found, MINE + (wanted.get(found) ?? "")]]));
  return found;
}

it("brings every byte back, to before any message, and keeps what the person wrote meanwhile", async () => {
  let several = 0;
  await fc.assert(
    fc.asyncProperty(tree, turns, fc.nat(), fc.boolean(), async (base, asked, which, isWriting) => {
      write(base);
      const conversation = new Conversation();
      const states = [onDisk()];
      for (const [edits, said] of asked) {
        if (await conversation.turn(edits, said)) states.push(onDisk());
      }
      if (conversation.turns.length === 0) return;
      if (conversation.turns.length > 1) several += 1;
      const index = which % conversation.turns.length;
      const wanted = states[index] ?? new Map<string, string>();
      const mine = isWriting
        ? writtenAbove(
            wanted,
            asked.flatMap(([edits]) => edits),
          )
        : undefined;
      const { id: turnId } = conversation.turns[index] ?? { id: "" };
      const left = await conversation.rewind(index === 0 && isWriting ? undefined : turnId);
      const expected = [...wanted].map(([file, text]) => [file, file === mine ? MINE + text : text] as const);
      // Another proposal may stand right below the person's line.
      if (mine === undefined) expect(left).toEqual([]);
      if (left.length === 0) {
        expect(onDisk()).toEqual(new Map(expected));
        // A second rewind finds nothing that is not taken back.
        expect(await conversation.rewind(turnId)).toEqual([]);
        expect(onDisk()).toEqual(new Map(expected));
      }
      const known = await listTurns({ turns: () => conversation.turns }, conversation.store.known);
      expect(known.map((turn) => turn.turnId)).toEqual(conversation.turns.map(({ id }) => id));
    }),
  );
  expect(several).toBeGreaterThan(0);
});
