/** The edit tools over a copy of a fixture, with an editor that opens what it is told to, decides, and applies. */
import {
  cpSync,
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
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createTwoFilesPatch } from "diff";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { CreateFile, DeleteFile, RenameFile, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { ProposalStore } from "../../server/src/proposals/proposal-store.ts";
import type { Hunk, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ReadFilePorts } from "../../server/src/tools/buffer/read-file.ts";
import type { EditPorts } from "../../server/src/tools/edit/define-edit.ts";
import type { DirectoryPorts } from "../../server/src/tools/files/list-directory.ts";
import { SeenTexts } from "../../server/src/tools/seen-texts.ts";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { createTypeScript, type TypeScriptService } from "../../server/src/typescript/typescript-service.ts";
import { Documents } from "../../server/src/workspace/documents.ts";
import { WorkspacePaths } from "../../server/src/workspace/workspace-paths.ts";
import { fixtures } from "../unit/typescript/with-typescript.ts";

export interface EditFixture {
  readonly root: string;
  readonly ports: EditPorts & DirectoryPorts & Pick<ReadFilePorts, "isUnsaved">;
  readonly documents: Documents;
  /** Every proposal made so far. */
  readonly proposals: Proposal[];
  /** The newest state of each proposal that changed since it was made. */
  readonly changed: Map<string, Proposal>;
  /** The person looks this long before they decide; not at all until it is set. */
  look: (proposal: Proposal) => Promise<unknown>;
  /** How each hunk of the next proposals is decided; accepts all until it is set. */
  decide: (hunk: Hunk) => Omit<HunkDecision, "id">;
  /** Runs the tool and renders what it answered, and what it proposed. */
  ask: (tool: Tool, args: Record<string, unknown>) => Promise<string>;
  textOf: (path: string) => Promise<string>;
  write: (path: string, text: string) => void;
  uri: (path: string) => string;
  dispose: () => Promise<void>;
}

/** A copy of a fixture and its compiler, which tests use one after the other: most of a test's time is the compiler's start. */
export interface EditWorkspace {
  readonly root: string;
  readonly typescript: TypeScriptService;
  /** Makes the files again what they are in the fixture. */
  restore: () => void;
  dispose: () => Promise<void>;
}

export function openEditWorkspace(name: string): EditWorkspace {
  const source = join(fixtures, name);
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-edits-")));
  cpSync(source, root, { recursive: true });
  const typescript = createTypeScript({ workspaceFolders: [root], onState: () => undefined, log: () => undefined });
  return {
    root,
    typescript,
    restore: () => {
      for (const path of filesIn(root)) if (!existsSync(join(source, path))) rmSync(join(root, path));
      for (const path of filesIn(source)) {
        const text = readFileSync(join(source, path));
        const isSame = existsSync(join(root, path)) && readFileSync(join(root, path)).equals(text);
        if (!isSame) writeFileSync(join(root, path), text);
      }
    },
    dispose: async () => {
      await typescript.dispose();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** `from` is a workspace that other tests use, too, or the name of a fixture to make one of for this test alone. */
export function openEditFixture(from: string | EditWorkspace): EditFixture {
  const workspace = typeof from === "string" ? openEditWorkspace(from) : from;
  const { root, typescript } = workspace;
  const documents = new Documents();
  documents.subscribe({
    didOpen: (document) => typescript.documents.didOpen(document),
    didChange: (document) => typescript.documents.didChange(document),
    didClose: (uri) => typescript.documents.didClose({ uri }),
  });
  const paths = new WorkspacePaths([root]);
  const proposals: Proposal[] = [];
  const changed = new Map<string, Proposal>();
  const store = new ProposalStore({
    documents,
    whyMoved: () => undefined,
    onProposal: (proposal) => {
      proposals.push(proposal);
      void review(proposal);
    },
    onChanged: (proposal) => changed.set(proposal.proposalId, proposal),
  });
  const uri = (path: string): string => pathToFileURL(join(root, path)).href;
  const fixture: EditFixture = {
    root,
    documents,
    proposals,
    changed,
    look: () => Promise.resolve(),
    decide: () => ({ decision: "accept" }),
    ports: {
      typescript,
      seen: new SeenTexts(),
      resolvePath: (path) => paths.resolve(path),
      readDocument: (each) => documents.read(each),
      show: (absolute) => paths.relative(absolute),
      folders: () => paths.folders(),
      openUris: () => documents.all().map((each) => each.uri),
      isUnsaved: async (each) => documents.get(each)?.text !== (await documents.readDisk(each)),
      propose: (request, signal) => store.propose(request, signal),
      whyNotChanged: () => undefined,
      unavailable: () => undefined,
      onStopRequested: () => undefined,
    },
    ask: async (tool, args) => {
      const before = proposals.length;
      const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
      const answer = await Promise.resolve(tool.run(args, context)).then(
        (given): ToolAnswer => (typeof given === "string" ? { content: given } : (given as ToolAnswer)),
        (error: unknown): ToolAnswer => ({ content: `FAILED: ${error instanceof Error ? error.message : ""}` }),
      );
      return render(args, answer, proposals.slice(before), root);
    },
    textOf: async (path) => (await documents.read(uri(path)))?.text ?? "",
    write: (path, text) => writeFileSync(join(root, path), text),
    uri,
    dispose: async () => {
      for (const document of documents.all()) documents.close(document.uri);
      if (typeof from === "string") await workspace.dispose();
      else workspace.restore();
    },
  };

  const review = async (proposal: Proposal): Promise<void> => {
    const { proposalId, hunks } = proposal;
    await fixture.look(proposal);
    const decisions = hunks.map((hunk) => ({ id: hunk.id, ...fixture.decide(hunk) }));
    const { edit, conflicts } = await store.review(proposalId).decide({ hunks: decisions });
    await applyIn(documents, edit);
    await store.review(proposalId).didApply();
    // A conflict waits until somebody decides about it.
    const left = conflicts.map((id) => ({ id, decision: "reject" as const }));
    if (left.length > 0) await store.review(proposalId).decide({ hunks: left });
  };
  return fixture;
}

/** As an editor does: the whole edit into buffers, which text sync then reports; files move and go on disk. */
async function applyIn(documents: Documents, edit: WorkspaceEdit | null): Promise<void> {
  for (const change of edit?.documentChanges ?? []) {
    if ("kind" in change) {
      operateIn(documents, change);
      continue;
    }
    const target = change.textDocument.uri;
    const text = (await documents.read(target))?.text ?? "";
    if (documents.get(target) === undefined) {
      documents.open({ uri: target, languageId: "typescript", version: 1, text });
    }
    const version = documents.get(target)?.version ?? 1;
    const document = TextDocument.create(target, "typescript", version, text);
    documents.change(target, version + 1, [{ text: TextDocument.applyEdits(document, change.edits as TextEdit[]) }]);
  }
}

function operateIn(documents: Documents, operation: CreateFile | RenameFile | DeleteFile): void {
  if (operation.kind === "create") return;
  const from = fileURLToPath(operation.kind === "rename" ? operation.oldUri : operation.uri);
  const open = documents.get(pathToFileURL(from).href);
  if (open !== undefined) documents.close(open.uri);
  if (operation.kind === "delete") return rmSync(from);
  mkdirSync(dirname(fileURLToPath(operation.newUri)), { recursive: true });
  renameSync(from, fileURLToPath(operation.newUri));
  if (open !== undefined) documents.open({ ...open, uri: operation.newUri, version: 1 });
}

function render(args: object, answer: ToolAnswer, proposals: readonly Proposal[], root: string): string {
  const parts = [`> ${JSON.stringify(args)}`, "", answer.content, "", "---", `complete: ${answer.complete ?? true}`];
  for (const note of answer.notes ?? []) parts.push(`note: ${note}`);
  for (const { title, why, hunks } of proposals) {
    parts.push("", `proposed: ${title}`, `why: ${why}`);
    for (const hunk of hunks) {
      const patch = createTwoFilesPatch("", "", hunk.oldText, hunk.newText, "", "", { context: 0 });
      const changed = patch.split("\n").filter((line) => /^[-+](?![-+]{2})/.test(line));
      parts.push(`${hunk.id} ${hunk.title}`, ...changed.map((line) => `  ${line.replace("\r", "\\r")}`));
    }
  }
  return [...parts, ""]
    .join("\n")
    .replaceAll(root, "<root>")
    .replaceAll(/TypeScript \d+\.\d+\.\d+/g, "TypeScript <version>");
}
