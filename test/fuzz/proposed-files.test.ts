/** Random edits of random trees of files: what was accepted is on disk, and nothing else changed. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { ProposalStore } from "../../server/src/proposals/proposal-store.ts";
import type { Hunk, Proposal } from "../../server/src/protocol/shapes.ts";
import type { Edit } from "../../server/src/tools/edit-schema.ts";
import { planEdits } from "../../server/src/tools/edit/plan-edits.ts";
import type { PlanPorts } from "../../server/src/tools/edit/plan.ts";
import { SeenTexts } from "../../server/src/tools/seen-texts.ts";
import { ToolFailure } from "../../server/src/tools/tool.ts";
import { TypeScriptUnavailable } from "../../server/src/typescript/typescript-unavailable.ts";
import { Documents } from "../../server/src/workspace/documents.ts";
import { WorkspacePaths } from "../../server/src/workspace/workspace-paths.ts";
import { fuzz, limitMs } from "./fuzz.ts";

type Tree = ReadonlyMap<string, string>;

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-files-")));
afterAll(() => rmSync(root, { recursive: true }));

const name = fc.constantFrom("a.txt", "b.txt", "c.txt", "in/a.txt", "in/b.txt", "in/deep/c.txt");
const place = fc.oneof(
  { weight: 4, arbitrary: name },
  { weight: 1, arbitrary: fc.constantFrom("in", "in/deep", "out") },
);
const text = fc
  .array(fc.constantFrom("one\n", "two\n", "three\n", "four\r\n", "five"), { maxLength: 6 })
  .map((lines) => lines.join(""));
const word = fc.constantFrom("one", "two", "three");
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    op: fc.constantFrom("replace", "replace_all"),
    path: name,
    original: word,
    modified: fc.constantFrom("ONE", "", "x\ny\n"),
  }),
  fc.record({ op: fc.constantFrom("insert_before", "insert_after"), path: name, original: word, modified: text }),
  fc.record({ op: fc.constantFrom("write", "create", "insert_at_start", "insert_at_end"), path: name, modified: text }),
  fc.record({
    op: fc.constant("move"),
    path: place,
    to: fc.oneof(name, fc.constantFrom("out", "in/new", "d.txt", "out/d.txt")),
  }),
  fc.record({ op: fc.constant("delete"), path: place }),
) as fc.Arbitrary<Edit>;
/** A place that one edit leaves and the next one takes. */
const handedOn: fc.Arbitrary<Edit[]> = fc
  .tuple(name, name, fc.boolean(), fc.boolean())
  .map(([left, other, isDeleted, isMoved]) => [
    isDeleted ? { op: "delete", path: left } : { op: "move", path: left, to: "moved/d.txt" },
    isMoved ? { op: "move", path: other, to: left } : { op: "create", path: left, modified: "new\n" },
  ]);
const calls = fc
  .array(fc.oneof({ weight: 3, arbitrary: edit.map((one) => [one]) }, { weight: 1, arbitrary: handedOn }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.flat());
const tree: fc.Arbitrary<Tree> = fc
  .uniqueArray(fc.tuple(name, text), { selector: ([file]) => file, minLength: 1 })
  .map((files) => new Map(files));

function write(files: Tree): void {
  for (const entry of readdirSync(root)) rmSync(path.join(root, entry), { recursive: true });
  for (const [file, content] of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
}

function onDisk(): Tree {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name)).toSorted();
  return new Map(paths.map((file) => [path.relative(root, file), readFileSync(file, "utf8")]));
}

function applyOnDisk(composed: WorkspaceEdit | null): void {
  for (const change of composed?.documentChanges ?? []) {
    if (!("kind" in change)) {
      const file = fileURLToPath(change.textDocument.uri);
      const now = TextDocument.create(
        change.textDocument.uri,
        "text",
        0,
        existsSync(file) ? readFileSync(file, "utf8") : "",
      );
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, TextDocument.applyEdits(now, change.edits as TextEdit[]));
    } else if (change.kind === "delete") rmSync(fileURLToPath(change.uri));
    else if (change.kind === "create") expect(existsSync(fileURLToPath(change.uri))).toBe(false);
    else {
      const [from, to] = [fileURLToPath(change.oldUri), fileURLToPath(change.newUri)];
      expect(existsSync(to)).toBe(false);
      mkdirSync(path.dirname(to), { recursive: true });
      renameSync(from, to);
    }
  }
}

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

