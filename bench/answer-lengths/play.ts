/** Plays a task with the whole server: a scripted model makes the calls, a person reviews what is proposed. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { call, reply } from "../../examples/demo/model/script.ts";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { startScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { ToolOutcome, Turn } from "../../examples/demo/model/turn.ts";
import type { DecideResult, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { LspClient } from "../support/lsp-client.ts";
import { agentqServer } from "../support/servers.ts";
import type { Task } from "./tasks.ts";

const ENDED = /^turnEnded$/;

export interface Played {
  /** As the model reads them, in order. */
  readonly results: readonly ToolOutcome[];
  /** What stands in every request, in characters: the system prompt and the tools as JSON, without marks of the cache. */
  readonly always: { readonly prompt: number; readonly tools: number; readonly count: number };
}

export async function play(task: Task, program: string, folder: string): Promise<Played> {
  let results: readonly ToolOutcome[] = [];
  const script = {
    name: "calls",
    description: "makes the task's calls",
    reply: (turn: Turn) => {
      ({ results } = turn);
      const next = task.calls[turn.step];
      return next === undefined ? reply("Done.") : reply(call(next[0], next[1]));
    },
  };
  const model = await startScriptedModel(script, { project: folder });
  const client = new LspClient(
    agentqServer(program, { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: model.url }),
    folder,
  );
  try {
    const ended = Promise.withResolvers<void>();
    client.onNotification("agentq/event", (params) => {
      const { event } = params as { readonly event?: { readonly kind: string } };
      if (ENDED.test(event?.kind ?? "")) ended.resolve();
    });
    const reviewed = new Set<string>();
    client.onNotification("agentq/proposal", (params) => {
      const proposal = params as Proposal;
      if (reviewed.has(proposal.proposalId)) return;
      reviewed.add(proposal.proposalId);
      review(client, proposal).catch(ended.reject);
    });
    await client.start(folder);
    await client.request("agentq/prompt", { text: task.title });
    await ended.promise;
  } finally {
    await client.close();
    await model.dispose();
  }
  const [first] = model.requests;
  const tools = JSON.stringify(first?.tools, (key, value: unknown) => (key === "cache_control" ? undefined : value));
  return {
    results,
    always: { prompt: textOf(first?.system).length, tools: tools.length, count: first?.tools?.length ?? 0 },
  };
}

/** Takes all, but of more than five hunks in few files one is refused and one edited. */
async function review(client: LspClient, { proposalId, hunks }: Proposal): Promise<void> {
  const isPart = hunks.length > 5 && hunks.length < 20;
  const decisions = hunks.map((hunk, index): HunkDecision => {
    if (isPart && index === 1) return { id: hunk.id, decision: "reject", reason: "keep the name here" };
    if (isPart && index === 3) return { id: hunk.id, decision: "edit", newText: `${hunk.newText}\n` };
    return { id: hunk.id, decision: "accept" };
  });
  const { edit } = await client.request<DecideResult>("agentq/decide", {
    proposalId,
    hunks: decisions,
    then: "continue",
  });
  if (edit === null) return;
  const documents = write(edit);
  await client.notify("workspace/didChangeWatchedFiles", {
    changes: documents.map(({ uri }) => ({ uri, type: 2 })),
  });
  await client.request("agentq/didApply", { proposalId, documents });
}

function write({ documentChanges = [] }: WorkspaceEdit): { uri: string; version: null; sha256: string }[] {
  return documentChanges.flatMap((change) => {
    if ("kind" in change) return [];
    const { uri } = change.textDocument;
    const file = fileURLToPath(uri);
    mkdirSync(path.dirname(file), { recursive: true });
    const before = existsSync(file) ? readFileSync(file, "utf8") : "";
    const text = TextDocument.applyEdits(TextDocument.create(uri, "typescript", 1, before), change.edits as TextEdit[]);
    writeFileSync(file, text);
    return { uri, version: null, sha256: createHash("sha256").update(text).digest("hex") };
  });
}
