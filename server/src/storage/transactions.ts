/** Writes that happen together or not at all. */
import type { DatabaseSync } from "node:sqlite";

/** Within another one a part of that. Throws what `write` throws, after everything was taken back. */
export function atOnce<Value>(database: DatabaseSync, write: () => Value): Value {
  if (database.isTransaction) return write();
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = write();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
