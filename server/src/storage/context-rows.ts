/** What goes along with a conversation's prompts: one row for each conversation, which goes with it. */
import type { DatabaseSync } from "node:sqlite";

/** Contract: all methods throw what SQLite throws. */
export class ContextRows {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(session: string): string | undefined {
    const row = this.#database.prepare("SELECT body FROM session_context WHERE session = ?").get(session);
    return row === undefined ? undefined : String(row["body"]);
  }

  /** Nothing for a conversation that is gone. */
  set(session: string, body: string): void {
    this.#database
      .prepare("INSERT OR REPLACE INTO session_context (session, body) SELECT id, ? FROM sessions WHERE id = ?")
      .run(body, session);
  }

  delete(session: string): void {
    this.#database.prepare("DELETE FROM session_context WHERE session = ?").run(session);
  }
}
