/** Laws of what a command leaves: dropped it changes nothing, accepted it is what the program saw, in part it is both. */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ProposalStore } from "../../../../server/src/proposals/proposal-store.ts";
import type { ProposalOutcome } from "../../../../server/src/proposals/proposal.ts";
import type { Proposal } from "../../../../server/src/protocol/proposal-shapes.ts";
import { runCommand } from "../../../../server/src/sandbox/runs/command-run.ts";
import { reviewableChanges } from "../../../../server/src/tools/commands/command-changes.ts";
import { Documents } from "../../../../server/src/workspace/documents.ts";
import { whyNotLinked } from "../../../../server/src/workspace/link-target.ts";
import { WorkspacePaths } from "../../../../server/src/workspace/workspace-paths.ts";
import { applyOnDisk } from "../../../support/apply-on-disk.ts";
import { fuzz } from "../../../support/fuzz.ts";
import { describeWalled, startWall, treeOf } from "../../../support/wall.ts";

const name = fc.constantFrom("a", "b", "c", "é ö");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `./${names.join("/")}`);
/** Texts of several lines, bytes, and nothing. */
const content = fc.constantFrom("one\\ntwo\\nthree\\n", "one\\n2\\nthree\\nfour\\n", "\\000\\001\\377", "x\\ry", "");
const step = fc.oneof(
  fc.tuple(path, content).map(([at, text]) => `printf '${text}' > '${at}'`),
  fc.tuple(path, content).map(([at, text]) => `mkdir -p "$(dirname '${at}')"; printf '${text}' > '${at}'`),
  path.map((at) => `rm -rf '${at}'`),
  path.map((at) => `rm -rf '${at}'; mkdir -p '${at}'`),
  fc.tuple(path, path).map(([from, to]) => `mv -f '${from}' '${to}'`),
  fc.tuple(path, path).map(([from, to]) => `cp -R '${from}' '${to}'`),
  fc.tuple(path, path).map(([from, to]) => `ln -sfn '${from}' '${to}'`),
  fc.tuple(path, path).map(([from, to]) => `ln -f '${from}' '${to}'`),
  fc.tuple(path, fc.constantFrom("755", "600", "4755")).map(([at, mode]) => `test -f '${at}' && chmod ${mode} '${at}'`),
);
const program = fc.array(step, { maxLength: 10 }).map((steps) => `{ ${steps.join("\n")}\ntrue; } >/dev/null 2>&1`);

/** Files and links by their paths: a folder is there because something is in it. */
function filesOf(folder: string): Map<string, string> {
  return new Map(Object.entries(treeOf(folder)).filter(([, what]) => !what.startsWith("folder")));
}

/** A link in a circle leads nowhere, and no link to such a link may be made. */
function anyCircle(folder: string): boolean {
  return [...filesOf(folder).keys()].some((file) => {
    try {
      statSync(join(folder, file));
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ELOOP";
    }
  });
}

interface Left {
  /** Before the command, after a review that rejects all of it, as the program left it, and after the other review. */
  readonly before: Map<string, string>;
  readonly rejected: Map<string, string>;
  readonly seen: Map<string, string>;
  readonly after: Map<string, string>;
  readonly dropped: readonly string[];
  readonly applied: ReadonlySet<string>;
  /** Before the command or after it. */
  readonly hasCircle: boolean;
}

/** Runs a program and has a person reject all it left, and then decide about it file by file. */
async function reviewed(setUp: string, script: string, isAccepted: (path: string) => boolean): Promise<Left> {
  const t = startWall();
  try {
    spawnSync("sh", ["-c", setUp], { cwd: t.root, stdio: "ignore" });
    const before = filesOf(t.root);
    const beganWithCircle = anyCircle(t.root);
    const signal = new AbortController().signal;
    const continues = await t.sandbox.keep(t.layer, Date.now());
    const command = `${script}; cp -a . /tmp/seen`;
    const ground = { folder: t.root, hosts: [], unsaved: new Map<string, string>() };
    const request = { command, timeoutMs: 60_000, ...ground, continues };
    // What was made in the same millisecond as the command began counts as changed meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 5));
    return await runCommand(t.sandbox, request, signal, async (run) => {
      expect(run.end).toMatchObject({ kind: "ended", code: 0 });
      const paths = new WorkspacePaths([t.root]);
      const documents = new Documents();
      const ports = {
        resolvePath: (asked: string) => paths.resolve(asked),
        placeOf: (absolute: string) => paths.placeOf(absolute),
        readDocument: (uri: string) => documents.read(uri),
        ignored: async () => new Set<string>(),
        show: (absolute: string) => absolute,
      };
      const changes = await reviewableChanges(run, request.unsaved, ports, signal);
      const copy = join(t.layer.temporary, "seen");
      const seen = filesOf(copy);
      const asked = { paths, documents, proposed: changes.documents };
      await review(t.root, asked, () => false);
      const rejected = filesOf(t.root);
      const outcome = await review(t.root, asked, isAccepted);
      const applied = new Set((outcome?.hunks ?? []).flatMap((hunk) => (hunk.applied ? [hunk.path] : [])));
      return {
        before,
        rejected,
        seen,
        after: filesOf(t.root),
        dropped: changes.dropped,
        applied,
        hasCircle: beganWithCircle || anyCircle(copy),
      };
    });
  } finally {
    await t.dispose();
  }
}

