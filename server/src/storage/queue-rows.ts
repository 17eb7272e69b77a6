/** What the person said while a turn ran, until the model hears it: rows of a workspace's database. */
import type { DatabaseSync } from "node:sqlite";
import { prepared } from "./prepared.ts";

export interface QueuedRow {
  readonly id: string;
  readonly at: string;
  readonly body: string;
}

/** Contract: all methods throw what SQLite throws. */
export class QueueRows {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  add(session: string, { id, at, body }: QueuedRow): void {
    this.#database
      .prepare("INSERT INTO queued_prompts (id, session, at, body) VALUES (?, ?, ?, ?)")
      .run(id, session, at, body);
  }

  /** Whether it still waited. */
  edit(id: string, body: string): boolean {
    return this.#database.prepare("UPDATE queued_prompts SET body = ? WHERE id = ?").run(body, id).changes > 0;
  }

  /** Whether it still waited. */
  delete(id: string): boolean {
    return prepared(this.#database, "DELETE FROM queued_prompts WHERE id = ?").run(id).changes > 0;
  }

  deleteOf(session: string): void {
    this.#database.prepare("DELETE FROM queued_prompts WHERE session = ?").run(session);
  }

  /** In the order in which they were said. */
  list(session: string): QueuedRow[] {
    const rows = this.#database
      .prepare("SELECT id, at, body FROM queued_prompts WHERE session = ? ORDER BY seq")
      .all(session);
    return rows.map(({ id, at, body }) => ({ id: String(id), at: String(at), body: String(body) }));
  }
}