/** The base with what these hunks do to it. */
function withHunks(base: Tree, proposal: Proposal, kept: ReadonlySet<string>): Tree {
  const relative = (uri: string): string => path.relative(root, fileURLToPath(uri));
  const files = new Map(base);
  const is = (kind: Hunk["kind"]): Hunk[] => proposal.hunks.filter((hunk) => hunk.kind === kind && kept.has(hunk.id));
  for (const [uri, hunks] of Map.groupBy(is("edit"), (hunk) => hunk.uri)) {
    const document = TextDocument.create(uri, "text", 0, base.get(relative(uri)) ?? "");
    files.set(relative(uri), TextDocument.applyEdits(document, hunks));
  }
  for (const { uri } of is("delete")) files.delete(relative(uri));
  const moved = is("rename").map(({ uri, newUri = "" }) => [relative(newUri), files.get(relative(uri)) ?? ""] as const);
  for (const { uri } of is("rename")) files.delete(relative(uri));
  for (const [file, content] of moved) files.set(file, content);
  for (const { uri, newText } of is("create")) files.set(relative(uri), newText);
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const unavailable = {
  query: () => Promise.reject(new TypeScriptUnavailable("These are no sources.")),
} as unknown as PlanPorts["typescript"];

function portsOf(documents: Documents, paths: WorkspacePaths): PlanPorts {
  return {
    resolvePath: (file) => paths.resolve(file),
    readDocument: (uri) => documents.read(uri),
    seen: new SeenTexts(),
    typescript: unavailable,
  };
}

it(
  "puts on disk what was accepted, decided at once or in parts, and takes all of it back",
  async () => {
    let [tried, planned] = [0, 0];
    const chances = fc.array(fc.constantFrom("accept", "reject"), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(tree, calls, chances, fc.nat(3), async (base, edits, said, parts) => {
        tried += 1;
        write(base);
        const before = onDisk();
        const documents = new Documents();
        const paths = new WorkspacePaths([root]);
        const { signal } = new AbortController();
        const plan = await planEdits(edits, {
          ports: portsOf(documents, paths),
          conversation: "c",
          signal,
          isNumbered: true,
        }).catch((error: unknown) => {
          if (error instanceof ToolFailure) return undefined;
          throw error;
        });
        expect(onDisk()).toEqual(before);
        if (plan === undefined) return;
        planned += 1;
        for (const decision of ["reject", "accept", "mixed"] as const) {
          write(base);
          let proposal: Proposal | undefined;
          const store = new ProposalStore({
            documents,
            whyMoved: (uri) => paths.whyMoved(uri),
            onProposal: (each) => (proposal = each),
            onChanged: () => undefined,
          });
          const settled = store.propose({ title: "t", why: "w", documents: plan.documents }, signal);
          if (proposal === undefined) throw new Error("nothing was announced");
          const { proposalId, hunks } = proposal;
          const kept = new Set<string>();
          const size = decision === "mixed" ? Math.max(1, Math.ceil(hunks.length / (parts + 1))) : hunks.length;
          for (let from = 0; from < hunks.length; from += size) {
            const decisions = hunks.slice(from, from + size).map(({ id }, index) => {
              return { id, decision: decision === "mixed" ? (said[from + index] ?? "reject") : decision } as const;
            });
            const { edit: composed, conflicts } = await store.decide({ proposalId, hunks: decisions });
            for (const each of decisions)
              if (each.decision === "accept" && !conflicts.includes(each.id)) kept.add(each.id);
            if (decision !== "mixed") expect(conflicts).toEqual([]);
            // Only the place of another file can be in the way.
            for (const id of conflicts)
              expect(["create", "rename"]).toContain(hunks.find((hunk) => hunk.id === id)?.kind);
            applyOnDisk(composed);
            if (composed !== null) expect((await store.didApply(proposalId)).mismatched).toEqual([]);
          }
          const left = store.open(proposalId).hunks.filter(({ state }) => state === "conflict" || state === "pending");
          if (left.length > 0) {
            await store.decide({ proposalId, hunks: left.map(({ id }) => ({ id, decision: "reject" as const })) });
          }
          const outcome = await settled;
          expect(new Set(outcome.hunks.flatMap(({ id, applied }) => (applied ? [id] : [])))).toEqual(kept);
          if (decision === "reject") expect(onDisk()).toEqual(before);
          if (decision === "accept") expect(onDisk()).toEqual(byHand(base, edits));
          expect(onDisk()).toEqual(withHunks(base, proposal, kept));
          const undone = await store.undo(proposalId);
          if (undone.proposalId !== undefined) {
            const taken = store.open(undone.proposalId).hunks.map(({ id }) => ({ id, decision: "accept" as const }));
            applyOnDisk((await store.decide({ proposalId: undone.proposalId, hunks: taken })).edit);
            await store.didApply(undone.proposalId);
          }
          if (undone.left.length === 0) expect(onDisk()).toEqual(before);
        }
      }),
      fuzz(500),
    );
    // Few random calls make sense; those that do are what is tested.
    expect(planned).toBeGreaterThan(tried / 20);
  },
  limitMs(120_000),
);
