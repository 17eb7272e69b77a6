/** Random edits of random trees of files: what was accepted is on disk, and nothing else changed. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { ProposalStore } from "../../server/src/proposals/proposal-store.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { Edit } from "../../server/src/tools/edit-schema.ts";
import { Documents } from "../../server/src/workspace/documents.ts";
import { WorkspacePaths } from "../../server/src/workspace/workspace-paths.ts";
import {
  applyOnDisk,
  calls,
  onDisk,
  planned,
  root,
  tree,
  useFolder,
  withHunks,
  write,
  type Tree,
} from "./random-files.ts";

useFolder();

/** The edits made by hand, each on the result of those before it; for edits that were planned without a problem. */
function byHand(base: Tree, edits: readonly Edit[]): Tree {
  const files = new Map(base);
  for (const { op, path: at = "", original = "", modified = "", to = "" } of edits) {
    const now = files.get(at) ?? "";
    const below = [...files].filter(([file]) => file === at || file.startsWith(`${at}/`));
    const fitted = (like: string): string =>
      like.includes("\n") && !/(?<!\r)\n/.test(like)
        ? modified.replaceAll(/\r?\n/g, "\r\n")
        : !like.includes("\r\n") && like.includes("\n")
          ? modified.replaceAll("\r\n", "\n")
          : modified;
    const lines = now.split(/(?<=\n)/);
    if (op === "create" || op === "write") files.set(at, op === "create" ? modified : fitted(now));
    else if (op === "replace")
      files.set(
        at,
        now.replace(original, () => fitted(now)),
      );
    else if (op === "replace_all")
      files.set(
        at,
        now.replaceAll(original, () => fitted(now)),
      );
    else if (op === "delete") for (const [file] of below) files.delete(file);
    else if (op === "move") {
      for (const [file] of below) files.delete(file);
      for (const [file, content] of below) files.set(to + file.slice(at.length), content);
    } else {
      const index = lines.findIndex((line) => line.includes(original));
      const first =
        op === "insert_at_start"
          ? 0
          : op === "insert_at_end"
            ? lines.length
            : op === "insert_before"
              ? index
              : index + 1;
      files.set(at, insertLines(now, lines, first, fitted(now)));
    }
  }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function insertLines(now: string, lines: readonly string[], at: number, inserted: string): string {
  const ending = now.includes("\r\n") ? "\r\n" : "\n";
  const [before, after] = [lines.slice(0, at).join(""), lines.slice(at).join("")];
  const ended = inserted === "" || inserted.endsWith("\n") ? inserted : inserted + ending;
  if (after !== "" || before === "" || before.endsWith("\n")) return before + ended + after;
  return before + ending + inserted.replace(/\r?\n$/, "");
}

it("puts on disk what was accepted, decided at once or in parts, and takes all of it back", async () => {
  let [tried, made] = [0, 0];
  const chances = fc.array(fc.constantFrom("accept", "reject"), { minLength: 40, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(tree, calls, chances, fc.nat(3), async (base, edits, said, parts) => {
      tried += 1;
      write(base);
      const before = onDisk();
      const documents = new Documents();
      const paths = new WorkspacePaths([root]);
      const { signal } = new AbortController();
      const proposed = await planned(edits, documents, paths);
      expect(onDisk()).toEqual(before);
      if (proposed === undefined) return;
      made += 1;
      for (const decision of ["reject", "accept", "mixed"] as const) {
        write(base);
        let proposal: Proposal | undefined;
        const store = new ProposalStore({
          documents,
          whyMoved: (uri) => paths.whyMoved(uri),
          onProposal: (each) => (proposal = each),
          onChanged: () => undefined,
        });
        const settled = store.propose({ title: "t", why: "w", documents: proposed }, signal);
        if (proposal === undefined) throw new Error("nothing was announced");
        const { proposalId, hunks } = proposal;
        const kept = new Set<string>();
        const size = decision === "mixed" ? Math.max(1, Math.ceil(hunks.length / (parts + 1))) : hunks.length;
        for (let from = 0; from < hunks.length; from += size) {
          const decisions = hunks.slice(from, from + size).map(({ id }, index) => {
            return { id, decision: decision === "mixed" ? (said[from + index] ?? "reject") : decision } as const;
          });
          const { edit: composed, conflicts } = await store.review(proposalId).decide({ hunks: decisions });
          for (const each of decisions)
            if (each.decision === "accept" && !conflicts.includes(each.id)) kept.add(each.id);
          if (decision !== "mixed") expect(conflicts).toEqual([]);
          // Only the place of another file can be in the way.
          for (const id of conflicts)
            expect(["create", "rename"]).toContain(hunks.find((hunk) => hunk.id === id)?.kind);
          applyOnDisk(composed);
          if (composed !== null) expect((await store.review(proposalId).didApply()).mismatched).toEqual([]);
        }
        const left = store.open(proposalId).hunks.filter(({ state }) => state === "conflict" || state === "pending");
        if (left.length > 0) {
          await store.review(proposalId).decide({ hunks: left.map(({ id }) => ({ id, decision: "reject" as const })) });
        }
        const outcome = await settled;
        expect(new Set(outcome.hunks.flatMap(({ id, applied }) => (applied ? [id] : [])))).toEqual(kept);
        if (decision === "reject") expect(onDisk()).toEqual(before);
        if (decision === "accept") expect(onDisk()).toEqual(byHand(base, edits));
        expect(onDisk()).toEqual(withHunks(base, proposal, kept));
        const undone = await store.undo(proposalId);
        if (undone.proposalId !== undefined) {
          const taken = store.open(undone.proposalId).hunks.map(({ id }) => ({ id, decision: "accept" as const }));
          applyOnDisk((await store.review(undone.proposalId).decide({ hunks: taken })).edit);
          await store.review(undone.proposalId).didApply();
        }
        if (undone.left.length === 0) expect(onDisk()).toEqual(before);
      }
    }),
  );
  // Few random calls make sense; those that do are what is tested.
  expect(made).toBeGreaterThan(tried / 20);
});
