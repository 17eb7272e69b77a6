/** Every cautious and dangerous call, newest last, bounded in memory; lost when the server ends. */
import type { AuditEntry } from "../protocol/shapes.ts";

const CAPACITY = 2_000;
const PAGE = 100;

export class AuditLog {
  readonly #entries = new Map<string, AuditEntry>();
  #dropped = 0;

  /** An entry with a known id takes the place of the earlier entry. */
  record(entry: AuditEntry): void {
    this.#entries.set(entry.id, entry);
    if (this.#entries.size <= CAPACITY) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#dropped += 1;
  }

  /** A page of entries from `cursor` (a number as text) on; `total` counts dropped ones too. */
  page(sessionId?: string, cursor?: string): { items: AuditEntry[]; total: number; nextCursor?: string } {
    const kept = [...this.#entries.values()];
    const all = sessionId === undefined ? kept : kept.filter((entry) => entry.sessionId === sessionId);
    const start = Number.parseInt(cursor ?? "0", 10) || 0;
    const items = all.slice(start, start + PAGE);
    const next = start + items.length;
    return {
      items,
      total: all.length + (sessionId === undefined ? this.#dropped : 0),
      ...(next < all.length ? { nextCursor: String(next) } : {}),
    };
  }
}
