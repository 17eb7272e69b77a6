/**
 * Random reviews whose server dies at any moment, also while an edit is being applied: what a later server reads equals
 * what was in memory, no decision is lost unnoticed, and after all of it every byte can be brought back.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { KeptProposals } from "../../server/src/proposals/kept/kept-proposals.ts";
import { ProposalStore } from "../../server/src/proposals/proposal-store.ts";
import { Review } from "../../server/src/proposals/review.ts";
import { createTracked } from "../../server/src/proposals/tracked-proposal.ts";
import type { Hunk, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { openWorkspaceStorage, type WorkspaceStorage } from "../../server/src/storage/workspace-storage.ts";
import { Documents } from "../../server/src/workspace/documents.ts";
import { WorkspacePaths } from "../../server/src/workspace/workspace-paths.ts";
import { Runs } from "../support/fuzz.ts";
import { applyOnDisk, calls, onDisk, planned, root, tree, useFolder, withHunks, write } from "./random-files.ts";

useFolder();

const state = mkdtempSync(path.join(tmpdir(), "agentq-kept-"));
afterAll(() => rmSync(state, { recursive: true, force: true }));

function opened(): WorkspaceStorage {
  const machine = { platform: "linux", home: state, variables: { XDG_STATE_HOME: state } } as const;
  const storage = openWorkspaceStorage({ ...machine, realPath: (each) => each }, [root]);
  if (storage === undefined || "problem" in storage) throw new Error(storage?.problem ?? "no storage");
  return storage;
}

/** One server after another on the same database. */
class Servers {
  readonly documents = new Documents();
  readonly paths = new WorkspacePaths([root]);
  store!: ProposalStore;
  #close: () => void = () => undefined;

  start(): void {
    const storage = opened();
    this.#close = storage.close;
    this.store = new ProposalStore({
      documents: this.documents,
      whyMoved: (uri) => this.paths.whyMoved(uri),
      onProposal: () => undefined,
      onChanged: () => undefined,
      onTrouble: (reason) => {
        throw new Error(reason);
      },
    });
    this.store.keepIn(storage.proposals);
  }

  /** As a kill leaves the database, and then a new server takes up what was left. */
  async killAndStart(): Promise<void> {
    this.end();
    this.start();
    await this.store.takeUp(0);
  }

  end(): void {
    this.store.end();
    this.#close();
  }

  proposal(id: string): Proposal {
    return this.store.open(id);
  }
}

const step = fc.record({
  decision: fc.constantFrom<HunkDecision["decision"]>("accept", "accept", "reject"),
  count: fc.integer({ min: 1, max: 3 }),
  /** When the server dies, if it does: after the answer, in the middle of the edit, after the edit, after all. */
  cut: fc.constantFrom("no", "no", "split", "lines"),
  death: fc.constantFrom("none", "none", "answered", "half", "applied", "confirmed"),
});

/** False where the hunk cannot be split. */
async function cutFirst(review: Review, id = "", how = "split"): Promise<boolean> {
  try {
    if (how === "split") review.split(id);
    else await review.decide({ hunks: [{ id, decision: "accept", lines: { new: [0] } }] });
    return true;
  } catch {
    return false;
  }
}

const text = fc.oneof(
  fc.constantFrom("", "own\n", "\ud83d half\n", "\u0000\n", "long ".repeat(300)),
  fc.string({ unit: "binary", maxLength: 300 }).filter((each) => !/\r/.test(each)),
);

function isPending({ state: of }: Hunk): boolean {
  return of === "pending";
}

