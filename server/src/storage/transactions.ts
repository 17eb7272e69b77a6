/** Writes that happen together or not at all. */
import type { DatabaseSync } from "node:sqlite";
import { prepared } from "./prepared.ts";

/** Within another one a part of that. Throws what `write` throws, after everything was taken back. */
export function atOnce<Value>(database: DatabaseSync, write: () => Value): Value {
  if (database.isTransaction) return write();
  prepared(database, "BEGIN IMMEDIATE").run();
  try {
    const value = write();
    prepared(database, "COMMIT").run();
    return value;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
