/** The calls that a person approved for good in a workspace. */
import type { DatabaseSync } from "node:sqlite";

export interface RememberedRow {
  readonly id: string;
  readonly at: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Contract: all methods throw what SQLite throws. */
export class RememberedStore {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  has(key: string): boolean {
    return this.#database.prepare("SELECT 1 FROM remembered WHERE key = ?").get(key) !== undefined;
  }

  get(key: string): RememberedRow | undefined {
    const row = this.#database.prepare("SELECT id, at, tool, arguments FROM remembered WHERE key = ?").get(key);
    return row && toRow(row);
  }

  add(key: string, { id, at, tool, arguments: args }: RememberedRow): void {
    this.#database
      .prepare(
        "INSERT INTO remembered (key, id, at, tool, arguments) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
      )
      .run(key, id, at, tool, JSON.stringify(args));
  }

  list(): RememberedRow[] {
    const rows = this.#database.prepare("SELECT id, at, tool, arguments FROM remembered ORDER BY at, id").all();
    return rows.map(toRow);
  }

  /** How many were forgotten: the one with that id, or all. */
  forget(id?: string): number {
    const sql = id === undefined ? "DELETE FROM remembered" : "DELETE FROM remembered WHERE id = ?";
    return Number(this.#database.prepare(sql).run(...(id === undefined ? [] : [id])).changes);
  }
}

function toRow(row: Readonly<Record<string, unknown>>): RememberedRow {
  return {
    id: String(row["id"]),
    at: String(row["at"]),
    tool: String(row["tool"]),
    arguments: JSON.parse(String(row["arguments"])) as Readonly<Record<string, unknown>>,
  };
}
