/** What outlives the server, of one workspace. */
import path from "node:path";
import { AuditStore } from "./audit-store.ts";
import { workspaceMigrations } from "./migrations.ts";
import { openDatabase } from "./open-database.ts";
import { ProposalRows } from "./proposal-rows.ts";
import { RememberedStore } from "./remembered-store.ts";
import { ServerLocks } from "./server-locks.ts";
import { SessionRows } from "./session-rows.ts";
import { UsageRows } from "./usage-rows.ts";
import { stateFolder, workspaceDatabase, type Machine } from "./state-folder.ts";
import { leadsOut } from "../workspace/within.ts";

export interface WorkspaceStorage {
  readonly file: string;
  readonly audit: AuditStore;
  readonly remembered: RememberedStore;
  readonly proposals: ProposalRows;
  readonly sessions: SessionRows;
  readonly usage: UsageRows;
  readonly close: () => void;
}

/**
 * `folders` are real paths. `problem` is a sentence for the person. Never throws. Without a workspace folder there is
 * nothing to keep anything for: undefined.
 */
export function openWorkspaceStorage(
  machine: Machine,
  folders: readonly string[],
): WorkspaceStorage | { readonly problem: string } | undefined {
  if (folders.length === 0) return undefined;
  const state = stateFolder(machine);
  const around = folders.find((folder) => !leadsOut(path.relative(folder, state)));
  // Whoever can write to the project could otherwise write an approval of the person's.
  if (around !== undefined)
    return { problem: `${state} lies inside of the workspace folder ${around}. ${MEMORY_ONLY}` };
  const file = workspaceDatabase(state, folders);
  const opened = openDatabase(file, workspaceMigrations);
  const failed = (reason: string) => ({ problem: `${file} cannot be used: ${reason}. ${MEMORY_ONLY}` });
  if ("problem" in opened) return failed(opened.problem);
  const { database } = opened;
  try {
    const [audit, remembered] = [new AuditStore(database), new RememberedStore(database)];
    const locks = new ServerLocks(file);
    locks.sweep(Date.now());
    const close = (): void => {
      locks.release();
      database.close();
    };
    const [proposals, sessions] = [new ProposalRows(database, locks), new SessionRows(database, locks)];
    return { file, audit, remembered, proposals, sessions, usage: new UsageRows(database), close };
  } catch (error) {
    database.close();
    return failed(error instanceof Error ? error.message : String(error));
  }
}

export const MEMORY_ONLY =
  "Conversations, the audit log, open reviews and what you approved for this project are kept in memory only, until the server ends.";
