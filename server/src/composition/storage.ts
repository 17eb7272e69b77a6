/** The part of the composition that keeps what is written down about calls, and opens what outlives the server. */
import { homedir } from "node:os";
import type { ClientPort } from "../services.ts";
import type { ServerSetup } from "../handlers/stdio-server.ts";
import { lazy, type Lazy } from "../base/lazy.ts";
import { KeptSessions } from "../conversation/kept-sessions.ts";
import type { Spending } from "../conversation/spending/spending.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import { redacted } from "../storage/redaction.ts";
import { AuditLog } from "../tools/consent/audit-log.ts";
import { DecisionRecord } from "../tools/consent/decision-record.ts";
import { RememberedCalls } from "../tools/consent/remembered-calls.ts";
import { existingRealPath, realPathOf } from "../workspace/real-path.ts";

interface RecordParts {
  readonly setup: ServerSetup;
  readonly client: ClientPort;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The keys that are in use. */
  readonly secrets: () => readonly string[];
  /** What the settings give MCP servers. */
  readonly mcpSecrets: readonly string[];
  readonly proposals: ProposalStore;
  readonly spending: Pick<Spending, "keepIn">;
}

export interface Records {
  readonly audit: AuditLog;
  readonly decisions: DecisionRecord;
  readonly remembered: RememberedCalls;
  readonly keptSessions: KeptSessions;
  /** Opens the database at the first use, and answers how to close it. Never rejects. */
  readonly storage: Lazy<() => void>;
}

/** Without a database everything is kept in memory, and the person is told. */
export function composeRecords(parts: RecordParts): Records {
  const { client, secrets, mcpSecrets } = parts;
  const redact = <Value>(value: Value, longest?: number): Value =>
    redacted(value, [...secrets(), ...mcpSecrets], longest);
  const onLost = (reason: string): void =>
    client.warn(`The audit log cannot be written to the disk any more and is kept in memory: ${reason}`);
  const audit = new AuditLog({ redact, onLost });
  const remembered = new RememberedCalls({ redact, onFailure: (message) => client.warn(message) });
  const decisions = new DecisionRecord(audit);
  const keptSessions = new KeptSessions({
    redact,
    onLost: (reason) => client.warn(`Conversations cannot be written to the disk any more: ${reason}`),
  });
  const records = { audit, decisions, remembered, keptSessions };
  return { ...records, storage: lazy(() => openStorage(parts, records)) };
}

async function openStorage(
  { setup, client, variables, proposals, spending }: RecordParts,
  { audit, remembered, keptSessions }: Omit<Records, "storage">,
): Promise<() => void> {
  // SQLite is loaded when first needed, so that `initialize` is answered before.
  const { openWorkspaceStorage } = await import("../storage/workspace-storage.ts");
  const machine = {
    platform: process.platform,
    home: homedir(),
    variables,
    realPath: (path: string) => realPathOf(path)?.path ?? path,
  };
  const folders = setup.workspaceFolders.map((folder) => existingRealPath(folder) ?? folder);
  const storage = openWorkspaceStorage(machine, folders);
  if (storage === undefined) return () => undefined;
  if ("problem" in storage) {
    client.warn(storage.problem);
    return () => undefined;
  }
  audit.keepIn(storage.audit);
  remembered.keepIn(storage.remembered);
  spending.keepIn(storage.usage);
  if (setup.settings.proposals.keep === "off") storage.proposals.clear();
  else {
    storage.proposals.prune(Date.now());
    proposals.keepIn(storage.proposals);
  }
  if (setup.settings.sessions.keep === "off") storage.sessions.clear();
  else keptSessions.keepIn(storage.sessions);
  return () => {
    keptSessions.end();
    storage.close();
  };
}
