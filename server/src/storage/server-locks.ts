/** Tells whether a server of this workspace still runs: by a lock that the system releases when the process ends. */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { loadSqlite, ONLY_OWNER_FILE } from "./open-database.ts";

const ID = /^[0-9a-f-]{36}$/;
/** Between its making and its lock a file must not be looked at. */
const YOUNG_MS = 60_000;

/**
 * A process id may be another process's by now, and means nothing in another container. The lock of an empty SQLite file
 * beside the database has neither fault, and all platforms have it.
 */
export class ServerLocks {
  readonly id: string = randomUUID();
  readonly #database: string;
  #held: DatabaseSync | undefined;

  /** `database` is the path of the workspace's database. */
  constructor(database: string) {
    this.#database = database;
  }

  /** From now on the other servers see this one run. Throws what SQLite throws. */
  hold(): void {
    if (this.#held !== undefined) return;
    const file = this.#fileOf(this.id);
    closeSync(openSync(file, "a", ONLY_OWNER_FILE));
    this.#held = lock(file);
  }

  /** Whether the server with that id runs; true where nobody can say. */
  isRunning(id: string): boolean {
    if (id === this.id) return this.#held !== undefined;
    if (!ID.test(id) || !existsSync(this.#fileOf(id))) return false;
    let taken: DatabaseSync | undefined;
    try {
      taken = lock(this.#fileOf(id));
    } catch {
      return true;
    }
    taken?.close();
    return false;
  }

  /** Forgets a server that does not run any more. */
  forget(id: string): void {
    if (ID.test(id)) rmSync(this.#fileOf(id), { force: true });
  }

  /** Forgets the servers that were killed. */
  sweep(now: number): void {
    const start = `${path.basename(this.#database)}.server-`;
    for (const name of readdirSync(path.dirname(this.#database)).filter((each) => each.startsWith(start))) {
      const made = statSync(path.join(path.dirname(this.#database), name), { throwIfNoEntry: false })?.mtimeMs ?? now;
      const id = name.slice(start.length);
      if (now - made > YOUNG_MS && !this.isRunning(id)) this.forget(id);
    }
  }

  release(): void {
    if (this.#held === undefined) return;
    this.#held.close();
    this.#held = undefined;
    this.forget(this.id);
  }

  #fileOf(id: string): string {
    return `${this.#database}.server-${id}`;
  }
}

/** Throws when another connection has the lock. */
function lock(file: string): DatabaseSync | undefined {
  const sqlite = loadSqlite();
  if (sqlite === undefined) return undefined;
  const database = new sqlite.DatabaseSync(file);
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
