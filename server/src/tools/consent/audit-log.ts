/** Every cautious and dangerous call, newest last: in the workspace's database, else bounded in memory. */
import type { Page } from "../../protocol/shapes.ts";
import type { AuditEntry } from "../../protocol/tool-shapes.ts";
import { errorText } from "../../base/errors.ts";

/** Contract: may throw; the log then goes on in memory. */
export interface AuditKeeper {
  readonly write: (entry: AuditEntry) => void;
  readonly page: (sessionId?: string, cursor?: string) => Page<AuditEntry>;
}

/** Keeps what becomes of calls, and tells `log` of each in a line. */
export function noting(audit: Pick<AuditLog, "record">, log: (line: string) => void): (entry: AuditEntry) => void {
  return (entry) => {
    audit.record(entry);
    const { tool, safety = "no such tool", outcome, detail } = entry;
    if (outcome === "running") return;
    log(`${tool} (${safety}): ${outcome}${outcome === "run" && detail !== undefined ? `, ${detail}` : ""}`);
  };
}

interface AuditPorts {
  /** Takes keys out of an entry, and cuts its long texts. Contract: never throws. */
  readonly redact?: (entry: AuditEntry) => AuditEntry;
  /** Tells the person, once, why entries are no longer kept on the disk. */
  readonly onLost?: (reason: string) => void;
}

const CAPACITY = 2_000;
const PAGE = 100;

export class AuditLog {
  readonly #ports: AuditPorts;
  readonly #entries = new Map<string, AuditEntry>();
  #keeper: AuditKeeper | undefined;
  #dropped = 0;

  constructor(ports: AuditPorts = {}) {
    this.#ports = ports;
  }

  /** From now on entries outlive the server; those before are written now. */
  keepIn(keeper: AuditKeeper): void {
    this.#keeper = keeper;
    for (const entry of this.#entries.values()) this.#kept((to) => to.write(entry));
  }

  /** An entry with a known id takes the place of the earlier entry. */
  record(given: AuditEntry): void {
    const entry = this.#ports.redact?.(given) ?? given;
    this.#entries.set(entry.id, entry);
    this.#kept((keeper) => keeper.write(entry));
    if (this.#entries.size <= CAPACITY) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#dropped += 1;
  }

  /** A page of entries, oldest first, behind `cursor` (a number as text). */
  page(sessionId?: string, cursor?: string): Page<AuditEntry> {
    return this.#kept((keeper) => keeper.page(sessionId, cursor)) ?? this.#pageOfMemory(sessionId, cursor);
  }

  #pageOfMemory(sessionId?: string, cursor?: string): Page<AuditEntry> {
    const kept = [...this.#entries.values()];
    const all = sessionId === undefined ? kept : kept.filter((entry) => entry.sessionId === sessionId);
    const start = Number.parseInt(cursor ?? "0", 10) || 0;
    const items = all.slice(start, start + PAGE);
    const next = start + items.length;
    return {
      items,
      // Entries that were dropped have numbers too.
      total: all.length + (sessionId === undefined ? this.#dropped : 0),
      ...(next < all.length ? { nextCursor: String(next) } : {}),
    };
  }

  /** Undefined where nothing is kept, or no longer. */
  #kept<Value>(use: (keeper: AuditKeeper) => Value): Value | undefined {
    if (this.#keeper === undefined) return undefined;
    try {
      return use(this.#keeper);
    } catch (error) {
      this.#keeper = undefined;
      this.#ports.onLost?.(errorText(error));
      return undefined;
    }
  }
}
