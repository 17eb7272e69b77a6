/** Random trees of files in a folder, random edits of them, and what a proposal's hunks make of them. */
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
import { afterAll, beforeAll, expect } from "vitest";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { ProposedDocument } from "../../server/src/proposals/proposal.ts";
import type { Hunk, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { Edit } from "../../server/src/tools/edit-schema.ts";
import { planEdits } from "../../server/src/tools/edit/plan-edits.ts";
import type { PlanPorts } from "../../server/src/tools/edit/plan.ts";
import { SeenTexts } from "../../server/src/tools/seen-texts.ts";
import { ToolFailure } from "../../server/src/tools/tool.ts";
import { TypeScriptUnavailable } from "../../server/src/typescript/typescript-unavailable.ts";
import type { Documents } from "../../server/src/workspace/documents.ts";
import type { WorkspacePaths } from "../../server/src/workspace/workspace-paths.ts";

export type Tree = ReadonlyMap<string, string>;

/** The folder of the test file that runs. */
export let root = "";

export function useFolder(): void {
  beforeAll(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-files-")));
  });
  afterAll(() => rmSync(root, { recursive: true }));
}

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
export const calls = fc
  .array(fc.oneof({ weight: 3, arbitrary: edit.map((one) => [one]) }, { weight: 1, arbitrary: handedOn }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.flat());
export const tree: fc.Arbitrary<Tree> = fc
  .uniqueArray(fc.tuple(name, text), { selector: ([file]) => file, minLength: 1 })
  .map((files) => new Map(files));

export function write(files: Tree): void {
  for (const entry of readdirSync(root)) rmSync(path.join(root, entry), { recursive: true });
  for (const [file, content] of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
}

export function onDisk(): Tree {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name)).toSorted();
  return new Map(paths.map((file) => [path.relative(root, file), readFileSync(file, "utf8")]));
}

export function applyOnDisk(composed: WorkspaceEdit | null): void {
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

/** The base with what these hunks do to it. */
export function withHunks(base: Tree, proposal: Proposal, kept: ReadonlySet<string>): Tree {
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

/** The documents that the edits change, undefined where they make no sense together. */
export async function planned(
  edits: readonly Edit[],
  documents: Documents,
  paths: WorkspacePaths,
): Promise<readonly ProposedDocument[] | undefined> {
  const { signal } = new AbortController();
  const plan = planEdits(edits, { ports: portsOf(documents, paths), conversation: "c", signal });
  return plan.then(
    (made) => made.documents,
    (error: unknown) => {
      if (error instanceof ToolFailure) return undefined;
      throw error;
    },
  );
}