it("reads back what is in memory, whenever a client is told of a change", async () => {
  const storage = opened();
  const [documents, paths] = [new Documents(), new WorkspacePaths([root])];
  const lost = (reason: string): void => expect(reason).toBe("");
  let compared = 0;
  const runs = new Runs();
  await fc.assert(
    fc.asyncProperty(
      tree,
      calls,
      text,
      fc.array(step, { maxLength: 6 }),
      runs.watched(async (base, edits, own, steps) => {
        write(base);
        const made = await planned(edits, documents, paths);
        if (made === undefined) return;
        const [writer, reader] = [new KeptProposals({ onTrouble: lost }), new KeptProposals({ onTrouble: lost })];
        writer.keepIn(storage.proposals);
        reader.keepIn(storage.proposals);
        const compare = (): void => {
          for (const document of review.tracked.documents) delete document.since;
          const memory = review.tracked;
          const read = reader.read(memory.id);
          if (read === undefined) throw new Error("the proposal was not kept");
          expect(read).toEqual(memory);
          expect(read.hunks.map(({ document }) => read.documents.indexOf(document))).toEqual(
            memory.hunks.map(({ document }) => memory.documents.indexOf(document)),
          );
          compared += 1;
        };
        const request = { title: `t ${own}`, why: own, sessionId: "s", documents: made };
        const review: Review = new Review(createTracked(randomUUID(), request), {
          documents,
          whyMoved: (uri) => paths.whyMoved(uri),
          keep: (tracked) => writer.keep(tracked),
          onChanged: compare,
        });
        const { signal } = new AbortController();
        void review.run(compare, signal);
        for (const { decision, count, death, cut } of steps) {
          const chosen = review.tracked.hunks.filter(({ now }) => now.is === "pending").slice(0, count);
          const isCut = cut !== "no" && decision === "accept" && (await cutFirst(review, chosen[0]?.id, cut));
          if (isCut) continue;
          const hunks = chosen.map(({ id, kind }): HunkDecision => {
            const isEdited = own !== "" && decision === "accept" && (kind === "edit" || kind === "create");
            return isEdited ? { id, decision: "edit", newText: own } : { id, decision, reason: own };
          });
          if (hunks.length === 0) break;
          const { edit } = await review.decide({ hunks, message: own });
          if (death === "answered") continue;
          applyOnDisk(edit);
          await review.didApply(edit === null ? [] : [{ uri: "file:///none", version: 1 }]);
        }
      }),
    ),
  );
  await runs.over();
  storage.close();
  expect(compared).toBeGreaterThan(0);
});

it("keeps every review through any number of deaths, and its undo restores every byte", async () => {
  let [tried, made, deaths] = [0, 0, 0];
  const runs = new Runs();
  await fc.assert(
    fc.asyncProperty(
      tree,
      calls,
      fc.array(step, { maxLength: 6 }),
      fc.nat(9),
      runs.watched(async (base, edits, steps, half) => {
        tried += 1;
        write(base);
        const servers = new Servers();
        servers.start();
        try {
          const before = onDisk();
          const documents = await planned(edits, servers.documents, servers.paths);
          if (documents === undefined) return;
          made += 1;
          void servers.store.propose({ title: "t", why: "w", documents }, new AbortController().signal, "p");
          const first = servers.proposal("p");
          const rejected = new Set<string>();
          const carryOut = async ({ decision, count, death }: (typeof steps)[number]): Promise<void> => {
            const chosen = servers.proposal("p").hunks.filter(isPending).slice(0, count);
            if (chosen.length === 0) return;
            const hunks = chosen.map(({ id }) => ({ id, decision }));
            const { edit } = await servers.store.review("p").decide({ hunks });
            if (decision === "reject") chosen.forEach(({ id }) => rejected.add(id));
            const parts = edit?.documentChanges ?? [];
            const done = death === "answered" ? 0 : death === "half" ? half % (parts.length + 1) : parts.length;
            applyOnDisk({ documentChanges: parts.slice(0, done) });
            if (death === "confirmed" || death === "none") await servers.store.review("p").didApply();
            if (death !== "none") {
              deaths += 1;
              await servers.killAndStart();
            }
          };
          for (const each of steps) await carryOut(each);
          for (let left = 20; servers.proposal("p").hunks.some(isPending) && left > 0; left -= 1) {
            await carryOut({ decision: "accept", count: 40, death: "none", cut: "no" });
          }
          await servers.killAndStart();
          const end = servers.proposal("p");
          expect(end.hunks.filter(isPending)).toEqual([]);
          for (const id of rejected) expect(end.hunks.find((hunk) => hunk.id === id)?.state).toBe("rejected");
          const accepted = end.hunks.filter(({ state: of }) => of === "accepted").map(({ id }) => id);
          expect(onDisk()).toEqual(withHunks(base, first, new Set(accepted)));
          const undone = await servers.store.undo("p");
          if (undone.proposalId !== undefined) {
            const { proposalId } = undone;
            await servers.killAndStart();
            const all = servers.proposal(proposalId).hunks.map(({ id }) => ({ id, decision: "accept" as const }));
            applyOnDisk((await servers.store.review(proposalId).decide({ hunks: all })).edit);
            await servers.store.review(proposalId).didApply();
          }
          if (undone.left.length === 0) expect(onDisk()).toEqual(before);
        } finally {
          servers.end();
          rmSync(path.join(state, "agentq"), { recursive: true, force: true });
        }
      }),
    ),
  );
  await runs.over();
  expect(made).toBeGreaterThan(tried / 20);
  expect(deaths).toBeGreaterThan(0);
});
