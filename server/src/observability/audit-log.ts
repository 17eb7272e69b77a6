/** Every cautious and dangerous call, newest last, bounded in memory. */
import type { AuditEntry } from "../protocol/shapes.ts";

const CAPACITY = 2_000;
const PAGE = 100;

export class AuditLog {
  readonly #entries: AuditEntry[] = [];
  #dropped = 0;

  record(entry: AuditEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > CAPACITY) {
      this.#entries.shift();
      this.#dropped += 1;
    }
  }

  /** A page of entries from `cursor` (a number as text) on; `total` counts dropped ones too. */
  page(sessionId?: string, cursor?: string): { items: AuditEntry[]; total: number; nextCursor?: string } {
    const all =
      sessionId === undefined ? this.#entries : this.#entries.filter((entry) => entry.sessionId === sessionId);
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
