/** The part of the composition that keeps what is written down about calls, and opens what outlives the server. */
import type { Parts } from "./parts.ts";
import { lazy } from "../base/lazy.ts";
import { KeptSessions } from "../conversation/kept-sessions.ts";
import { redacted } from "../storage/redaction.ts";
import { thisMachine } from "../storage/state-folder.ts";
import { AuditLog } from "../tools/consent/audit-log.ts";
import { DecisionRecord } from "../tools/consent/decision-record.ts";
import { RememberedCalls } from "../tools/consent/remembered-calls.ts";
import { secretsOf } from "../tools/mcp/planned-server.ts";
import { existingRealPath } from "../workspace/real-path.ts";

type Opened = "audit" | "decisions" | "remembered" | "keptSessions";
type RecordParts = Pick<Parts, "setup" | "client" | "variables" | "keys" | "mcpPlans" | "proposals" | "spending">;

/** Without a database everything is kept in memory, and the person is told. */
export function composeRecords(parts: RecordParts): Pick<Parts, Opened | "storage"> {
  const { client, keys } = parts;
  const mcpSecrets = secretsOf(parts.mcpPlans);
  const redact = <Value>(value: Value, longest?: number): Value =>
    redacted(value, [...keys.known(), ...mcpSecrets], longest);
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
  { audit, remembered, keptSessions }: Pick<Parts, Opened>,
): Promise<() => void> {
  // SQLite is loaded when first needed, so that `initialize` is answered before.
  const { openWorkspaceStorage } = await import("../storage/workspace-storage.ts");
  const folders = setup.workspaceFolders.map((folder) => existingRealPath(folder) ?? folder);
  const storage = openWorkspaceStorage(thisMachine(variables), folders);
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
