/** Statements that are used again and again, parsed once. */
import type { DatabaseSync, StatementSync } from "node:sqlite";

const known = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/**
 * The statement of an SQL text that is written in the code, never of one that is put together from data. Not for
 * `iterate`: a statement is used to its end before it is used again. Throws what SQLite throws.
 */
export function prepared(database: DatabaseSync, sql: string): StatementSync {
  const own = known.get(database) ?? new Map<string, StatementSync>();
  known.set(database, own);
  const statement = own.get(sql) ?? database.prepare(sql);
  own.set(sql, statement);
  return statement;
}
