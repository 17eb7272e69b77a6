/** Opens an SQLite file of ours and brings its tables up to date. */
import { chmodSync, closeSync, openSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { ownPlace } from "../process/own-place.ts";
import { errorText } from "../base/errors.ts";

/** `problem` says why there is no database, as the end of a sentence. */
export type OpenedDatabase = { readonly database: DatabaseSync } | { readonly problem: string };

export const ONLY_OWNER_FILE = 0o600;
/** How long a statement waits for another server that writes to the same file. */
const BUSY_MS = 1_000;

/**
 * `migrations` are SQL texts in their order: the first makes version 1 of an empty file, each later one the next version of
 * the one before. A migration that was released never changes. Never throws. Several processes may have the file open.
 */
export function openDatabase(file: string, migrations: readonly string[]): OpenedDatabase {
  let database: DatabaseSync | undefined;
  try {
    const place = ownPlace(path.dirname(file));
    if ("problem" in place) return place;
    // SQLite gives the files beside this one the same mode.
    closeSync(openSync(file, "a", ONLY_OWNER_FILE));
    chmodSync(file, ONLY_OWNER_FILE);
    const sqlite = loadSqlite();
    if (sqlite === undefined) return { problem: "this Node was built without SQLite" };
    database = new sqlite.DatabaseSync(file);
    database.exec(
      `PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON`,
    );
    const newer = migrate(database, migrations);
    if (newer === undefined) return { database };
    database.close();
    return { problem: newer };
  } catch (error) {
    closeQuietly(database);
    return { problem: errorText(error) };
  }
}

/** Why the file cannot be used, or undefined when it is at the newest version. Throws what SQLite throws. */
function migrate(database: DatabaseSync, migrations: readonly string[]): string | undefined {
  if (versionOf(database) === migrations.length) return undefined;
  // Another server may be at the same work: the version is read again once nobody else can write.
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database);
    if (version > migrations.length) {
      database.exec("ROLLBACK");
      return `it was written by a newer Agent-Q (version ${version} of the file, ${migrations.length} is known here)`;
    }
    for (const sql of migrations.slice(version)) database.exec(sql);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    database.exec("COMMIT");
    return undefined;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

/** Node 22 and 24 warn on standard error that SQLite is experimental, which an editor would show to the person. */
export function loadSqlite(): typeof import("node:sqlite") | undefined {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite") as typeof import("node:sqlite") | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function closeQuietly(database: DatabaseSync | undefined): void {
  try {
    database?.close();
  } catch {
    // The reason why the database is of no use is told already.
  }
}
