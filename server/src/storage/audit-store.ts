/** The audit log's rows in a workspace's database. Several servers may write to it at once. */
import { randomUUID } from "node:crypto";
import { uptime } from "node:os";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { AuditEntry } from "../protocol/tool-shapes.ts";

export interface AuditPage {
  readonly items: AuditEntry[];
  readonly total: number;
  readonly nextCursor?: string;
}

const PAGE = 100;
const KEPT = 20_000;
const INTERRUPTED = "the server ended while the call ran: what the call had done by then is not known.";

/** Contract: all methods throw what SQLite throws. */
export class AuditStore {
  readonly #database: DatabaseSync;
  readonly #server = randomUUID();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#settleInterrupted();
    database.prepare("DELETE FROM calls WHERE seq <= (SELECT max(seq) FROM calls) - ?").run(KEPT);
  }

  /** An entry with a known id takes the place of the earlier entry. */
  write(entry: AuditEntry): void {
    this.#database
      .prepare(
        `INSERT INTO calls (id, session, server, pid, at, outcome, entry) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET outcome = excluded.outcome, entry = excluded.entry`,
      )
      .run(
        entry.id,
        entry.sessionId ?? null,
        this.#server,
        process.pid,
        entry.at,
        entry.outcome,
        JSON.stringify(entry),
      );
  }

  /** The entries behind `cursor`, oldest first, of all servers that worked on this workspace. */
  page(sessionId?: string, cursor?: string): AuditPage {
    this.#settleInterrupted();
    const session = sessionId ?? null;
    const after = Number.parseInt(cursor ?? "0", 10) || 0;
    const rows = this.#database
      .prepare("SELECT seq, entry FROM calls WHERE seq > ? AND (? IS NULL OR session = ?) ORDER BY seq LIMIT ?")
      .all(after, session, session, PAGE + 1);
    const shown = rows.slice(0, PAGE);
    const counted = this.#database
      .prepare("SELECT count(*) AS total FROM calls WHERE ? IS NULL OR session = ?")
      .get(session, session);
    const last = shown.at(-1)?.["seq"];
    return {
      items: shown.map(entryOf),
      total: Number(counted?.["total"]),
      ...(rows.length > PAGE ? { nextCursor: String(last) } : {}),
    };
  }

  /** A call is never left `running` for good: its server may have been killed. */
  #settleInterrupted(): void {
    const running = this.#database
      .prepare("SELECT seq, pid, at, entry FROM calls WHERE outcome = 'running' AND server <> ?")
      .all(this.#server);
    for (const row of running) {
      if (isAlive(Number(row["pid"]), String(row["at"]))) continue;
      const entry: AuditEntry = { ...entryOf(row), outcome: "interrupted", detail: INTERRUPTED };
      this.#database
        .prepare("UPDATE calls SET outcome = 'interrupted', entry = ? WHERE seq = ? AND outcome = 'running'")
        .run(JSON.stringify(entry), row["seq"] ?? null);
    }
  }
}

function entryOf(row: Record<string, SQLOutputValue>): AuditEntry {
  return JSON.parse(String(row["entry"])) as AuditEntry;
}

/** Whether the process may still be the server that began a call then. */
function isAlive(pid: number, at: string): boolean {
  const isBeforeBoot = Date.parse(at) < Date.now() - uptime() * 1_000;
  if (pid === process.pid || isBeforeBoot) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process, or one of another user, which is not a server of this person.
    return false;
  }
}