interface Reviewed {
  readonly paths: WorkspacePaths;
  readonly documents: Documents;
  readonly proposed: Parameters<ProposalStore["propose"]>[0]["documents"];
}

/** Decides until nothing moves: one item may stand in another one's way, or be what a link leads to. */
async function review(
  root: string,
  { paths, documents, proposed }: Reviewed,
  isAccepted: (path: string) => boolean,
): Promise<ProposalOutcome | undefined> {
  if (proposed.length === 0) return undefined;
  const announced = Promise.withResolvers<Proposal>();
  const store = new ProposalStore({
    documents,
    whyMoved: (uri) => paths.whyMoved(uri),
    placeOf: (uri) => paths.placeOf(fileURLToPath(uri)),
    whyNotLinked: (place, entry) =>
      entry?.kind === "link" ? whyNotLinked(place.root, place.names, entry.target) : undefined,
    onProposal: announced.resolve,
    onChanged: () => undefined,
  });
  const request = { title: "Changes", why: "a command ran", documents: proposed };
  const outcome = store.propose(request, new AbortController().signal);
  const { proposalId, hunks } = await announced.promise;
  const wanted = new Map(hunks.map(({ id, uri }) => [id, isAccepted(fileURLToPath(uri).slice(root.length + 1))]));
  const decide = async (ids: readonly string[], decision: "accept" | "reject"): Promise<string[]> => {
    if (ids.length === 0) return [];
    const { edit, conflicts } = await store.review(proposalId).decide({ hunks: ids.map((id) => ({ id, decision })) });
    applyOnDisk(edit);
    if (edit !== null) await store.review(proposalId).didApply();
    return [...conflicts];
  };
  let open = [...wanted].flatMap(([id, isWanted]) => (isWanted ? [id] : []));
  for (let count = open.length + 1; open.length > 0 && open.length < count;) {
    count = open.length;
    open = await decide(open, "accept");
    await nextTurn();
  }
  await decide([...open, ...[...wanted].flatMap(([id, isWanted]) => (isWanted ? [] : [id]))], "reject");
  return outcome;
}

const FOLDER_BECOMES_FILE: [string, string] = ["mkdir -p b/c; printf one > b/c/a", "mv b/c a; rm -r b; printf two > b"];

describeWalled("what a random program leaves", () => {
  it("is nothing once it is dropped, and what the program saw once all of it is accepted, modes, links and bytes too", async () => {
    await fc.assert(
      fc.asyncProperty(program, program, async (setUp, script) => {
        const { before, rejected, seen, after, dropped, hasCircle } = await reviewed(setUp, script, () => true);
        expect(rejected).toEqual(before);
        fc.pre(!hasCircle);
        expect(dropped).toEqual([]);
        expect(after).toEqual(seen);
      }),
      { ...fuzz<[string, string]>(4), examples: [FOLDER_BECOMES_FILE] },
    );
  }, 120_000);

  it("composes of any files of it", async () => {
    await fc.assert(
      fc.asyncProperty(program, program, fc.infiniteStream(fc.boolean()), async (setUp, script, coins) => {
        const chosen = new Map<string, boolean>();
        const { before, seen, after, applied } = await reviewed(setUp, script, (file) => {
          const known = chosen.get(file) ?? coins.next().value;
          chosen.set(file, known);
          return known;
        });
        const expected = new Map(before);
        for (const file of applied) {
          expected.delete(file);
          const made = seen.get(file);
          if (made !== undefined) expected.set(file, made);
        }
        expect([...after].toSorted()).toEqual([...expected].toSorted());
      }),
      fuzz(4),
    );
  }, 120_000);
});
